export * from './beside.ts';
export * from './capabilities.ts';
export type * from './console-tables.ts';
export type * from './credits-tables.ts';
export {
  type Database,
  DatabaseError,
  explained,
  isOfDatabase,
  openDatabase,
  unusable,
} from './database.ts';
export * from './database-file.ts';
export * from './first-time.ts';
export * from './inspect.ts';
export * from './jobs.ts';
export * from './keyv.ts';
export * from './live-answers.ts';
export type * from './place-tables.ts';
export * from './quarter.ts';
export * from './restore.ts';
export * from './sweep.ts';
export type * from './tables.ts';
export * from './traceless.ts';
export * from './write-probe.ts';
