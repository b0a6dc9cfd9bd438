import type { Coordination } from '../../../coordination/index.ts';
import { KeyedQueue } from '../../../lib/clock.ts';
import type { Address } from '../../../port/index.ts';
import type { KeyValueStore, Records } from '../../../store/index.ts';
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
  /** The process that writes it, or ends it; on record. */
  readonly process?: string;
}

/** Where they're kept. */
type AnswerStore = KeyValueStore & Pick<Records, 'startingWith'>;

/** A record for each answer that is being written: a change costs the same however many there are. */
export class UnfinishedAnswerRecords {
  readonly #store: AnswerStore;
  readonly #coordination: Pick<Coordination, 'process' | 'others'>;
  /** One change at a time for each record, so that none gets lost. */
  readonly #changes = new KeyedQueue();

  constructor(store: AnswerStore, coordination: Pick<Coordination, 'process' | 'others'>) {
    this.#store = store;
    this.#coordination = coordination;
  }

  /** It's this process's from now on. */
  begin(answer: UnfinishedAnswer): Promise<void> {
    return this.#changes.run(answer.stop, async () => {
      await this.#store.set(keyOf(answer), { ...answer, process: this.#coordination.process });
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

  /** The unfinished answers that no living process has in hand. */
  async abandoned(): Promise<readonly UnfinishedAnswer[]> {
    await this.#adoptFormer();
    const answers = await this.#store.startingWith<UnfinishedAnswer>(`${prefix} `);
    // Asked after the records were read: whichever process made one was on record by then.
    const living = answers.length > 0 ? await this.#coordination.others.living() : new Set<string>();
    return answers.filter(({ process }) => process === undefined || !living.has(process));
  }

  /** The unfinished answers in a thread. */
  inThread(workspace: string, channel: string, thread: string): Promise<readonly UnfinishedAnswer[]> {
    return this.#store.startingWith(inThread(workspace, channel, thread));
  }

  /** Whether another process is writing an answer in a thread, or was when it died. */
  async areElsewhere(address: Address): Promise<boolean> {
    const here = inThread(address.workspace, address.channel, threadOf(address));
    const answers = await this.#store.startingWith<UnfinishedAnswer>(here);
    return answers.some(({ process }) => process !== this.#coordination.process);
  }

  /** How many answers other processes are writing in a workspace that have streams. */
  async streamsElsewhere(workspace: string): Promise<number> {
    const answers = await this.#store.startingWith<UnfinishedAnswer>(`${prefix} ${workspace} `);
    return answers.filter(
      ({ process, streams = [] }) => process !== this.#coordination.process && streams.length > 0,
    ).length;
  }

  /** An earlier version kept all in one record. */
  async #adoptFormer(): Promise<void> {
    const left = await this.#store.get<Readonly<Record<string, UnfinishedAnswer>>>(formerKey);
    if (!left) return;
    for (const answer of Object.values(left)) await this.#store.set(keyOf(answer), answer);
    await this.#store.delete(formerKey);
  }
}

const prefix = 'unfinished-answer';
const formerKey = 'unfinished answers';

function keyOf({ address, stop }: UnfinishedAnswer): string {
  return `${inThread(address.workspace, address.channel, threadOf(address))}${stop}`;
}

function inThread(workspace: string, channel: string, thread = ''): string {
  return [prefix, workspace, channel, thread, ''].join(' ');
}
