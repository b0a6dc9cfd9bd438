export * from './capabilities.ts';
export type * from './console-tables.ts';
export { type Database, isSilent, openDatabase } from './database.ts';
export {
  DatabaseError,
  explainDatabaseError as explained,
  isDatabaseError as isOfDatabase,
  unusable,
} from './database-error.ts';
export * from './database-files.ts';
export { databaseNow, isDuplicate, isPostgres, jsonText, jsonType, withSecureDelete } from './dialects.ts';
export { DatabaseWatch, type PoolUse } from './driver.ts';
export * from './files.ts';
export * from './jobs.ts';
export * from './live-answers.ts';
export * from './living.ts';
export { connectionSettings } from './postgres/driver.ts';
export { PostgresError, told as asDatabase } from './postgres/errors.ts';
export * from './processes.ts';
export {
  createDrafts,
  createFirstTime,
  type FirstTime,
  openKeyv,
  type Records,
} from './records.ts';
export * from './removals.ts';
export * from './restored.ts';
export * from './sqlite/database-file.ts';
export * from './sweep.ts';
export type * from './tables.ts';
export * from './tools/inspect.ts';
export * from './tools/move.ts';
export * from './tools/restore.ts';
export * from './transactions.ts';
export * from './write-probe.ts';
