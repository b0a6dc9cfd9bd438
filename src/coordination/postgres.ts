import { randomId } from '../lib/text.ts';
import { type Database, expectLiving } from '../store/index.ts';
import type { Coordination } from './coordination.ts';
import { Lease, showPresence } from './lease.ts';
import { LockRows } from './lock-rows.ts';
import { notifySignals, OwnConnection, type OwnConnectionOptions } from './own-connection.ts';
import { sharedSlots, sharedTally } from './rates.ts';

export { countLiving } from './lease.ts';

/**
 * Coordinates processes over their PostgreSQL: by rows of its tables, and by one connection that this process has for
 * itself, for signals. A process that doesn't renew its lease for `deadAfter` milliseconds (8,000 by default) is taken for
 * dead.
 * @throws what PostgreSQL or the network says if the connection can't be opened.
 */
export async function coordinateOverPostgres(
  options: OwnConnectionOptions & { readonly database: Database; readonly deadAfter?: number | undefined },
): Promise<Coordination> {
  const { clock, database, deadAfter } = options;
  const process = randomId();
  const connection = new OwnConnection(options);
  showPresence(connection, process);
  const signals = notifySignals(connection);
  const locks = new LockRows({ process, database, signals, clock });
  const others = new Lease({ process, database, connection, signals, clock, deadAfter });
  await connection.open();
  return {
    process,
    locks,
    signals,
    others,
    untilAlive: others.untilAlive,
    expectLiving: () => expectLiving(database, process),
    slots: sharedSlots(database, clock),
    tally: sharedTally(database),
    close: () => connection.close(),
  };
}
