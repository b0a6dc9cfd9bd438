import type Keyv from 'keyv';
import type { Clock } from '../../lib/clock.ts';
import {
  type Address,
  adapterOf,
  isSamePerson,
  type Locale,
  type Operator,
  type Person,
  type PlatformAdapters,
  type PlatformName,
  refusalOf,
} from '../../port/index.ts';
import type { Records } from '../../store/index.ts';
import { words } from '../../words/index.ts';

/** An operator's language is forgotten after so long, in milliseconds. */
const localeLife = 90 * 86_400_000;

interface OperatorsDependencies {
  /** `OPERATORS`; empty if it's not set. */
  readonly chosen: readonly Operator[];
  /** Where operators' languages are kept. */
  readonly notes: Keyv;
  readonly clock: Clock;
}

/** Who runs the bot: the people that `OPERATORS` names; if it's not set, those that each platform names. */
export class Operators {
  readonly #dependencies: OperatorsDependencies;
  readonly #named = new Map<PlatformName, RefreshedValue<readonly Operator[]>>();

  constructor(dependencies: OperatorsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds a platform that can name its operators; it's asked if `OPERATORS` isn't set. */
  add(platform: PlatformName, ask: () => Promise<readonly Operator[]>): void {
    this.#named.set(platform, new RefreshedValue(ask, this.#dependencies.clock));
  }

  /** All operators, platform by platform. A platform that can't be asked rejects. */
  groups(): readonly Promise<readonly Operator[]>[] {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return [Promise.resolve(chosen)];
    return [...this.#named.values()].map((named) => named.get());
  }

  /** The operators on a platform. @throws if the platform can't be asked and has never answered. */
  async on(platform: PlatformName): Promise<readonly Operator[]> {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return chosen.filter((operator) => operator.platform === platform);
    return (await this.#named.get(platform)?.get()) ?? [];
  }

  /** Whether somebody runs the bot, as far as is known without asking. */
  includes({ id }: Pick<Person, 'id'>, at: Address): boolean {
    return this.#find(id, at) !== undefined;
  }

  /** Notes an operator's language, for notices they didn't ask for. */
  async see(person: Person, at: Address): Promise<void> {
    const operator = this.#find(person.id, at);
    if (!operator || (await this.localeOf(operator)) === person.locale) return;
    await this.#dependencies.notes.set(noteOf(operator), person.locale, localeLife);
  }

  /** The language an operator last used; English if it's unknown. */
  async localeOf(operator: Operator): Promise<Locale> {
    return (await this.#dependencies.notes.get<Locale>(noteOf(operator))) ?? 'en';
  }

  #find(id: string, at: Address): Operator | undefined {
    const { chosen } = this.#dependencies;
    const known = chosen.length > 0 ? chosen : (this.#named.get(at.platform)?.known ?? []);
    return known.find((operator) => isSamePerson(operator, id, at));
  }
}

/** Identifies an operator. */
export function operatorKey({ platform, workspace, person }: Operator): string {
  return `${platform} ${workspace} ${person}`;
}

function noteOf(operator: Operator): string {
  return `operator ${operatorKey(operator)}`;
}

/** For how long an operator counts as told, in milliseconds: a little less than the time between two notices. */
const toldFor = 3_590_000;

/** The sentences operators get about the key. */
type OperatorSentences = ReturnType<typeof words>['spending']['tellOperator'];

export interface OperatorNoticesDependencies {
  readonly operators: Pick<Operators, 'localeOf'>;
  readonly adapters: PlatformAdapters;
  /** Shared by all processes, each of which runs into the same trouble. */
  readonly notes: Pick<Records, 'add' | 'delete'>;
  readonly log: { warn(data: object, message: string): void };
}

/** A notice for operators: each gets it as a direct message, once, however many tries that takes. */
export class OperatorNotices {
  readonly #dependencies: OperatorNoticesDependencies;
  readonly #sentence: (say: OperatorSentences) => string;
  readonly #key: string;
  /** Of the same kind an operator gets only one an hour, from whichever process; undefined: from each that sends it. */
  readonly #kind: string | undefined;
  /** Operators who have it, or can't get it for good. */
  readonly #done = new Set<string>();

  /** `key` tells the notice apart from others wherever it's posted. */
  constructor(
    dependencies: OperatorNoticesDependencies,
    sentence: (say: OperatorSentences) => string,
    key: string,
    kind?: string,
  ) {
    this.#dependencies = dependencies;
    this.#sentence = sentence;
    this.#key = key;
    this.#kind = kind;
  }

  /** Sends it to those who don't have it yet. False if somebody has to be tried again. */
  async send(operators: readonly Operator[], sent?: (operator: Operator) => void): Promise<boolean> {
    const tries = operators.map((operator) => this.#sendTo(operator, sent));
    return (await Promise.all(tries)).every((isDone) => isDone);
  }

  async #sendTo(operator: Operator, sent?: (operator: Operator) => void): Promise<boolean> {
    const key = operatorKey(operator);
    if (this.#done.has(key)) return true;
    const { platform, person } = operator;
    const { notes } = this.#dependencies;
    const note = this.#kind && `operator notice ${this.#kind} ${key}`;
    try {
      if (note === undefined || (await notes.add(note, true, toldFor))) {
        await this.#post(operator);
        sent?.(operator);
      }
    } catch (error) {
      if (note !== undefined) await notes.delete(note).catch(() => {});
      const isFinal = refusalOf(error) !== undefined;
      const facts = { error, platform, person, triedAgain: !isFinal };
      this.#dependencies.log.warn(facts, 'an operator could not be notified about the key');
      if (!isFinal) return false;
    }
    this.#done.add(key);
    return true;
  }

  async #post(operator: Operator): Promise<void> {
    const { operators } = this.#dependencies;
    const { workspace, person } = operator;
    const adapter = adapterOf(this.#dependencies, operator);
    const say = words(await operators.localeOf(operator)).spending.tellOperator;
    const address = await adapter.directMessages(workspace, person);
    await adapter.post(address, { text: `${this.#sentence(say)}\n-# ${say.why}` }, `key:${this.#key}`);
  }
}

/** For how long a value is used before it's fetched again, in milliseconds. */
const freshFor = 3_600_000;
/** After a failed fetch, for how long the latest value is used before the next try; in milliseconds. */
const retryAfter = 60_000;

/** A value that is fetched again once it's old. If that fails, the latest value is used. */
class RefreshedValue<T> {
  readonly #fetch: () => Promise<T>;
  readonly #clock: Clock;
  #current: Promise<T> | undefined;
  /** Until when the current value is used, by the steady clock. */
  #until = 0;
  #latest: { readonly value: T } | undefined;

  constructor(fetch: () => Promise<T>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The latest value, if there is one; fetches nothing. */
  get known(): T | undefined {
    return this.#latest?.value;
  }

  /** The value. @throws if it can't be fetched and never could before. */
  get(): Promise<T> {
    const now = this.#clock.steady();
    if (this.#current && now < this.#until) return this.#current;
    this.#until = now + freshFor;
    this.#current = this.#refresh();
    return this.#current;
  }

  async #refresh(): Promise<T> {
    try {
      const value = await this.#fetch();
      this.#latest = { value };
      return value;
    } catch (error) {
      this.#until = this.#clock.steady() + (this.#latest ? retryAfter : 0);
      if (!this.#latest) throw error;
      return this.#latest.value;
    }
  }
}
