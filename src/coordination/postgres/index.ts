export { countLiving } from './living.ts';

import { randomId } from '../../lib/random-id.ts';
import type { Database } from '../../store/index.ts';
import type { Coordination } from '../coordination.ts';
import { AdvisoryLocks } from './advisory-locks.ts';
import { notifySignals } from './channel.ts';
import { OwnConnection, type OwnConnectionOptions } from './own-connection.ts';
import { holdOwnLock } from './own-lock.ts';
import { sharedSlots } from './shared-slots.ts';
import { Watch } from './watch.ts';

/**
 * Coordinates processes over their PostgreSQL, by one connection that this process has for itself; uses are counted
 * together where the `database` is given, which has the table for that. A process that's away for `deadAfter`
 * milliseconds (8,000 by default) is taken for dead.
 * @throws what PostgreSQL or the network says if the connection can't be opened.
 */
export async function coordinateOverPostgres(
  options: OwnConnectionOptions & { readonly database?: Database; readonly deadAfter?: number | undefined },
): Promise<Coordination> {
  const { clock, database, deadAfter } = options;
  const process = randomId();
  const connection = new OwnConnection(options);
  holdOwnLock(connection, process);
  const signals = notifySignals(connection);
  const locks = new AdvisoryLocks(connection, signals, clock);
  const others = new Watch({ process, connection, signals, clock, deadAfter });
  await connection.open();
  return {
    process,
    locks,
    signals,
    others,
    untilAlive: others.untilAlive,
    ...(database && { slots: sharedSlots(database, clock) }),
    close: () => connection.close(),
  };
}
