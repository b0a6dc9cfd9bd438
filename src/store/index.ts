export type * from './console-tables.ts';
export * from './database.ts';
export {
  DatabaseError,
  explainDatabaseError as explained,
  isDatabaseError as isOfDatabase,
  PostgresError,
  told as asDatabase,
  unusable,
} from './database-error.ts';
export * from './database-files.ts';
export {
  DatabaseWatch,
  databaseNow,
  hasTexts,
  isDuplicate,
  isPostgres,
  jsonText,
  jsonType,
  type PoolUse,
  withSecureDelete,
} from './driver.ts';
export * from './files.ts';
export { commandsIn, type GivenCommand } from './job-progress.ts';
export * from './jobs.ts';
export * from './live-answers.ts';
export { connectionSettings, liftLimits } from './postgres/driver.ts';
export * from './processes.ts';
export * from './records.ts';
export * from './removals.ts';
export * from './sqlite/database-file.ts';
export * from './sweep.ts';
export type * from './tables.ts';
export * from './tools/inspect.ts';
export * from './tools/move.ts';
export * from './tools/restore.ts';
export * from './transactions.ts';
