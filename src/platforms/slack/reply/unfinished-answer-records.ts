import { KeyedQueue } from '../../../lib/keyed-queue.ts';
import type { Address } from '../../../port/index.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import { threadOf } from '../post/address.ts';

/** An answer that is being written. */
export interface UnfinishedAnswer {
  readonly address: Address;
  /** When it was begun, in milliseconds since the epoch. */
  readonly at: number;
  /** The key of its first message. */
  readonly key: string;
  /** The id of its Stop button: messages that weren’t recorded are found by it. */
  readonly stop: string;
  /** Its streams, which have no button. */
  readonly streams?: readonly string[];
}

/** A record for each answer that is being written: a change costs the same however many there are. */
export class UnfinishedAnswerRecords {
  readonly #store: KeyValueStore;
  readonly #keys: (prefix: string) => Promise<readonly string[]>;
  /** One change at a time for each record, so that none gets lost. */
  readonly #changes = new KeyedQueue();

  /** `keys` lists the store’s keys with a prefix. */
  constructor(store: KeyValueStore, keys: (prefix: string) => Promise<readonly string[]>) {
    this.#store = store;
    this.#keys = keys;
  }

  begin(answer: UnfinishedAnswer): Promise<void> {
    return this.#changes.run(answer.stop, async () => {
      await this.#store.set(keyOf(answer), answer);
    });
  }

  end(answer: UnfinishedAnswer): Promise<void> {
    return this.#changes.run(answer.stop, async () => {
      await this.#store.delete(keyOf(answer));
    });
  }

  /** Records a stream of an answer. */
  noteStream(answer: UnfinishedAnswer, ts: string): Promise<void> {
    return this.#changes.run(answer.stop, async () => {
      const noted = await this.#store.get<UnfinishedAnswer>(keyOf(answer));
      if (!noted) return;
      await this.#store.set(keyOf(answer), { ...noted, streams: [...(noted.streams ?? []), ts] });
    });
  }

  /** All unfinished answers. */
  async all(): Promise<UnfinishedAnswer[]> {
    await this.#takeOver();
    return this.#read(`${prefix} `);
  }

  /** The unfinished answers in a thread. */
  inThread(workspace: string, channel: string, thread: string): Promise<UnfinishedAnswer[]> {
    return this.#read(`${prefix} ${workspace} ${channel} ${thread} `);
  }

  /** Takes over from an earlier version, which kept all in one record. */
  async #takeOver(): Promise<void> {
    const left = await this.#store.get<Readonly<Record<string, UnfinishedAnswer>>>(formerKey);
    if (!left) return;
    for (const answer of Object.values(left)) await this.begin(answer);
    await this.#store.delete(formerKey);
  }

  async #read(begin: string): Promise<UnfinishedAnswer[]> {
    const keys = await this.#keys(begin);
    const answers = await Promise.all(keys.map((key) => this.#store.get<UnfinishedAnswer>(key)));
    return answers.filter((answer) => answer !== undefined);
  }
}

const prefix = 'unfinished-answer';
const formerKey = 'unfinished answers';

function keyOf({ address, stop }: UnfinishedAnswer): string {
  const { workspace, channel } = address;
  return [prefix, workspace, channel, threadOf(address) ?? '', stop].join(' ');
}
