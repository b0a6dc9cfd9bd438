import type { Clock } from '../../lib/clock.ts';
import { PromptCache } from '../chat/prompt-cache.ts';
import { type Fault, type FaultyOperation, type PlannedFault, takeFaults } from '../faults/faults.ts';
import type { ReadPrompt } from '../faults/prompt-directives.ts';
import { RateLimits } from '../http/rate-limits.ts';
import { type TaskStorage, Tasks } from '../tasks/tasks.ts';
import type { Behavior } from './behavior.ts';
import { Meter } from './meter.ts';

const maxRemembered = 500;

/** The state of one API key. */
export class Account {
  behavior: Behavior;
  meter = new Meter();
  readonly rates: RateLimits;
  readonly tasks: Tasks;
  readonly promptCache: PromptCache;
  /** Faults planned through the control endpoint, in order. */
  readonly planned: PlannedFault[] = [];
  /** Texts of the next chat answers. */
  readonly answers: string[] = [];
  /** Number of answers so far, so that the same question gets a different answer next time. */
  chats = 0;
  readonly #seen = new Set<string>();

  constructor(clock: Clock, behavior: Behavior, storage?: TaskStorage) {
    this.behavior = behavior;
    this.tasks = new Tasks(storage);
    this.rates = new RateLimits(clock);
    this.promptCache = new PromptCache(clock);
  }

  /** The faults of a request: planned ones, and those of directives in its prompt. */
  faults(operation: FaultyOperation, prompt?: ReadPrompt): Fault[] {
    const directed = prompt?.found.filter(
      ({ words, once }) => !once || this.#isFirst(`${operation} ${words} ${prompt.text}`),
    );
    return [...takeFaults(this.planned, operation), ...(directed ?? []).map((one) => one.fault)];
  }

  #isFirst(event: string): boolean {
    const name = event.slice(0, 200);
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    if (this.#seen.size > maxRemembered) this.#seen.delete([...this.#seen.keys()][0] ?? '');
    return true;
  }
}

const maxAccounts = 200;

/** Returns the task storage of a key. */
export type TaskStorages = (key: string) => TaskStorage | undefined;

/** Accounts by key. Beyond 200, the least recently used one is forgotten. */
export class Accounts {
  readonly #clock: Clock;
  readonly #defaults: Behavior;
  readonly #storages: TaskStorages;
  readonly #byKey = new Map<string, Account>();

  /** `defaults` is the behavior of every account, also after a reset. */
  constructor(clock: Clock, defaults: Behavior, storages: TaskStorages = () => undefined) {
    this.#clock = clock;
    this.#defaults = defaults;
    this.#storages = storages;
  }

  get(key: string): Account {
    const account = this.#byKey.get(key) ?? new Account(this.#clock, this.#defaults, this.#storages(key));
    this.#byKey.delete(key);
    this.#byKey.set(key, account);
    if (this.#byKey.size > maxAccounts) this.#forgetOldest();
    return account;
  }

  /** Resets an account's behavior, planned faults and answers. */
  reset(account: Account): void {
    account.behavior = this.#defaults;
    account.planned.length = 0;
    account.answers.length = 0;
  }

  #forgetOldest(): void {
    const [oldest] = this.#byKey;
    if (!oldest) return;
    this.#byKey.delete(oldest[0]);
    oldest[1].tasks.forgetAll();
  }
}
