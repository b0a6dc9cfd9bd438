import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { type QueryExecutorProvider, sql } from 'kysely';
import { shownUrl } from '../../lib/database-url.ts';
import { randomId } from '../../lib/text.ts';
import { isFault } from '../../secrets/private-files.ts';
import { DatabaseError, explainDatabaseError, isLost, PostgresError } from '../database-error.ts';
import { chunksOf } from '../database-files.ts';
import { type Database, openDatabase, watchedDatabase } from '../database.ts';
import { databaseNow } from '../driver.ts';
import { type FileKind, fileKinds } from '../files.ts';
import { tablesInFile } from '../migrations/index.ts';
import { postgresDialect } from '../postgres/driver.ts';
import { inspectDatabase } from './inspect.ts';

/** What was moved. */
export interface Moved {
  /** How many rows each table had. */
  readonly tables: ReadonlyMap<string, number>;
  readonly files: CopiedFiles;
  /** Sums of the ledger, in millionths of a credit. */
  readonly ledger: { readonly low: number; readonly high: number };
}

export interface Move {
  /** `sqlite:FILE` */
  readonly from: string;
  /** `postgres://…` */
  readonly to: string;
  /** The bot's processes that live on the target. */
  readonly livingOn: (target: Database) => Promise<number>;
}

/**
 * Copies a SQLite database, and the files that wait next to it, to an empty PostgreSQL database: all of it or nothing.
 * The SQLite database stays as it is, but for the changes of tables that any start of this version makes.
 * @throws {DatabaseError} if either can't be used, a bot runs on it, the target isn't empty, or what arrived isn't what
 * was sent; the target is as it was then.
 */
export async function moveToPostgres(move: Move): Promise<Moved> {
  const { from, to } = move;
  const file = from.slice('sqlite:'.length);
  if (!inspectDatabase(from).exists) throw new DatabaseError(`${from}: there is no database`);
  // Claims the file, like a bot: none can start on it meanwhile.
  await using _ = await openDatabase(from);
  await (await openDatabase(to)).destroy();
  // A statement may take as long as it takes.
  const dialect = postgresDialect(to, undefined, { longestStatement: 0, longestWaitForLock: 0 });
  await using target = watchedDatabase(dialect);
  using source = new DatabaseSync(file, { readOnly: true });
  let copied: Moved | undefined;
  try {
    return await target.transaction().execute(async (transaction) => {
      copied = await copy(source, dirname(file), move, transaction);
      return copied;
    });
  } catch (error) {
    if (copied && isLost(error) && (await hasArrived(copied, target, source, to))) return copied;
    throw explainDatabaseError(error, error instanceof PostgresError ? to : from);
  }
}

/** Whether all was committed, although the answer to that was lost; no where that can't be known. */
async function hasArrived(
  copied: Moved,
  target: Database,
  source: DatabaseSync,
  to: string,
): Promise<boolean> {
  const look = async (transaction: Database) => {
    // As long as the commit may still be under way, so are its locks.
    await holdAll(transaction, tablesToMove(source));
    await requireSame(transaction, source, copied, to);
  };
  return target
    .transaction()
    .execute(look)
    .then(
      () => true,
      () => false,
    );
}

async function copy(
  source: DatabaseSync,
  folder: string,
  { to, livingOn }: Move,
  target: Database,
): Promise<Moved> {
  const moved = tablesToMove(source);
  await holdAll(target, moved);
  if ((await livingOn(target)) > 0)
    throw new DatabaseError(`${shownUrl(to)}: a bot is running on it; stop it first`);
  await requireEmpty(target, moved, to);
  // Its one row is made with the table.
  await target.deleteFrom('console_revision').execute();
  const wholeNumbers = await wholeNumbersIn(target);
  const tables = new Map<string, number>();
  for (const table of moved) tables.set(table.name, await copyTable(source, target, table, wholeNumbers));
  const files = await copyFiles(folder, target);
  await requireSame(target, source, { tables, files }, to);
  // A commit is the end: what fails before leaves nothing behind.
  await sql`analyze`.execute(target);
  return { tables, files, ledger: ledgerOf(source) };
}

/** A bot that starts meanwhile waits, or gives up; it writes nothing. */
async function holdAll(target: Database, moved: readonly MovedTable[]): Promise<void> {
  const names = [...moved.map(({ name }) => name), 'processes', 'files', 'file_chunks'];
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(target);
  await sql`lock table ${sql.join(names.map((name) => sql.table(name)))} in exclusive mode`.execute(target);
}

