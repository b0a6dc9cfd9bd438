import { PostgresAdapter, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/** What SQLite and PostgreSQL say differently. */

/** Whether a database is a PostgreSQL one; otherwise it's SQLite. */
export function isPostgres(database: QueryExecutorProvider): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/** Sorts the rows of `jobs` in the order in which they came. */
export function arrival(database: QueryExecutorProvider): RawBuilder<number> {
  return isPostgres(database) ? sql<number>`number` : sql<number>`rowid`;
}

/** Text in a column that holds JSON; the column must be of {@link jsonType}, and hold nothing that people wrote. */
export function jsonText(column: string, name: string): RawBuilder<string | null> {
  return sql<string | null>`${sql.ref(column)} ->> ${sql.lit(name)}`;
}

/** The type of columns of which {@link jsonText} reads. PostgreSQL can't read JSON with a lone half of an emoji. */
export function jsonType(database: QueryExecutorProvider): RawBuilder<unknown> {
  return isPostgres(database) ? sql`json` : sql`text`;
}

/** The type of columns that are searched by their beginning: sorted by bytes, as SQLite sorts all text. */
export function bytesType(database: QueryExecutorProvider): RawBuilder<unknown> {
  return isPostgres(database) ? sql`text collate "C"` : sql`text`;
}

/**
 * The database's own time in milliseconds since the epoch, `plus` so many, for a query: what several machines compare
 * is never a machine's own clock.
 */
export function databaseNow(database: QueryExecutorProvider, plus = 0): RawBuilder<number> {
  const later = sql.lit(Math.round(plus));
  return isPostgres(database)
    ? sql<number>`((extract(epoch from clock_timestamp()) * 1000)::bigint + ${later})`
    : sql<number>`(cast(unixepoch('subsec') * 1000 as integer) + ${later})`;
}

/** Whether a row was refused because a unique index has its values already: somebody else was quicker. */
export function isDuplicate(error: unknown): boolean {
  const { state, errcode } = (error ?? {}) as { readonly state?: unknown; readonly errcode?: unknown };
  return state === '23505' || errcode === 2067;
}

/**
 * Runs work and then removes overwritten and deleted data from the database file, where SQLite otherwise leaves it
 * until it reuses the space. It costs extra writes, so use it only for secrets. PostgreSQL
 * removes it when it next vacuums.
 */
export async function withSecureDelete(
  database: QueryExecutorProvider,
  work: () => Promise<void>,
): Promise<void> {
  if (isPostgres(database)) return work();
  await sql`pragma secure_delete = on`.execute(database);
  try {
    await work();
  } finally {
    await sql`pragma secure_delete = off`.execute(database);
  }
}
