import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { shownUrl } from '../../../lib/database-url.ts';
import { type Database, openDatabase } from '../../database.ts';
import { DatabaseError, explainDatabaseError } from '../../database-error.ts';
import { postgresDialect } from '../../postgres/driver.ts';
import { PostgresError } from '../../postgres/errors.ts';
import type { Tables } from '../../tables/index.ts';
import { inspectDatabase } from '../inspect.ts';
import { type CopiedFiles, copyFiles } from './copy-files.ts';
import { copyTable, wholeNumbersIn } from './copy-table.ts';
import { type MovedTable, tablesToMove } from './tables.ts';

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
export async function moveToPostgres({ from, to, livingOn }: Move): Promise<Moved> {
  const file = from.slice('sqlite:'.length);
  if (!inspectDatabase(from).exists) throw new DatabaseError(`${from}: there is no database`);
  // Claims the file, like a bot: none can start on it meanwhile.
  const claimed = await openDatabase(from);
  try {
    await (await openDatabase(to)).destroy();
    // A statement may take as long as it takes.
    const target = new Kysely<Tables>({
      dialect: postgresDialect(to, undefined, { longestStatement: 0, longestWaitForLock: 0 }),
    });
    const source = new DatabaseSync(file, { readOnly: true });
    try {
      const moved = await target
        .transaction()
        .execute((transaction) => copy({ source, folder: dirname(file), to, livingOn }, transaction));
      await sql`analyze`.execute(target);
      return moved;
    } catch (error) {
      throw explainDatabaseError(error, error instanceof PostgresError ? to : from);
    } finally {
      source.close();
      await target.destroy();
    }
  } finally {
    await claimed.destroy();
  }
}

interface Copy extends Pick<Move, 'to' | 'livingOn'> {
  readonly source: DatabaseSync;
  readonly folder: string;
}

async function copy({ source, folder, to, livingOn }: Copy, target: Database): Promise<Moved> {
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
