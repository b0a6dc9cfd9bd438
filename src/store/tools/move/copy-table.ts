import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { type QueryExecutorProvider, sql } from 'kysely';
import type { MovedTable } from './tables.ts';

/** Rows of a statement, at most, and the characters in them from which on it's sent. */
const mostRows = 500;
const enoughText = 4 * 2 ** 20;

type Row = readonly SQLOutputValue[];

/** The columns of the target that hold whole numbers, as `table.column`. */
export async function wholeNumbersIn(target: QueryExecutorProvider): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type in ('bigint', 'integer')`.execute(target);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Copies a table's rows in the order in which they were added, a few hundred at a time; a long one is never in memory
 * as a whole. Where the target has whole numbers, others are rounded: SQLite takes any. @returns how many rows there
 * were.
 */
export async function copyTable(
  source: DatabaseSync,
  target: QueryExecutorProvider,
  { name, columns }: MovedTable,
  wholeNumbers: ReadonlySet<string>,
): Promise<number> {
  const isWhole = columns.map((column) => wholeNumbers.has(`${name}.${column}`));
  const storable = (value: SQLOutputValue, index: number) =>
    isWhole[index] && typeof value === 'number' ? Math.round(value) : value;
  let count = 0;
  for (const rows of batches(source, name, columns)) {
    const values = rows.map((row) => sql`(${sql.join(row.map(storable))})`);
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((one) => sql.ref(one)))})
      values ${sql.join(values)}`.execute(target);
    count += rows.length;
  }
  return count;
}

function* batches(
  source: DatabaseSync,
  table: string,
  columns: readonly string[],
): Generator<readonly Row[]> {
  const list = columns.map((one) => `"${one}"`).join(', ');
  const statement = source.prepare(`select ${list} from "${table}" order by rowid`);
  let [rows, text]: [Row[], number] = [[], 0];
  for (const found of statement.iterate()) {
    const row = columns.map((column) => found[column] ?? null);
    rows.push(row);
    for (const value of row) text += typeof value === 'string' ? value.length : 0;
    if (rows.length < mostRows && text < enoughText) continue;
    yield rows;
    [rows, text] = [[], 0];
  }
  if (rows.length > 0) yield rows;
}
