import type { types } from '@slack/bolt';
import type { Address } from '../../port/index.ts';
import type { AgentSessions } from './agent-sessions.ts';
import type { SlackApi } from './api.ts';
import type { Edits } from './edits.ts';
import type { Log } from './log.ts';
import { endStream } from './native-stream.ts';
import type { NativeStreams } from './native-streams.ts';
import { isDirect, messageAt, threadOf, timeOf } from './place.ts';
import { type FoundMessage, markOf, type Posts } from './posts.ts';
import type { UnfinishedAnswer, UnfinishedRecords } from './unfinished-records.ts';

interface UnfinishedParts {
  readonly api: SlackApi;
  readonly sessions: AgentSessions;
  readonly streams: NativeStreams;
  readonly posts: Posts;
  readonly edits: Edits;
  readonly records: UnfinishedRecords;
  readonly log: Log;
}

/** Slack's clock may be so far from ours, in milliseconds. */
const clockSlack = 60_000;

/**
 * Answers that are being written, on record from before their first message: a process that dies right after a
 * post, before it knows of it, leaves no message behind that looks as if it still grew.
 */
export class Unfinished {
  readonly #parts: UnfinishedParts;
  readonly #settled = Promise.withResolvers<void>();

  constructor(parts: UnfinishedParts) {
    this.#parts = parts;
  }

  /**
   * Messages in an answer's thread that may be a stream of its own, begun without an answer: those of the bot's
   * that carry no mark yet, and that nobody knows of.
   */
  async unknownStreams({ address, at }: UnfinishedAnswer): Promise<string[]> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    if (thread === undefined || !isDirect(channel)) return [];
    const others = await this.#parts.records.inThread(workspace, channel, thread);
    const known = others.flatMap(({ streams = [] }) => streams);
    const found: string[] = [];
    for await (const message of this.#parts.posts.since(address, at)) {
      if (!mayStream(message) || timeOf(message.ts) < at - clockSlack) continue;
      const isKnown =
        known.includes(message.ts) || this.#parts.streams.isOpen(workspace, channel, message.ts);
      if (!isKnown) found.push(message.ts);
    }
    return found;
  }

  /** Resolves when `settle` is through: until then it may still change what a former process left. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Ends what a former process left: takes the button off, and stops what still streams. Call once. */
  async settle(left: readonly UnfinishedAnswer[]): Promise<void> {
    for (const answer of left) {
      try {
        await this.#settleOne(answer);
        await this.#parts.records.end(answer);
      } catch (error) {
        this.#parts.log.warn({ error }, 'an answer of before could not be ended in Slack');
      }
    }
    this.#settled.resolve();
  }

  /** An answer's messages that carry its button. */
  async *messagesOf({ address, at, key, stop }: UnfinishedAnswer): AsyncGenerator<[Address, FoundMessage]> {
    const { posts } = this.#parts;
    const mark = markOf(address, key);
    for await (const message of posts.since(address, at)) {
      if (hasButton(message, stop)) yield [address, message];
      if (message.metadata?.event_payload?.key !== mark) continue;
      const below = { ...address, ticket: { ...address.ticket, under: message.ts } };
      for await (const reply of posts.since(below, at)) if (hasButton(reply, stop)) yield [below, reply];
    }
  }

  async #settleOne(answer: UnfinishedAnswer): Promise<void> {
    const { api, edits, sessions } = this.#parts;
    const streams = [...(answer.streams ?? []), ...(await this.unknownStreams(answer))];
    for (const ts of new Set(streams)) await endStream(api, answer.address, ts);
    for await (const [address, message] of this.messagesOf(answer)) {
      await edits.edit(messageAt(address, message.ts), withoutButtons(message));
    }
    await sessions.settle(answer.address);
  }
}

function hasButton({ blocks = [] }: FoundMessage, stop: string): boolean {
  return blocks.some(
    (block) =>
      block.type === 'actions' &&
      block.elements.some((element) => 'action_id' in element && element.action_id === stop),
  );
}

function mayStream({ bot_id, metadata, files = [], streaming_state: state }: FoundMessage): boolean {
  const isOwn = bot_id !== undefined && metadata === undefined && files.length === 0;
  return isOwn && (state === undefined || state === 'in_progress');
}

/** A message as it stands, less its buttons. */
function withoutButtons({ text = '', blocks = [] }: FoundMessage) {
  const rest: types.KnownBlock[] = blocks.filter(({ type }) => type !== 'actions');
  const shown: types.KnownBlock[] = rest.length > 0 ? rest : [{ type: 'markdown', text: text || '…' }];
  return { text: text.slice(0, 3_000) || '…', blocks: shown };
}
