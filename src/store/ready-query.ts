import type { Compilable, QueryResult } from 'kysely';
import type { Database } from './database.ts';

/**
 * A query that every command makes: built and compiled once, which takes longer than SQLite takes to answer it. It is
 * given values in the order in which they stand in it.
 */
export function readyQuery<Row>(
  database: Database,
  query: Compilable<Row>,
): (...values: readonly unknown[]) => Promise<QueryResult<Row>> {
  const compiled = query.compile();
  return (...parameters) => database.executeQuery({ ...compiled, parameters });
}
