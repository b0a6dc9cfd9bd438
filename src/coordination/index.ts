export { alone, MemoryTally } from './alone.ts';
export * from './coordination.ts';
