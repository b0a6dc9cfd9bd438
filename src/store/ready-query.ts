import type { Compilable, QueryResult } from 'kysely';
import type { Database } from './database.ts';

/**
 * A query that every command makes: built and compiled once, which takes longer than running it. Values are passed in
 * the order in which they occur in the query.
 */
export function readyQuery<Row>(
  database: Database,
  query: Compilable<Row>,
): (...values: readonly unknown[]) => Promise<QueryResult<Row>> {
  const compiled = query.compile();
  return (...parameters) => database.executeQuery({ ...compiled, parameters });
}
