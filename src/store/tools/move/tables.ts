import type { DatabaseSync } from 'node:sqlite';

/**
 * What isn't moved: the record of migrations, which the other database has its own of; processes, which have all ended,
 * and their locks; files, which SQLite has in a folder next to it.
 */
const staying = /^(?:kysely_\w+|sqlite_\w+|processes|locks|files|file_chunks)$/;

/** A table to move. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The tables of a SQLite database, those that others refer to first. */
export function tablesToMove(source: DatabaseSync): readonly MovedTable[] {
  const names = source
    .prepare("select name from sqlite_master where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !staying.test(name));
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    const referred = source.prepare('select "table" as name from pragma_foreign_key_list(?)').all(name);
    for (const other of referred.map((row) => String(row.name))) if (other !== name) add(other);
    ordered.push(name);
  };
  names.forEach(add);
  return ordered.map((name) => ({ name, columns: columnsOf(source, name) }));
}

function columnsOf(source: DatabaseSync, table: string): readonly string[] {
  return source
    .prepare('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}
