export { type Database, isSilent, openDatabase } from './database.ts';
export {
  DatabaseError,
  explainDatabaseError as explained,
  isDatabaseError as isOfDatabase,
  unusable,
} from './database-error.ts';
export * from './database-files.ts';
export { databaseNow, isDuplicate, isPostgres, jsonText, jsonType } from './dialects.ts';
export { DatabaseWatch, type PoolUse } from './driver.ts';
export * from './files.ts';
export * from './jobs.ts';
export * from './live-answers.ts';
export * from './living.ts';
export * from './lost-answers.ts';
export { connectionSettings } from './postgres/driver.ts';
export { PostgresError, told as asDatabase } from './postgres/errors.ts';
export * from './processes.ts';
export * from './quarter-hour.ts';
export * from './ready-query.ts';
export * from './records/index.ts';
export * from './removals.ts';
export * from './secure-delete.ts';
export * from './sqlite/database-file.ts';
export * from './sweep.ts';
export type * from './tables/console-tables.ts';
export type * from './tables/credits-tables.ts';
export type * from './tables/file-tables.ts';
export type * from './tables/index.ts';
export type * from './tables/place-settings-tables.ts';
export type * from './tables/processes-table.ts';
export type * from './tables/turns-table.ts';
export * from './tools/inspect.ts';
export * from './tools/look-into.ts';
export * from './tools/move/index.ts';
export * from './tools/open-alongside.ts';
export * from './tools/restore.ts';
export * from './transactions.ts';
export * from './write-probe.ts';
