import { isDeepStrictEqual } from 'node:util';
import type { SessionInfo } from '@discordjs/ws';
import type { KeptSession } from './shard.ts';

/** A shard on record. */
export interface ShardRow extends Partial<KeptSession> {
  readonly id: number;
  readonly count: number;
  /** The process that has it; absent once that has let it go. */
  readonly holder?: string;
  /** The processes to which Discord could send what follows in its session, since that got further or was let go. */
  readonly holders?: readonly string[];
  /** The process that goes on with its session, until what was missed there is on record. */
  readonly catchingUp?: string | undefined;
  /** What its session depends on: with other settings the bot logs in anew. */
  readonly settings?: readonly unknown[];
}

/** The beginning of all their keys. */
export const shardRows = 'gateway session ';

/** How many processes in turn have a session that gets no further: its next event may be what they die of. */
const mostHolders = 3;

/** Where it's on record. */
export function keyOf({ id, count }: Pick<ShardRow, 'id' | 'count'>): string {
  return `${shardRows}${id}/${count}`;
}

/** Those who have had a session since it got as far as this. */
export function holdersAt(
  { sessionId, sequence }: SessionInfo,
  before: ShardRow | undefined,
): readonly string[] {
  const isThere = before?.session?.sessionId === sessionId && sequence <= before.session.sequence;
  return (isThere && before.holders) || [];
}

/** Whether its session is given up. */
export function isStuck(row: ShardRow | undefined): boolean {
  return row?.session !== undefined && (row.holders?.length ?? 0) >= mostHolders;
}

/**
 * The session to go on with, if its settings are still these. One with others stays on record until there is another:
 * Discord may refuse the new ones.
 */
export function keptIn(
  { session, identity, settings: its }: Partial<ShardRow>,
  settings: readonly unknown[],
): KeptSession | undefined {
  return session && identity && isDeepStrictEqual(its, settings) ? { session, identity } : undefined;
}
