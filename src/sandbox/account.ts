import type { Clock } from '../lib/clock.ts';
import { PromptCache } from './chat/prompt-cache.ts';
import type { ReadPrompt } from './directives.ts';
import { type Fault, type FaultyOperation, type PlannedFault, takeFaults } from './faults.ts';
import { RateLimits } from './http/rate-limits.ts';
import { Meter } from './meter.ts';
import type { Switches } from './switches.ts';
import { type TaskKeeper, Tasks } from './tasks/tasks.ts';

const maxRemembered = 500;

/** Everything the sandbox keeps for one key. */
export class Account {
  switches: Switches;
  meter = new Meter();
  readonly rates: RateLimits;
  readonly tasks: Tasks;
  readonly promptCache: PromptCache;
  /** Faults planned through the control address, first come first served. */
  readonly planned: PlannedFault[] = [];
  /** Texts for the next chat answers, word for word. */
  readonly answers: string[] = [];
  /** Answers written so far, so that the same question gets another answer the next time. */
  chats = 0;
  readonly #happened = new Set<string>();

  constructor(clock: Clock, switches: Switches, keeper?: TaskKeeper) {
    this.switches = switches;
    this.tasks = new Tasks(keeper);
    this.rates = new RateLimits(clock);
    this.promptCache = new PromptCache(clock);
  }

  /** What goes wrong in this request: what was planned, and what the words in its prompt ask for. */
  faults(operation: FaultyOperation, prompt?: ReadPrompt): Fault[] {
    const asked = prompt?.found.filter(
      ({ words, once }) => !once || this.#happensFirst(`${operation} ${words} ${prompt.text}`),
    );
    return [...takeFaults(this.planned, operation), ...(asked ?? []).map((one) => one.fault)];
  }

  #happensFirst(event: string): boolean {
    const name = event.slice(0, 200);
    if (this.#happened.has(name)) return false;
    this.#happened.add(name);
    if (this.#happened.size > maxRemembered) this.#happened.delete([...this.#happened.keys()][0] ?? '');
    return true;
  }
}

const maxAccounts = 200;

/** Gives the keeper of the tasks of a key. */
export type TaskKeepers = (key: string) => TaskKeeper | undefined;

/** The accounts by key. Of a key unused the longest, when there are too many, everything is forgotten. */
export class Accounts {
  readonly #clock: Clock;
  readonly #switches: Switches;
  readonly #keepers: TaskKeepers;
  readonly #byKey = new Map<string, Account>();

  /** `switches` is what every new account starts with, and what a reset of its switches goes back to. */
  constructor(clock: Clock, switches: Switches, keepers: TaskKeepers = () => undefined) {
    this.#clock = clock;
    this.#switches = switches;
    this.#keepers = keepers;
  }

  get(key: string): Account {
    const account = this.#byKey.get(key) ?? new Account(this.#clock, this.#switches, this.#keepers(key));
    this.#byKey.delete(key);
    this.#byKey.set(key, account);
    if (this.#byKey.size > maxAccounts) this.#forgetOldest();
    return account;
  }

  /** Takes back everything that was switched, planned or set for an account. */
  reset(account: Account): void {
    account.switches = this.#switches;
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
