export type * from './console-tables.ts';
export type * from './credits-tables.ts';
export * from './database.ts';
export * from './jobs.ts';
export * from './keyv.ts';
export * from './live-answers.ts';
export type * from './place-tables.ts';
export * from './sweep.ts';
export type * from './tables.ts';
