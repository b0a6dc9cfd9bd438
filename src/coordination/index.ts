export * from './alone.ts';
export type * from './coordination.ts';
export * from './wait-for-slot.ts';
