export * from './capabilities.ts';
export {
  type Database,
  DatabaseError,
  explainDatabaseError as explained,
  isDatabaseError as isOfDatabase,
  openDatabase,
  unusable,
} from './database.ts';
export * from './drafts.ts';
export * from './first-time.ts';
export * from './jobs.ts';
export * from './keyv.ts';
export * from './live-answers.ts';
export * from './quarter-hour.ts';
export * from './secure-delete.ts';
export * from './sqlite/database-file.ts';
export * from './sweep.ts';
export type * from './tables/console-tables.ts';
export type * from './tables/credits-tables.ts';
export type * from './tables/index.ts';
export type * from './tables/place-settings-tables.ts';
export * from './tools/inspect.ts';
export * from './tools/open-alongside.ts';
export * from './tools/restore.ts';
export * from './write-probe.ts';
