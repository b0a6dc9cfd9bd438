export * from './coordination.ts';
export { alone, MemoryTally } from './coordination.ts';
