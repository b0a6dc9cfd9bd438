import { setImmediate } from 'node:timers/promises';
import { type IShardingStrategy, SimpleShardingStrategy } from 'discord.js';

/** The manager below the client: the library exports it under the name of its own. */
type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/**
 * All shards in this process, with one thing done otherwise: a session is forgotten only after what was received
 * before has been handled. Where Discord ends a session right after resuming it, the library forgets it first, and
 * its handler of the resumption then throws where nothing catches it.
 */
export function steadySharding(manager: Manager): IShardingStrategy {
  const { updateSessionInfo } = manager.options;
  manager.options.updateSessionInfo = async (shardId, session) => {
    if (session === null) await setImmediate();
    await updateSessionInfo(shardId, session);
  };
  return new SimpleShardingStrategy(manager);
}
