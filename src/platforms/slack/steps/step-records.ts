import type { Locale } from '../../../port/index.ts';
import { type Vault, VaultError } from '../../../secrets/vault.ts';
import type { KeyValueStore } from '../api/key-value-store.ts';
import type { StepSaid } from './step-reply.ts';

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
}

/** Steps under way, kept until Slack knows how each has ended; their tokens are sealed. */
export class StepRecords {
  readonly #store: KeyValueStore;
  readonly #vault: Vault;
  readonly #keys: (prefix: string) => Promise<readonly string[]>;

  constructor(store: KeyValueStore, vault: Vault, keys: (prefix: string) => Promise<readonly string[]>) {
    this.#store = store;
    this.#vault = vault;
    this.#keys = keys;
  }

  async save({ token, ...record }: StepRecord): Promise<void> {
    const sealed = token === undefined ? {} : { token: this.#vault.seal(token, keyOf(record.execution)) };
    await this.#store.set(keyOf(record.execution), { ...record, ...sealed }, lifetime);
  }

  async find(execution: string): Promise<StepRecord | undefined> {
    const stored = await this.#store.get<StepRecord>(keyOf(execution));
    if (stored?.token === undefined) return stored;
    const { token, ...record } = stored;
    try {
      return { ...record, token: this.#vault.open(token, keyOf(execution)) };
    } catch (error) {
      // The bot’s own token may still do.
      if (error instanceof VaultError) return record;
      throw error;
    }
  }

  async remove(execution: string): Promise<void> {
    await this.#store.delete(keyOf(execution));
  }

  /** The executions that haven’t been ended. */
  async all(): Promise<readonly string[]> {
    return (await this.#keys(prefix)).map((key) => key.slice(prefix.length));
  }
}

function keyOf(execution: string): string {
  return `${prefix}${execution}`;
}
