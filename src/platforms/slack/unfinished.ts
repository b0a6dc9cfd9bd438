import type { types } from '@slack/bolt';
import type { Address } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import type { Edits } from './edits.ts';
import type { Log } from './log.ts';
import type { Memory } from './memory.ts';
import { messageAt } from './place.ts';
import { type FoundMessage, markOf, type Posts } from './posts.ts';

/** An answer that is being written. */
export interface UnfinishedAnswer {
  readonly address: Address;
  /** When it was begun, in milliseconds since the epoch. */
  readonly at: number;
  /** The key of its first message. */
  readonly key: string;
  /** The id of the button that stops it: by it its messages are known, whatever was not recorded of them. */
  readonly stop: string;
}

interface UnfinishedParts {
  readonly api: SlackApi;
  readonly posts: Posts;
  readonly edits: Edits;
  readonly memory: Memory;
  readonly log: Log;
}

const record = 'unfinished answers';

/**
 * Answers that are being written, on record from before their first message: a process that dies right after a
 * post, before it knows of it, leaves no message behind that looks as if it still grew.
 */
export class Unfinished {
  readonly #parts: UnfinishedParts;
  /** One change of the record after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(parts: UnfinishedParts) {
    this.#parts = parts;
  }

  async begin(answer: UnfinishedAnswer): Promise<void> {
    await this.#change((answers) => ({ ...answers, [answer.stop]: answer }));
  }

  async end({ stop }: Pick<UnfinishedAnswer, 'stop'>): Promise<void> {
    await this.#change(({ [stop]: _, ...others }) => others);
  }

  /** Ends what a former process left: takes the button off, and stops what still streams. */
  async settle(left: readonly UnfinishedAnswer[]): Promise<void> {
    for (const answer of left) {
      try {
        await this.#settleOne(answer);
        await this.end(answer);
      } catch (error) {
        this.#parts.log.warn({ error }, 'an answer of before could not be ended in Slack');
      }
    }
  }

  /** What is on record now: at start, what a former process left. */
  async left(): Promise<readonly UnfinishedAnswer[]> {
    return Object.values((await this.#parts.memory.get<Answers>(record)) ?? {});
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
    const { api, edits } = this.#parts;
    for await (const [address, message] of this.messagesOf(answer)) {
      const { workspace, channel } = address;
      const stream = { channel, ts: message.ts };
      await api.call(workspace, 'chat.stopStream', stream).catch(() => undefined);
      await edits.edit(messageAt(address, message.ts), withoutButtons(message));
    }
  }

  #change(change: (answers: Answers) => Answers): Promise<void> {
    const { memory } = this.#parts;
    const changed = this.#changes.then(async () => {
      const answers = (await memory.get<Answers>(record)) ?? {};
      await memory.set(record, change(answers));
    });
    this.#changes = changed.catch(() => undefined);
    return changed;
  }
}

type Answers = Readonly<Record<string, UnfinishedAnswer>>;

function hasButton({ blocks = [] }: FoundMessage, stop: string): boolean {
  return blocks.some(
    (block) =>
      block.type === 'actions' &&
      block.elements.some((element) => 'action_id' in element && element.action_id === stop),
  );
}

/** A message as it stands, less its buttons; a stream's text is in no block. */
function withoutButtons({ text = '', blocks = [] }: FoundMessage) {
  const rest: types.KnownBlock[] = blocks.filter(({ type }) => type !== 'actions');
  const shown: types.KnownBlock[] = rest.length > 0 ? rest : [{ type: 'markdown', text: text || '…' }];
  return { text: text.slice(0, 3_000) || '…', blocks: shown };
}