async function requireEmpty(target: Database, moved: readonly MovedTable[], to: string): Promise<void> {
  const names = [...moved.map(({ name }) => name), 'files', 'file_chunks'];
  const full: string[] = [];
  for (const name of names) {
    const least = name === 'console_revision' ? sql`where value > 0` : sql``;
    const { rows } = await sql`select 1 from ${sql.table(name)} ${least} limit 1`.execute(target);
    if (rows.length > 0) full.push(name);
  }
  if (full.length === 0) return;
  throw new DatabaseError(
    `${shownUrl(to)}: it isn’t empty (${full.join(', ')}), and nothing there is overwritten; create another database`,
  );
}

/** Compares what the target has with what the source has, by counts and sums. */
async function requireSame(
  target: Database,
  source: DatabaseSync,
  { tables, files }: Pick<Moved, 'tables' | 'files'>,
  to: string,
): Promise<void> {
  const differing: string[] = [];
  for (const [name, copied] of tables) {
    const counting = `select count(*) as count from "${name}"`;
    const { rows } = await sql<{ count: number }>`${sql.raw(counting)}`.execute(target);
    const there = source.prepare(counting).get()?.count;
    if (rows[0]?.count !== copied || there !== copied) differing.push(name);
  }
  const { rows: sums } = await sql<{ low: number; high: number }>`${sql.raw(ledgerSums)}`.execute(target);
  const { low, high } = ledgerOf(source);
  if (sums[0]?.low !== low || sums[0]?.high !== high) differing.push('the sums of ledger');
  const { rows: kept } = await sql<CopiedFiles>`
    select (select count(*) from files) as count, (select coalesce(sum(length(content)), 0) from file_chunks) as bytes
  `.execute(target);
  if (kept[0]?.count !== files.count || kept[0]?.bytes !== files.bytes) differing.push('files');
  if (differing.length > 0)
    throw new DatabaseError(
      `${shownUrl(to)}: not all has arrived (${differing.join(', ')}); nothing was kept there`,
    );
}

const ledgerSums = 'select coalesce(sum(low), 0) as low, coalesce(sum(high), 0) as high from ledger';

function ledgerOf(source: DatabaseSync): Moved['ledger'] {
  const { low, high } = source.prepare(ledgerSums).get() ?? {};
  return { low: Number(low), high: Number(high) };
}

/**
 * What isn't moved, besides the record of migrations, which the other database has its own of: processes, which have all
 * ended, and their locks; files, which SQLite has in a folder next to it.
 */
const staying = ['processes', 'locks', 'files', 'file_chunks'];

/** A table to move. */
interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The tables of a SQLite database, those that others refer to first. */
function tablesToMove(source: DatabaseSync): readonly MovedTable[] {
  const names = source
    .prepare(tablesInFile)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !staying.includes(name));
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    const referred = source.prepare('select "table" as name from pragma_foreign_key_list(?)').all(name);
    for (const other of referred.map((row) => String(row.name))) if (other !== name) add(other);
    ordered.push(name);
  };
  names.forEach(add);
  const columns = source.prepare('select name from pragma_table_info(?)');
  return ordered.map((name) => ({ name, columns: columns.all(name).map((row) => String(row.name)) }));
}

/** Rows of a statement, at most, and the characters in them from which on it's sent. */
const mostRows = 500;
const enoughText = 4 * 2 ** 20;

type Row = readonly SQLOutputValue[];

/** The columns of the target that hold whole numbers, as `table.column`. */
async function wholeNumbersIn(target: QueryExecutorProvider): Promise<ReadonlySet<string>> {
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
async function copyTable(
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

/** What was copied. */
interface CopiedFiles {
  readonly count: number;
  readonly bytes: number;
}

/** Copies the files of a data folder into the database, as `DatabaseFiles` keeps them; unfinished ones aren't. */
async function copyFiles(folder: string, target: Database): Promise<CopiedFiles> {
  let [count, bytes] = [0, 0];
  for (const kind of fileKinds) {
    for (const id of await filesIn(join(folder, kind))) {
      bytes += await copyFile(join(folder, kind, id), kind, id, target);
      count += 1;
    }
  }
  return { count, bytes };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((one) => one.isFile() && !one.name.endsWith('.part')).map((one) => one.name);
  } catch (error) {
    if (isFault(error, 'ENOENT')) return [];
    throw error;
  }
}

async function copyFile(path: string, kind: FileKind, id: string, target: Database): Promise<number> {
  const key = randomId();
  let size = 0;
  for await (const { start, content } of chunksOf(createReadStream(path))) {
    await target.insertInto('file_chunks').values({ file: key, start, content }).execute();
    size += content.byteLength;
  }
  await target
    .insertInto('files')
    .values({ key, kind, id, size, written_at: databaseNow(target) })
    .execute();
  return size;
}
