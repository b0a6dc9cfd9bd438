import type { Coordination } from '../../../coordination/index.ts';
import type {
  Address,
  LiveAnswer,
  Locale,
  Message,
  MessageAddress,
  Reply,
  StreamOptions,
} from '../../../port/index.ts';
import { withNote } from '../../../reply/index.ts';
import { type Vault, VaultError } from '../../../secrets/vault.ts';
import type { KeyValueStore, Records } from '../../../store/index.ts';
import { messageAt } from '../post/address.ts';

/** How long a step is remembered, in milliseconds: a render may take a week, and Slack may be away. */
const lifetime = 30 * 86_400_000;
const prefix = 'step ';

/** A step of a workflow that hasn’t been ended yet. */
export interface StepRecord {
  /** `function_execution_id` */
  readonly execution: string;
  readonly workspace: string;
  readonly command: string;
  readonly eventId: string;
  readonly locale: Locale;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
  /** The step’s own token; absent where Slack gave none, or it can’t be opened any more. */
  readonly token?: string;
  /** Why it was refused before anything was done. */
  readonly refused?: string;
  readonly said?: StepSaid;
  /** The process that looks after it; on record. */
  readonly process?: string;
}

interface StepRecordsDependencies {
  readonly store: StepStore;
  /** Seals their tokens. */
  readonly vault: Vault;
  readonly coordination: Pick<Coordination, 'process' | 'others'>;
}

/** Where they're kept. */
type StepStore = KeyValueStore & Pick<Records, 'startingWith'>;

/** Steps under way, kept until Slack knows how each has ended; their tokens are sealed. */
export class StepRecords {
  readonly #store: StepStore;
  readonly #vault: Vault;
  readonly #coordination: StepRecordsDependencies['coordination'];

  constructor({ store, vault, coordination }: StepRecordsDependencies) {
    this.#store = store;
    this.#vault = vault;
    this.#coordination = coordination;
  }

  /** It's this process's from now on. */
  async save({ token, ...record }: StepRecord): Promise<void> {
    const sealed = token === undefined ? {} : { token: this.#vault.seal(token, keyOf(record.execution)) };
    const { process } = this.#coordination;
    await this.#store.set(keyOf(record.execution), { ...record, ...sealed, process }, lifetime);
  }

  async find(execution: string): Promise<StepRecord | undefined> {
    const stored = await this.#store.get<StepRecord>(keyOf(execution));
    return stored && this.#opened(stored);
  }

  #opened(stored: StepRecord): StepRecord {
    if (stored.token === undefined) return stored;
    const { token, ...record } = stored;
    try {
      return { ...record, token: this.#vault.open(token, keyOf(record.execution)) };
    } catch (error) {
      // The bot’s own token may still do.
      if (error instanceof VaultError) return record;
      throw error;
    }
  }

  /** Whether this process looks after it. */
  isOwn({ process }: StepRecord): boolean {
    return process === this.#coordination.process;
  }

  async remove(execution: string): Promise<void> {
    await this.#store.delete(keyOf(execution));
  }

  /** Those that haven’t been ended and that no living process looks after. */
  async abandoned(): Promise<readonly StepRecord[]> {
    const records = await this.#store.startingWith<StepRecord>(prefix);
    // Asked after the records were read: whichever process made one was on record by then.
    const living = records.length > 0 ? await this.#coordination.others.living() : new Set<string>();
    return records
      .filter(({ process }) => process === undefined || !living.has(process))
      .map((record) => this.#opened(record));
  }
}

function keyOf(execution: string): string {
  return `${prefix}${execution}`;
}

/** What a step has said so far. */
export interface StepSaid {
  readonly text: string;
  readonly messages: readonly MessageAddress[];
}

interface StepReplyOptions {
  /** Where the step posts; absent if it only has outputs. */
  readonly posts?: Reply;
  readonly address: Address;
  /** Told of the latest words, and of where they stand. */
  readonly note: (said: StepSaid) => Promise<void>;
}

/** The reply of a workflow’s step: what is said becomes its outputs, and is posted where the step names a channel. */
export class StepReply implements Reply {
  readonly #options: StepReplyOptions;

  constructor(options: StepReplyOptions) {
    this.#options = options;
  }

  async say(message: Message): Promise<MessageAddress> {
    const { posts, address, note } = this.#options;
    const at = await posts?.say(message);
    await note({ text: message.text ?? '', messages: at ? [at] : [] });
    return at ?? messageAt(address, '');
  }

  async replace(said: MessageAddress, message: Message): Promise<void> {
    const { posts, note } = this.#options;
    await posts?.replace(said, message);
    await note({ text: message.text ?? '', messages: posts ? [said] : [] });
  }

  /** Nobody typed anything, so nobody is told alone: it’s what the step says. */
  async whisper({ text = '' }: Message): Promise<void> {
    await this.#options.note({ text, messages: [] });
  }

  async clipFormat() {
    return (await this.#options.posts?.clipFormat?.()) ?? 'mp3';
  }

  stream(options: StreamOptions): LiveAnswer {
    const { posts, note } = this.#options;
    const live = posts?.stream(options) ?? unseenAnswer();
    return {
      append: (delta) => live.append(delta),
      get text() {
        return live.text;
      },
      hint: (text) => live.hint(text),
      async finish(ending) {
        const messages = await live.finish(ending);
        // What somebody deleted isn’t handed on.
        const text = ending.kind === 'withdrawn' ? '' : withNote(live.text, ending);
        await note({ text, messages });
        return messages;
      },
    };
  }
}

/** An answer that nobody sees while it’s written. */
function unseenAnswer(): LiveAnswer {
  let text = '';
  return {
    append(delta) {
      text += delta;
    },
    get text() {
      return text;
    },
    hint() {},
    finish: async () => [],
  };
}
