export * from './alone.ts';
export type * from './coordination.ts';
export { MemoryTally } from './memory-tally.ts';
export * from './wait-for-slot.ts';
