import { setImmediate } from 'node:timers/promises';
import { type APIGatewayBotInfo, type IShardingStrategy, SimpleShardingStrategy } from 'discord.js';

/** The manager below the client: the library exports it under the name of its own. */
type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/**
 * The library's way of running shards in this process, with three things done otherwise.
 * - Where the gateway is, is known already: a client for each shard would ask Discord for it once each. Whether
 *   there are sessions left is the throttle's concern.
 * - A session is forgotten only after what was received before has been handled. Where Discord ends a session right
 *   after resuming it, the library forgets it first, and its handler of the resumption then throws where nothing
 *   catches it.
 * - A client that was thrown away stays away. The library connects a shard anew that was still connecting when its
 *   client was destroyed; before that it asks for the session to resume, and here gets no answer.
 */
export function shardingStrategy(manager: Manager, gateway: APIGatewayBotInfo): IShardingStrategy {
  const { retrieveSessionInfo, updateSessionInfo } = manager.options;
  const strategy = new EndingStrategy(manager);
  manager.options.retrieveSessionInfo = async (shardId) =>
    strategy.ended ? new Promise(() => {}) : retrieveSessionInfo(shardId);
  manager.options.updateSessionInfo = async (shardId, session) => {
    if (session === null) await setImmediate();
    await updateSessionInfo(shardId, session);
  };
  const { total, ...limit } = gateway.session_start_limit;
  const known = { ...gateway, session_start_limit: { ...limit, total, remaining: total } };
  manager.options.rest.get = async () => known;
  return strategy;
}

class EndingStrategy extends SimpleShardingStrategy {
  ended = false;

  override spawn(shardIds: number[]): Promise<void> {
    this.ended = false;
    return super.spawn(shardIds);
  }

  override destroy(options?: Parameters<SimpleShardingStrategy['destroy']>[0]): Promise<void> {
    this.ended = true;
    return super.destroy(options);
  }
}
