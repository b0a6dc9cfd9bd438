import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { PostgresError, unusable } from '../database-error.ts';
import { migrate } from '../migrations/index.ts';
import type { Tables } from '../tables.ts';
import { postgresDialect } from './driver.ts';

/** Tables are made by a connection of its own, which may take as long as it takes, but not wait in others' way. */
export async function preparePostgres(url: string, onBlocked: OnBlocked): Promise<void> {
  const dialect = postgresDialect(url, undefined, { longestStatement: 0, longestWaitForLock });
  const patient = new Kysely<Tables>({ dialect });
  try {
    await checkServer(patient, url);
    await waitForLocks(patient, () => migrate(patient, url), onBlocked);
  } finally {
    await patient.destroy().catch(() => {});
  }
}

/** The oldest version of PostgreSQL that's allowed for, as the server says it. */
const oldestVersion = 130_000;

/** @throws {DatabaseError} if the bot doesn't work with this server. */
export async function checkServer(database: Kysely<Tables>, url: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; schema: string | null }>`
    select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
      current_schema() as schema`.execute(database);
  const [{ version, encoding, schema } = { version: 0, encoding: '', schema: null }] = rows;
  if (version < oldestVersion) throw unusable(url, 'oldServer');
  if (encoding !== 'UTF8') throw unusable(url, 'encoding');
  if (schema === null) throw unusable(url, 'noSchema');
  if (await isPooled(database)) throw unusable(url, 'pooled');
}

/** How often it's tried whether somebody else gets our connection: other clients of a pooler may be quicker. */
const looksForPooler = 3;

/**
 * Whether a pooler gives a connection that's between two transactions to other clients, as PgBouncer's transaction mode
 * does: what it listens to is lost, and time limits are set for others.
 */
async function isPooled(database: Kysely<Tables>): Promise<boolean> {
  return database.connection().execute(async (one) => {
    for (let looks = 0; looks < looksForPooler; looks++) {
      const ours = await sessionOf(one);
      if ((await database.transaction().execute(sessionOf)) === ours) return true;
    }
    return false;
  });
}

async function sessionOf(database: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ session: number }>`select pg_backend_pid() as session`.execute(database);
  return rows[0]?.session;
}

/**
 * How long a change of a table waits for those who use it, in milliseconds. Whatever running processes want of the table
 * waits behind it meanwhile, and is given up after three seconds.
 */
const longestWaitForLock = 1_000;
/** How long they get on with their work before the next try, in milliseconds. */
const pause = 1_000;
/** How long it waits before it looks for whom, in milliseconds. */
const lookAfter = longestWaitForLock / 2;
/** It's told again after so many tries: about once a minute. */
const triesPerWord = 30;

/** A session of the server that keeps something locked. */
export interface Blocker {
  readonly pid: number;
  readonly application: string;
  readonly user: string;
  /** How long its transaction has lasted, in seconds. */
  readonly seconds: number;
}

/** Told whom a change of the tables waits for. */
export type OnBlocked = (blockers: readonly Blocker[]) => void;

/**
 * Does work that changes tables in one transaction of `database`, whose statements wait for a lock for
 * {@link longestWaitForLock} at most: again, until it gets all of them. A backup may keep them for hours; what uses the
 * tables goes on in between.
 */
async function waitForLocks(
  database: QueryExecutorProvider,
  work: () => Promise<void>,
  onBlocked: OnBlocked,
): Promise<void> {
  for (let tries = 0; ; tries++) {
    let blockers: readonly Blocker[] = [];
    const done = new AbortController();
    const look = async () => {
      await wait(lookAfter, undefined, { signal: done.signal });
      blockers = await blockersIn(database);
    };
    // It's only told.
    const looked = look().catch(() => {});
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PostgresError) || error.state !== lockNotAvailable) throw error;
      await looked;
      if (tries % triesPerWord === 0) onBlocked(blockers);
      await wait(pause);
    } finally {
      done.abort();
    }
  }
}

const lockNotAvailable = '55P03';

/** Who keeps locked what a change of tables waits for: that asks for stronger locks than any other work. */
async function blockersIn(database: QueryExecutorProvider): Promise<readonly Blocker[]> {
  const { rows } = await sql<Blocker>`
    select pid, coalesce(application_name, '') as application, coalesce(usename, '') as user,
      coalesce(extract(epoch from now() - xact_start), 0)::integer as seconds
    from pg_stat_activity where pid in (
      select unnest(pg_blocking_pids(pid)) from pg_locks
      where not granted and locktype = 'relation' and mode in ('AccessExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock')
        and database = (select oid from pg_database where datname = current_database()))`.execute(database);
  return rows;
}
