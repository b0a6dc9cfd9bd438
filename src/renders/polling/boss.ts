import { CompiledQuery, type Transaction } from 'kysely';
import { type Db, PgBoss } from 'pg-boss';
import { bossSchema, type Database, type Tables } from '../../store/index.ts';

/** Once a day: pg-boss has nothing to look after, because nothing of it is left behind (see {@link openBoss}). */
const rarely = 86_400;

/** Statements of pg-boss in a transaction of ours. */
export function executorIn(transaction: Pick<Transaction<Tables>, 'executeQuery'>): Db {
  return {
    async executeSql(text, values = []) {
      const { rows } = await transaction.executeQuery(CompiledQuery.raw(text, values));
      // Several statements at once have no rows.
      return { rows: [...(rows ?? [])] };
    },
  };
}

/**
 * Statements of pg-boss on a connection of our pool. Some begin a transaction and end it, all at once: where such a one
 * fails, its connection would go back to the pool in the middle of it.
 */
function executorOn(database: Database): Db {
  return {
    executeSql: (text, values) =>
      database.connection().execute(async (connection) => {
        try {
          return await executorIn(connection).executeSql(text, values);
        } catch (error) {
          await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => {});
          throw error;
        }
      }),
  };
}

/**
 * Opens pg-boss on our pool, with these queues. It's used as a table with an alarm clock: jobs are fetched and deleted
 * in one transaction with the claim of their row. So there's never one in progress that could expire, be retried or be
 * archived, and pg-boss' own supervision stays off. `short`: at most one job of a key waits.
 */
export async function openBoss(
  database: Database,
  queues: readonly string[],
  failed: (error: Error) => void,
): Promise<PgBoss> {
  const boss = new PgBoss({
    db: executorOn(database),
    schema: bossSchema,
    supervise: false,
    schedule: false,
    queueCacheIntervalSeconds: rarely,
    bamIntervalSeconds: rarely,
  });
  // Without a listener it would end the process.
  boss.on('error', failed);
  await boss.start();
  for (const queue of queues)
    if (!(await boss.getQueue(queue))) await boss.createQueue(queue, { policy: 'short' });
  return boss;
}
