import type Keyv from 'keyv';
import { type Clock, sleep, spread, waitAfter } from '../../lib/clock.ts';
import {
  adapterOf,
  type Address,
  isSamePerson,
  type Locale,
  type Operator,
  type Person,
  type Platform,
  type PlatformAdapters,
  type PlatformName,
  refusalOf,
} from '../../port/index.ts';
import type { KeyTrouble, ServiceClient } from '../../service/index.ts';
import type { Database, Records } from '../../store/index.ts';
import { words } from '../../words/index.ts';

/** An operator's language is forgotten after so long, in milliseconds. */
const localeLife = 90 * 86_400_000;

type AskOperators = Platform['operators'];

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
  readonly #askOf = new Map<PlatformName, AskOperators>();

  constructor(dependencies: OperatorsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Adds a platform that can name its operators; it's asked if `OPERATORS` isn't set. */
  add(platform: PlatformName, ask: AskOperators): void {
    this.#askOf.set(platform, ask);
    this.#named.set(platform, new RefreshedValue(() => ask(), this.#dependencies.clock));
  }

  /** All operators, platform by platform. A platform that can't be asked rejects. */
  groups(): readonly Promise<readonly Operator[]>[] {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return [Promise.resolve(chosen)];
    return [...this.#named.values()].map((named) => named.get());
  }

  /**
   * The operators on a platform; of those that it names itself, for a workspace only those there: anybody may have installed the
   * bot in another. @throws if the platform can't be asked and has never answered.
   */
  async on(platform: PlatformName, workspace?: string): Promise<readonly Operator[]> {
    const { chosen } = this.#dependencies;
    if (chosen.length > 0) return chosen.filter((operator) => operator.platform === platform);
    if (workspace !== undefined) return (await this.#askOf.get(platform)?.(workspace)) ?? [];
    return (await this.#named.get(platform)?.get()) ?? [];
  }

  /** Whether somebody runs the bot, as far as is known without asking. */
  includes({ id }: Pick<Person, 'id'>, at: Address): boolean {
    return this.#find(id, at) !== undefined;
  }

  /** Whether somebody runs the bot; asks the platform where that isn't known. False where it can't be asked. */
  async has(person: Pick<Person, 'id'>, at: Address): Promise<boolean> {
    if (!this.includes(person, at)) await this.on(at.platform).catch(() => []);
    return this.includes(person, at);
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

/** The language in which somebody gave their latest command; if there's none, the one that's known of them as an operator. */
export async function latestLocale(
  of: Operator,
  { database, operators }: { readonly database: Database; readonly operators: Pick<Operators, 'localeOf'> },
): Promise<Locale> {
  const row = await database
    .selectFrom('jobs')
    .select('requester')
    .where('person', '=', of.person)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? (JSON.parse(row.requester) as Person).locale : operators.localeOf(of);
}

/** Identifies an operator. */
function operatorKey({ platform, workspace, person }: Operator): string {
  return `${platform} ${workspace} ${person}`;
}

function noteOf(operator: Operator): string {
  return `operator ${operatorKey(operator)}`;
}

/** For how long an operator counts as told, in milliseconds: a little less than the time between two notices. */
const toldFor = 3_590_000;

/** The sentences operators get about the key. */
type OperatorSentences = ReturnType<typeof words>['spending']['tellOperator'];

interface OperatorNoticesDependencies {
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

/** How often a refused key is checked again, in milliseconds; a check costs nothing. */
const checkEvery = 30_000;
/** After how long operators are reminded of trouble that isn't resolved, in milliseconds. */
const remindAfter = 86_400_000;
/**
 * The shortest time between two notices of the same kind of trouble, in milliseconds: an account that can still pay for
 * cheap calls runs into it again with every expensive one.
 */
const quietFor = 3_600_000;
/** Waits before operators who couldn't be notified are tried again, in milliseconds. */
const waits = { first: 30_000, longest: 600_000 };
/** How often the operators are looked up while trouble lasts, since there may be new ones; in milliseconds. */
const lookUpEvery = 3_600_000;

interface KeyWatchDependencies {
  readonly service: Pick<ServiceClient, 'key' | 'voices'>;
  readonly operators: Pick<Operators, 'groups' | 'localeOf'>;
  readonly adapters: PlatformAdapters;
  readonly notes: OperatorNoticesDependencies['notes'];
  readonly clock: Clock;
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>;
}

/**
 * Watches the service's key. It notifies operators of trouble once, by direct message, and notices by itself when it's
 * resolved. Operators who can't be reached are tried again while the trouble lasts.
 */
export class KeyWatch {
  readonly #dependencies: KeyWatchDependencies;
  readonly #stop = new AbortController();
  #cancel = () => {};
  #notified: { readonly kind: KeyTrouble['kind']; readonly at: number } | undefined;
  /** When operators were last notified of each kind of trouble, by the steady clock. */
  readonly #lastNotified = new Map<KeyTrouble['kind'], number>();
  /** Operators who know of the trouble, and are notified when it's resolved. */
  readonly #informed = new Map<string, Operator>();
  /** The notices under way, so that stopping can wait for them and newer ones can follow. */
  #notifying: Promise<void> = Promise.resolve();
  #stopNotifying = new AbortController();

  constructor(dependencies: KeyWatchDependencies) {
    this.#dependencies = dependencies;
    dependencies.service.key.onChange = (trouble) => this.#changed(trouble);
  }

  /** Why the service can't be used, for `/readyz`; undefined if it can. */
  notReady(): string | undefined {
    const { trouble } = this.#dependencies.service.key;
    if (!trouble) return undefined;
    const since = new Date(trouble.since).toISOString();
    return trouble.kind === 'refused'
      ? `the key is not accepted, since ${since}`
      : `the account has no credits left, since ${since}`;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    this.#dependencies.service.key.onChange = undefined;
    this.#cancel();
    this.#stopNotifying.abort(new Error('shutting down'));
    await this.#notifying;
  }

  #changed(trouble: KeyTrouble | undefined): void {
    const { log, clock } = this.#dependencies;
    if (!trouble) {
      log.info({}, 'the key is accepted and can pay again');
      const at = clock.now();
      if (this.#notified) this.#notify((signal) => this.#notifyResolved(at, signal));
      this.#notified = undefined;
      return;
    }
    const { kind, since } = trouble;
    log.error(
      { trouble: kind },
      kind === 'refused' ? 'the key is not accepted' : 'the account has no credits',
    );
    if (kind === 'refused') this.#checkLater();
    const isNew = this.#notified?.kind !== kind || clock.steady() > this.#notified.at + remindAfter;
    if (!isNew) return;
    this.#notified = { kind, at: clock.steady() };
    this.#notify((signal) => this.#notifyTrouble({ kind, since }, signal));
  }

  #checkLater(): void {
    const { service, clock } = this.#dependencies;
    this.#cancel();
    this.#cancel = clock.after(checkEvery, () => {
      const check = service.voices.list({ priority: 'background', signal: this.#stop.signal });
      // However the check ends, the key's health has seen it.
      const next = () => {
        if (service.key.trouble?.kind === 'refused' && !this.#stop.signal.aborted) this.#checkLater();
      };
      check.then(next, next);
    });
  }

  /** Sends the latest notice, instead of one that is still being sent. */
  #notify(notice: (signal: AbortSignal) => Promise<void>): void {
    this.#stopNotifying.abort(new Error('there is a newer notice'));
    this.#stopNotifying = new AbortController();
    const { signal } = this.#stopNotifying;
    this.#notifying = this.#notifying
      .then(() => notice(signal))
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#dependencies.log.warn({ error }, 'operators could not be notified about the key');
      });
  }

  /** Goes on until there is another notice. */
  async #notifyTrouble({ kind, since }: KeyTrouble, signal: AbortSignal): Promise<void> {
    const { clock, operators, log } = this.#dependencies;
    const quiet = (this.#lastNotified.get(kind) ?? Number.NEGATIVE_INFINITY) + quietFor - clock.steady();
    if (quiet > 0) await sleep(clock, quiet, signal);
    const notices = new OperatorNotices(this.#dependencies, (say) => say[kind], `${kind}:${since}`, kind);
    const notified = (operator: Operator) => {
      this.#lastNotified.set(kind, clock.steady());
      this.#informed.set(operatorKey(operator), operator);
    };
    let anybody = false;
    const notifyGroup = async (group: Promise<readonly Operator[]>) => {
      try {
        const people = await group;
        anybody ||= people.length > 0;
        return await notices.send(people, notified);
      } catch (error) {
        log.warn({ error }, 'a platform could not name its operators');
        return false;
      }
    };
    for (let failed = 0; !signal.aborted;) {
      // One platform that is away doesn't keep the others' operators from being notified.
      const reachedAll = (await Promise.all(operators.groups().map(notifyGroup))).every(Boolean);
      if (reachedAll && !anybody)
        log.warn({}, 'no operators are known, so nobody is notified: set OPERATORS');
      failed = reachedAll ? 0 : failed + 1;
      await sleep(clock, reachedAll ? lookUpEvery : spread(waitAfter(failed, waits), clock), signal);
    }
  }

  /** Operators who know of the trouble are notified that it's resolved. If it's back before that, they still know of it. */
  async #notifyResolved(at: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    const notices = new OperatorNotices(this.#dependencies, (say) => say.mended, `mended:${at}`);
    const forget = (operator: Operator) => void this.#informed.delete(operatorKey(operator));
    const informed = [...this.#informed.values()];
    for (let tries = 1; !(await notices.send(informed, forget)); tries++)
      await sleep(clock, spread(waitAfter(tries, waits), clock), signal);
    // Operators who can't be notified for good aren't tried again.
    informed.forEach(forget);
  }
}
