import { type Clock, sleep } from '../../lib/clock.ts';
import type { Locale, Suggestion, SuggestionSource } from '../../port/index.ts';
import type { ServiceClient, Voice } from '../../service/index.ts';
import { image } from '../../service-rules/limits.ts';
import { knownVoices } from '../../service-rules/voices.ts';

const languageNames: Record<string, Record<Locale, string>> = {
  'zh-CN': { en: 'Chinese', 'zh-CN': '中文' },
  en: { en: 'English', 'zh-CN': '英文' },
};

/** How long somebody waits for the service's first list of voices, in milliseconds: a platform gives three seconds. */
const firstListPatience = 1_500;

/** What can be typed into an option, from memory: the voices are asked for now and then, not at each key. */
export class Suggestions {
  readonly #service: Pick<ServiceClient, 'voices'>;
  readonly #clock: Clock;
  #asking: Promise<void> | undefined;
  #voices: readonly Voice[] = knownVoices.map(({ id, languages }) => ({ id, languages: [...languages] }));
  #isKnownOnly = true;

  constructor(service: Pick<ServiceClient, 'voices'>, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
  }

  /** Asks the service for its voices; keeps those it has where that fails, and says so by rejecting. */
  refresh(signal?: AbortSignal): Promise<void> {
    this.#asking ??= this.#ask(signal).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(signal: AbortSignal | undefined): Promise<void> {
    const voices = await this.#service.voices.list({ priority: 'background', ...(signal && { signal }) });
    if (voices.length === 0) return;
    this.#voices = voices;
    this.#isKnownOnly = false;
  }

  /** The service's voices, as far as it has told them. */
  get voices(): readonly Voice[] {
    return this.#voices;
  }

  /** Whether these are only the voices its description names: it has told none yet. */
  get isKnownOnly(): boolean {
    return this.#isKnownOnly;
  }

  /**
   * False where the service would certainly refuse it. Where the service has told no voices yet it's asked, and waited
   * for no longer than a command can wait: a voice that nobody knows by then may be one.
   */
  async mayBeVoice(id: string): Promise<boolean> {
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

  suggest(source: SuggestionSource, typed: string, locale: Locale): readonly Suggestion[] {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#all(source, locale).filter(({ value, label }) => {
      const text = `${value} ${label}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #all(source: SuggestionSource, locale: Locale): readonly Suggestion[] {
    switch (source) {
      case 'sizes':
        return [...image.sizes, '1024x1024', '1920x1080', '1080x1920'].map((value) => ({
          value,
          label: value,
        }));
      case 'languages':
        return [...new Set(this.#voices.flatMap((voice) => voice.languages))].map((value) => ({
          value,
          label: languageName(value, locale),
        }));
      case 'voices':
        return this.#voices.map((voice) => ({ value: voice.id, label: voiceLabel(voice, locale) }));
    }
  }
}

/** What a language is called in another; its tag where that is not known. */
export function languageName(tag: string, locale: Locale): string {
  return languageNames[tag]?.[locale] ?? tag;
}

function voiceLabel({ id, name, languages }: Voice, locale: Locale): string {
  const spoken = languages.map((language) => languageName(language, locale)).join(', ');
  return `${name ?? id.replaceAll('_', ' ')}${spoken ? ` (${spoken})` : ''}`.slice(0, 100);
}
