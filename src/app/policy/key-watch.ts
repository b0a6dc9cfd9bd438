import { type Clock, sleep, spread, waitAfter } from '../../lib/clock.ts';
import type { Operator, PlatformAdapters } from '../../port/index.ts';
import type { KeyTrouble, ServiceClient } from '../../service/index.ts';
import {
  OperatorNotices,
  type OperatorNoticesDependencies,
  type Operators,
  operatorKey,
} from './operators.ts';

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

export interface KeyWatchDependencies {
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
    for (let failed = 0; !signal.aborted; ) {
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
