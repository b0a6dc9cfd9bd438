import { type Clock, sleep } from '../../lib/clock.ts';
import type { ServiceClient, Voice } from '../../service/index.ts';
import { knownVoices } from '../../service-rules/voices.ts';

/** How long a command waits for the service's first list of voices, in milliseconds: platforms give three seconds. */
const firstListPatience = 1_500;

/** The service's voices, from memory: the service is asked from time to time. */
export class VoiceList {
  readonly #service: Pick<ServiceClient, 'voices'>;
  readonly #clock: Clock;
  #refreshing: Promise<void> | undefined;
  #voices: readonly Voice[] = knownVoices.map(({ id, languages }) => ({ id, languages: [...languages] }));
  #isKnownOnly = true;

  constructor(service: Pick<ServiceClient, 'voices'>, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  /** Asks the service for its voices. Rejects where that fails, and keeps the list as it was. */
  refresh(signal?: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#request(signal).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #request(signal: AbortSignal | undefined): Promise<void> {
    const voices = await this.#service.voices.list({ priority: 'background', ...(signal && { signal }) });
    if (voices.length === 0) return;
    this.#voices = voices;
    this.#isKnownOnly = false;
  }

  /** The voices the service has listed; until then, those its description names. */
  get voices(): readonly Voice[] {
    return this.#voices;
  }

  find(id: string | undefined): Voice | undefined {
    return this.voices.find((voice) => voice.id === id);
  }

  /** Whether the service hasn't listed its voices yet. */
  get isKnownOnly(): boolean {
    return this.#isKnownOnly;
  }

  /**
   * False where the service would certainly refuse it. If the service hasn't listed its voices yet, it's asked now, for no
   * longer than a command can wait; until it answers, any id may be a voice.
   */
  async mayHave(id: string): Promise<boolean> {
    const isKnown = () => [...this.#voices, ...knownVoices].some((voice) => voice.id === id);
    if (!isKnown() && this.#isKnownOnly) await this.#firstList();
    return isKnown() || this.#isKnownOnly;
  }

  async #firstList(): Promise<void> {
    const patience = new AbortController();
    const list = this.refresh().catch(() => {});
    const waited = sleep(this.#clock, firstListPatience, patience.signal).catch(() => {});
    await Promise.race([list, waited]);
    patience.abort();
  }
}
