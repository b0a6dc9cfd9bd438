import type { Clock } from '../../src/clock.ts';
import type { Administrators, KnownAdministrator } from '../../src/place-settings/index.ts';
import { OutletError, type Outlets } from '../../src/port/index.ts';
import type { KeyTrouble, ServiceClient } from '../../src/service/index.ts';
import { words } from '../../src/words/index.ts';

/** So often a refused key is tried again, in milliseconds; it costs nothing. */
const askAgainEvery = 30_000;
/** Who was not seen for so long is not told, in milliseconds. */
const knownFor = 30 * 86_400_000;
/** The same trouble is told again after so long, where it was not mended meanwhile, in milliseconds. */
const tellAgainAfter = 86_400_000;

export interface KeyWatchParts {
  readonly service: Pick<ServiceClient, 'key' | 'voices'>;
  readonly administrators: Administrators;
  readonly outlets: Outlets;
  readonly clock: Clock;
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>;
}

/** Watches over the service's key: tells administrators of trouble once, and sees by itself when it is over. */
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
    const isNews = this.#told?.kind !== kind || clock.now() > this.#told.at + tellAgainAfter;
    if (!isNews) return;
    this.#told = { kind, at: clock.now() };
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
    const { administrators, clock, log } = this.#parts;
    this.#telling = this.#telling
      .then(async () => {
        const known = await administrators.seenSince(clock.now() - knownFor);
        await Promise.all(known.map((administrator) => this.#tellOne(administrator, sentence, key)));
      })
      .catch((error: unknown) => log.warn({ error }, 'administrators could not be told about the key'));
  }

  async #tellOne(
    { person, locale, address }: KnownAdministrator,
    sentence: (say: Sentences) => string,
    key: string,
  ): Promise<void> {
    const { outlets, log } = this.#parts;
    const text = `⚠️ ${sentence(words(locale).spending.tellAdministrator)}`;
    try {
      await outlets(address.platform)?.post(address, { text, mentions: [person] }, `key:${key}`);
    } catch (error) {
      if (!(error instanceof OutletError)) throw error;
      log.warn({ error }, 'an administrator could not be told about the key');
    }
  }
}

type Sentences = ReturnType<typeof words>['spending']['tellAdministrator'];
