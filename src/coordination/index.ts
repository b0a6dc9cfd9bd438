export * from './coordination.ts';
