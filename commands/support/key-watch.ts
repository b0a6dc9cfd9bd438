import type { Clock } from '../../src/clock.ts';
import { type Operator, OutletError, type Outlets } from '../../src/port/index.ts';
import type { KeyTrouble, ServiceClient } from '../../src/service/index.ts';
import { words } from '../../src/words/index.ts';
import type { Operators } from './operators.ts';

/** So often a refused key is tried again, in milliseconds; it costs nothing. */
const askAgainEvery = 30_000;
/** The same trouble is told again after so long, where it was not mended meanwhile, in milliseconds. */
const tellAgainAfter = 86_400_000;

export interface KeyWatchParts {
  readonly service: Pick<ServiceClient, 'key' | 'voices'>;
  readonly operators: Pick<Operators, 'all' | 'localeOf'>;
  readonly outlets: Outlets;
  readonly clock: Clock;
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>;
}

/** Watches over the service's key: tells operators of trouble once, directly, and sees by itself when it is over. */
export class KeyWatch {
  readonly #parts: KeyWatchParts;
  readonly #stop = new AbortController();
  #cancel = () => {};
  #told: { readonly kind: KeyTrouble['kind']; readonly at: number } | undefined;
  /** What is being told, so that stopping can wait for it. */
  #telling: Promise<void> = Promise.resolve();

  constructor(parts: KeyWatchParts) {
    this.#parts = parts;
    parts.service.key.onChange = (trouble) => this.#changed(trouble);
  }

  /** Why the service cannot be worked with, for `/readyz`. */
  notReady(): string | undefined {
    const { trouble } = this.#parts.service.key;
    if (!trouble) return undefined;
    const since = new Date(trouble.since).toISOString();
    return trouble.kind === 'refused'
      ? `the key is not accepted, since ${since}`
      : `the account has no credits left, since ${since}`;
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    this.#parts.service.key.onChange = undefined;
    this.#cancel();
    await this.#telling;
  }

  #changed(trouble: KeyTrouble | undefined): void {
    const { log, clock } = this.#parts;
    if (!trouble) {
      log.info({}, 'the key is accepted and can pay again');
      if (this.#told) this.#tell((say) => say.mended, `mended:${clock.now()}`);
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
    this.#tell((say) => say[kind], `${kind}:${since}`);
  }

  #askAgainLater(): void {
    const { service, clock } = this.#parts;
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

  #tell(sentence: (say: Sentences) => string, key: string): void {
    const { operators, log } = this.#parts;
    this.#telling = this.#telling
      .then(async () => {
        const all = await operators.all();
        if (all.length === 0)
          log.warn({}, 'nobody is known to run this bot, so nobody is told: set OPERATORS');
        await Promise.all(all.map((operator) => this.#tellOne(operator, sentence, key)));
      })
      .catch((error: unknown) => log.warn({ error }, 'operators could not be told about the key'));
  }

  async #tellOne(operator: Operator, sentence: (say: Sentences) => string, key: string): Promise<void> {
    const { operators, outlets, log } = this.#parts;
    const { platform, workspace, person } = operator;
    const say = words(await operators.localeOf(operator)).spending.tellOperator;
    const outlet = outlets(platform);
    try {
      const address = await outlet?.directMessages(workspace, person);
      if (address) await outlet?.post(address, { text: `${sentence(say)}\n-# ${say.why}` }, `key:${key}`);
    } catch (error) {
      if (!(error instanceof OutletError)) throw error;
      log.warn({ error, platform, person }, 'an operator could not be told about the key');
    }
  }
}

type Sentences = ReturnType<typeof words>['spending']['tellOperator'];
