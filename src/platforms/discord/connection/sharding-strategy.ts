import { setImmediate } from 'node:timers/promises';
import { type APIGatewayBotInfo, type IShardingStrategy, SimpleShardingStrategy } from 'discord.js';

/** The library's shard manager, whose type it doesn't export. */
type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/**
 * The library's strategy for shards in this process, with four differences:
 * - The gateway's address isn't asked for again by the client of each shard. Whether log-ins are left is up to the
 *   throttle.
 * - A session is forgotten only after earlier events were handled. When Discord ends a session right after resuming it,
 *   the library forgets it first, and its handler of the resumption throws where nothing catches it.
 * - A destroyed client stays destroyed. The library reconnects a shard that was still connecting when its client was
 *   destroyed; before that it asks for the session to resume, and here gets no answer.
 * - A client that is destroyed while its shard waits for READY is destroyed in the end. What the shard was waiting for
 *   fails then, so that the library destroys the shard once more, and takes from the first time the news that the
 *   connection is closed: here, the second time gets no further than forgetting the session.
 */
export function shardingStrategy(manager: Manager, gateway: APIGatewayBotInfo): IShardingStrategy {
  const { retrieveSessionInfo, updateSessionInfo } = manager.options;
  const strategy = new EndingStrategy(manager);
  manager.options.retrieveSessionInfo = async (shardId) =>
    strategy.ended ? new Promise(() => {}) : retrieveSessionInfo(shardId);
  manager.options.updateSessionInfo = async (shardId, session) => {
    if (session === null && strategy.isEndedAgain(shardId)) return new Promise(() => {});
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
  readonly #endedShards = new Set<number>();

  /** Whether a shard's session has been forgotten since the client was destroyed; true from the second call. */
  isEndedAgain(shardId: number): boolean {
    if (!this.ended) return false;
    const isAgain = this.#endedShards.has(shardId);
    this.#endedShards.add(shardId);
    return isAgain;
  }

  override spawn(shardIds: number[]): Promise<void> {
    this.ended = false;
    this.#endedShards.clear();
    return super.spawn(shardIds);
  }

  override destroy(options?: Parameters<SimpleShardingStrategy['destroy']>[0]): Promise<void> {
    this.ended = true;
    return super.destroy(options);
  }
}
