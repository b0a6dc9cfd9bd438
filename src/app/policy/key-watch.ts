import { waitAfter } from '../../lib/backoff.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Operator, PlatformAdapters } from '../../port/index.ts';
import type { KeyTrouble, ServiceClient } from '../../service/index.ts';
import { OperatorNotices } from './operator-notices.ts';
import { type Operators, operatorKey } from './operators.ts';

/** So often a refused key is tried again, in milliseconds; it costs nothing. */
const askAgainEvery = 30_000;
/** The same trouble is told again after so long, where it was not mended meanwhile, in milliseconds. */
const tellAgainAfter = 86_400_000;
/**
 * Trouble of a kind is told at most once in so long, in milliseconds: an account that can still pay for what is cheap has
 * it anew with everything dear.
 */
const quietFor = 3_600_000;
/** Waits until those who couldn't be told are tried again, in milliseconds. */
const waits = { first: 30_000, longest: 600_000 };
/** While trouble lasts, somebody may become an operator: who they are is looked at so often, in milliseconds. */
const lookAgainEvery = 3_600_000;

export interface KeyWatchDependencies {
  readonly service: Pick<ServiceClient, 'key' | 'voices'>;
  readonly operators: Pick<Operators, 'groups' | 'localeOf'>;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>;
}

/**
 * Watches over the service's key: tells operators of trouble once, directly, and sees by itself when it is over. Those
 * who can't be reached are tried again while it lasts.
 */
export class KeyWatch {
  readonly #dependencies: KeyWatchDependencies;
  readonly #stop = new AbortController();
  #cancel = () => {};
  #told: { readonly kind: KeyTrouble['kind']; readonly at: number } | undefined;
  /** When somebody was told of trouble of a kind last, by the steady clock. */
  readonly #toldLast = new Map<KeyTrouble['kind'], number>();
  /** Who knows of trouble, and is told when it's over. */
  readonly #knowing = new Map<string, Operator>();
  /** What is being told, so that stopping can wait for it, and newer news can come after it. */
  #telling: Promise<void> = Promise.resolve();
  #stopTelling = new AbortController();

  constructor(dependencies: KeyWatchDependencies) {
    this.#dependencies = dependencies;
    dependencies.service.key.onChange = (trouble) => this.#changed(trouble);
  }

  /** Why the service cannot be worked with, for `/readyz`. */
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
    this.#stopTelling.abort(new Error('shutting down'));
    await this.#telling;
  }

  #changed(trouble: KeyTrouble | undefined): void {
    const { log, clock } = this.#dependencies;
    if (!trouble) {
      log.info({}, 'the key is accepted and can pay again');
      const at = clock.now();
      if (this.#told) this.#tell((signal) => this.#tellMended(at, signal));
      this.#told = undefined;
      return;
    }
    const { kind, since } = trouble;
    log.error(
      { trouble: kind },
      kind === 'refused' ? 'the key is not accepted' : 'the account has no credits',
    );
    if (kind === 'refused') this.#askAgainLater();
    const isNews = this.#told?.kind !== kind || clock.steady() > this.#told.at + tellAgainAfter;
    if (!isNews) return;
    this.#told = { kind, at: clock.steady() };
    this.#tell((signal) => this.#tellTrouble({ kind, since }, signal));
  }

  #askAgainLater(): void {
    const { service, clock } = this.#dependencies;
    this.#cancel();
    this.#cancel = clock.after(askAgainEvery, () => {
      const asked = service.voices.list({ priority: 'background', signal: this.#stop.signal });
      // Whatever comes of it, the key's health knows by now.
      const next = () => {
        if (service.key.trouble?.kind === 'refused' && !this.#stop.signal.aborted) this.#askAgainLater();
      };
      asked.then(next, next);
    });
  }

  /** Tells the latest news in the place of what is still being told. */
  #tell(news: (signal: AbortSignal) => Promise<void>): void {
    this.#stopTelling.abort(new Error('there is newer news'));
    this.#stopTelling = new AbortController();
    const { signal } = this.#stopTelling;
    this.#telling = this.#telling
      .then(() => news(signal))
      .catch((error: unknown) => {
        if (!signal.aborted)
          this.#dependencies.log.warn({ error }, 'operators could not be told about the key');
      });
  }

  /** Goes on until the signal says that there is other news. */
  async #tellTrouble({ kind, since }: KeyTrouble, signal: AbortSignal): Promise<void> {
    const { clock, operators, log } = this.#dependencies;
    const quiet = (this.#toldLast.get(kind) ?? Number.NEGATIVE_INFINITY) + quietFor - clock.steady();
    if (quiet > 0) await sleep(clock, quiet, signal);
    const news = new OperatorNotices(this.#dependencies, (say) => say[kind], `${kind}:${since}`);
    const told = (operator: Operator) => {
      this.#toldLast.set(kind, clock.steady());
      this.#knowing.set(operatorKey(operator), operator);
    };
    let anybody = false;
    const tellGroup = async (group: Promise<readonly Operator[]>) => {
      try {
        const people = await group;
        anybody ||= people.length > 0;
        return await news.tell(people, told);
      } catch (error) {
        log.warn({ error }, 'a platform could not say who runs this bot');
        return false;
      }
    };
    for (let failed = 0; !signal.aborted; ) {
      // One platform that is away keeps nobody else from being told.
      const settled = (await Promise.all(operators.groups().map(tellGroup))).every(Boolean);
      if (settled && !anybody)
        log.warn({}, 'nobody is known to run this bot, so nobody is told: set OPERATORS');
      failed = settled ? 0 : failed + 1;
      await sleep(clock, settled ? lookAgainEvery : waitAfter(failed, waits), signal);
    }
  }

  /** Those who know of the trouble are told that it's over; where it's back before they could be, they still know of it. */
  async #tellMended(at: number, signal: AbortSignal): Promise<void> {
    const news = new OperatorNotices(this.#dependencies, (say) => say.mended, `mended:${at}`);
    const forget = (operator: Operator) => void this.#knowing.delete(operatorKey(operator));
    const knowing = [...this.#knowing.values()];
    for (let tries = 1; !(await news.tell(knowing, forget)); tries++)
      await sleep(this.#dependencies.clock, waitAfter(tries, waits), signal);
    // Who can't be told for good isn't tried again either.
    knowing.forEach(forget);
  }
}
