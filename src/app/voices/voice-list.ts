import { type Clock, sleep } from '../../lib/clock.ts';
import { actionId, type Job, type Locale, type Message } from '../../port/index.ts';
import type { ServiceClient, Voice } from '../../service/index.ts';
import { knownVoices, type VoiceGender } from '../../service-rules/voices.ts';
import { words } from '../../words/index.ts';

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

const languageNames: Readonly<Record<string, Readonly<Record<Locale, string>>>> = {
  'zh-CN': { en: 'Chinese', 'zh-CN': '中文' },
  en: { en: 'English', 'zh-CN': '英文' },
};

const genderNames: Readonly<Record<VoiceGender, Readonly<Record<Locale, string>>>> = {
  female: { en: 'female', 'zh-CN': '女声' },
  male: { en: 'male', 'zh-CN': '男声' },
};

const known = new Map(knownVoices.map((voice) => [voice.id, voice]));

/** What a language is called in another; its tag where that isn't known. */
export function languageName(tag: string, locale: Locale): string {
  return languageNames[tag]?.[locale] ?? tag;
}

/** What people know of a voice, without its id: `Vivi · female · Chinese, English`. Empty where nothing is known. */
export function describeVoice(
  { id, name, gender = known.get(id)?.gender, languages }: Voice,
  locale: Locale,
): string {
  const spoken = languages.map((tag) => languageName(tag, locale)).join(locale === 'zh-CN' ? '、' : ', ');
  return [plain(name) ?? known.get(id)?.name[locale], gender && genderNames[gender][locale], spoken]
    .filter(Boolean)
    .join(' · ');
}

/** A name as the service gives it, in one line, without what Markdown would take as its own. */
function plain(name: string | undefined): string | undefined {
  const words = name?.replace(/[`*_~|<>[\]()\\]/gu, '').replace(/[\s\p{Cc}]+/gu, ' ');
  return words?.trim() || undefined;
}

/** Voices on one page: as many as there can be buttons, with one for more. */
export const voicesPerPage = 20;

/** The action that plays a page's voice; names of actions are letters. */
export function listenAction(index: number): string {
  return `listen_${String.fromCharCode('a'.charCodeAt(0) + index)}`;
}

/** A page of voices, counted from 0: each with its name, its id and a button to listen. */
export function voicePage(
  { id: jobId, requester: { locale } }: Job,
  voices: readonly Voice[],
  { page, isKnownOnly }: { readonly page: number; readonly isKnownOnly: boolean },
): { readonly message: Message; readonly shown: readonly Voice[] } {
  const say = words(locale).spending.voices;
  const first = page * voicesPerPage;
  const shown = voices.slice(first, first + voicesPerPage);
  const lines = shown.map((voice, index) =>
    say.line(first + index + 1, voice.id, describeVoice(voice, locale)),
  );
  const listen = shown.map((_, index) => ({
    id: actionId('voices', listenAction(index), jobId),
    label: say.listen(first + index + 1),
  }));
  const hasMore = voices.length > first + voicesPerPage;
  const text = [say.title(voices.length), ...lines, ...(isKnownOnly ? [`-# ${say.known}`] : [])].join('\n');
  const more = { id: actionId('voices', 'more', jobId), label: say.more };
  return { message: { text, buttons: [...listen, ...(hasMore ? [more] : [])] }, shown };
}
