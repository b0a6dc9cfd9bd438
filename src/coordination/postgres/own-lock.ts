import { lockNumber } from './lock-number.ts';
import type { OwnConnection, Session } from './own-connection.ts';

/** The lock that a process holds as long as it lives. */
export function lockOfProcess(process: string): string {
  return lockNumber(`process ${process}`);
}

/**
 * Holds a process's own lock in every session of its connection. A former session that PostgreSQL still takes for
 * alive, after the network was cut, is ended: its locks are this process's own.
 */
export function holdOwnLock(connection: OwnConnection, process: string): void {
  const lock = lockOfProcess(process);
  connection.onSession(async (session) => {
    const { rows } = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lock,
    ]);
    if (rows[0]?.taken) return;
    await endHolder(session, lock);
    await session.query('select pg_advisory_lock($1)', [lock]);
  });
}

async function endHolder(session: Session, lock: string): Promise<void> {
  await session.query(`select pg_terminate_backend(pid) from pg_locks where ${isLock} = $1`, [lock]);
}

/** The number of an advisory lock of this database in `pg_locks`, which keeps its halves apart. */
export const isLock = `
  case when locktype = 'advisory' and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())
    then ((classid::bigint << 32) | objid::bigint)::text end`;
