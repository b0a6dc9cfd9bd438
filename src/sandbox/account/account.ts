import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { RateGroup } from '../../service-rules/limits.ts';
import { PromptCache } from '../chat/tokens.ts';
import {
  type Fault,
  type FaultyOperation,
  type PlannedFault,
  type ReadPrompt,
  takeFaults,
} from '../faults/faults.ts';
import { Tasks, type TaskStorage } from '../tasks/tasks.ts';
import type { Behavior } from './behavior.ts';
import { Meter } from './meter.ts';

const maxRemembered = 500;
const rateWindow = 60_000;

/** The state of one API key. */
export class Account {
  behavior: Behavior;
  meter = new Meter();
  readonly tasks: Tasks;
  readonly promptCache: PromptCache;
  /** Faults planned through the control endpoint, in order. */
  readonly planned: PlannedFault[] = [];
  /** Texts of the next chat answers. */
  readonly answers: string[] = [];
  /** Number of answers so far, so that the same question gets a different answer next time. */
  chats = 0;
  readonly #clock: Clock;
  readonly #seen = new BoundedMap<string, true>({ most: maxRemembered });
  /** When requests were admitted in the last minute. */
  readonly #admitted = new Map<RateGroup, number[]>();

  constructor(clock: Clock, behavior: Behavior, storage?: TaskStorage) {
    this.#clock = clock;
    this.behavior = behavior;
    this.tasks = new Tasks(storage);
    this.promptCache = new PromptCache(clock);
  }

  /**
   * Counts a request against a rate limit (service description, section 8) and returns 0, or returns the milliseconds
   * to wait; refused requests don't count. A sliding window is the strictest reading of "requests per minute".
   */
  admit(group: RateGroup, perMinute: number): number {
    const now = this.#clock.now();
    const recent = (this.#admitted.get(group) ?? []).filter((time) => time > now - rateWindow);
    this.#admitted.set(group, recent);
    const oldest = recent[recent.length - perMinute];
    if (oldest !== undefined) return oldest + rateWindow - now;
    recent.push(now);
    return 0;
  }

  /** The faults of a request: planned ones, and those of directives in its prompt. */
  faults(operation: FaultyOperation, prompt?: ReadPrompt): Fault[] {
    const directed = prompt?.found.filter(
      ({ words, once }) => !once || this.#isFirst(`${operation} ${words} ${prompt.text}`),
    );
    return [...takeFaults(this.planned, operation), ...(directed ?? []).map(({ fault }) => fault)];
  }

  #isFirst(event: string): boolean {
    const name = event.slice(0, 200);
    if (this.#seen.has(name)) return false;
    this.#seen.set(name, true);
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
    const [oldest] = this.#byKey;
    if (this.#byKey.size > maxAccounts && oldest) {
      this.#byKey.delete(oldest[0]);
      oldest[1].tasks.forgetAll();
    }
    return account;
  }

  /** Resets an account's behavior, planned faults and answers. */
  reset(account: Account): void {
    account.behavior = this.#defaults;
    account.planned.length = 0;
    account.answers.length = 0;
  }
}
