import type { OwnConnection } from './own-connection.ts';

/** The number of a process's own lock, of its id in SQL: 64 bits, the same in every version. */
const lockOf = (id: string) =>
  `('x' || left(encode(sha256(convert_to('process ' || ${id}, 'UTF8')), 'hex'), 16))::bit(64)::bigint`;

/** Whether somebody holds it: `pg_locks` keeps the halves of a number apart. */
export const isPresent = (id: string) => `exists (
  select from pg_locks
  where granted and locktype = 'advisory' and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = ${lockOf(id)})`;

/**
 * Holds a process's own lock in every session of its own connection, so that others see at once when that ends, as it
 * does when the process dies. It's a hint: it says nothing of a process that hangs, or whose machine is gone. Whether a
 * process lives is decided by its lease. Shared, because PostgreSQL may still take a former session for alive.
 */
export function showPresence(connection: OwnConnection, process: string): void {
  connection.onSession(async (session) => {
    await session.query(`select pg_advisory_lock_shared(${lockOf('$1::text')})`, [process]);
  });
}
