import type Keyv from 'keyv';
import type { Locks } from '../coordination/index.ts';
import { BudgetExceededError, CooldownError, type Credits } from '../credits/index.ts';
import { type Clock, inTime } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import { plainName } from '../lib/text.ts';
import { actionId, type Job, type Locale, type Message } from '../port/index.ts';
import type { CreditRange } from '../service-rules/prices.ts';
import { knownVoices, type VoiceGender } from '../service-rules/voices.ts';
import type { ServiceClient, Voice } from '../service/index.ts';
import { words } from '../words/index.ts';
import { meteredSpeech, type SpeechOrder, speechPrice } from './metered-calls.ts';

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
    if (!isKnown() && this.#isKnownOnly)
      await inTime(this.#clock, firstListPatience, this.refresh(), undefined).catch(() => {});
    return isKnown() || this.#isKnownOnly;
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

/** The name of a language in another; its tag where that isn't known. */
export function languageName(tag: string, locale: Locale): string {
  return languageNames[tag]?.[locale] ?? tag;
}

/** What people know of a voice, without its id: `Vivi · female · Chinese, English`. Empty where nothing is known. */
export function describeVoice(voice: Voice, locale: Locale): string {
  const { gender = known.get(voice.id)?.gender, languages } = voice;
  const spoken = languages.map((tag) => languageName(tag, locale)).join(locale === 'zh-CN' ? '、' : ', ');
  return [nameOf(voice, locale), gender && genderNames[gender][locale], spoken].filter(Boolean).join(' · ');
}

/** What people call a voice; undefined where nobody says. */
export function nameOf({ id, name }: Voice, locale: Locale): string | undefined {
  return plainName(name ?? '') || known.get(id)?.name[locale];
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

/** The text of a sample, by language. */
const sentences: Readonly<Record<string, string>> = {
  'zh-CN': '你好！很高兴认识你，我的声音就是这样。',
  en: 'Hello! It is nice to meet you. This is how I sound.',
};

/** The language of a voice's sample: the first one it speaks that has a text. */
export function sampleLanguage(voice: Voice): string {
  return voice.languages.find((tag) => sentences[tag] !== undefined) ?? 'en';
}

/** The possible cost of a sample in a language. */
export function samplePrice(language: string): CreditRange {
  return speechPrice({ input: sentences[language] ?? '', language });
}

/** A sample as it's stored. */
interface Kept {
  readonly base64: string;
  readonly format: string;
  readonly contentType: string;
  readonly seconds: number;
}

interface Sample {
  readonly bytes: Uint8Array;
  /** The file's extension. */
  readonly format: string;
  readonly contentType: string;
  readonly seconds: number;
  /** The text that the voice says. */
  readonly text: string;
}

interface VoiceSamplesDependencies {
  readonly keyv: Keyv;
  readonly service: Pick<ServiceClient, 'speech'>;
  readonly credits: Credits;
  readonly locks: Locks;
  readonly clock: Clock;
}

/** Short samples of voices: each is made and paid for once, and kept. */
export class VoiceSamples {
  readonly #dependencies: VoiceSamplesDependencies;
  readonly #underWay = new Map<string, Promise<Kept>>();
  /** Samples that couldn't be stored yet: at most one per voice. */
  readonly #unkept = new Map<string, Kept>();

  constructor(dependencies: VoiceSamplesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether a voice has a sample already. */
  async has(voice: Voice): Promise<boolean> {
    return (await this.#find(keyOf(voice))) !== undefined;
  }

  /**
   * A voice speaking its first language; `paidBy` says who is charged if there is no sample yet.
   * @throws {BudgetExceededError | CooldownError} about the caller's own limits, nobody else's.
   */
  async of(voice: Voice, paidBy: Omit<SpeechOrder, 'request'>): Promise<Sample> {
    const language = sampleLanguage(voice);
    const text = sentences[language] ?? '';
    const key = keyOf(voice);
    const request = { input: text, voice: voice.id, language, format: 'mp3' } as const;
    const make = () => this.#make(key, { ...paidBy, request });
    const { base64, ...about } = (await this.#find(key)) ?? (await this.#once(key, make));
    return { ...about, bytes: Buffer.from(base64, 'base64'), text };
  }

  async #find(key: string): Promise<Kept | undefined> {
    return this.#unkept.get(key) ?? (await this.#dependencies.keyv.get<Kept>(key));
  }

  /** People who want the same sample at once wait for the one being made. If its payer's limits don't allow it, the next one pays. */
  async #once(key: string, make: () => Promise<Kept>): Promise<Kept> {
    for (let others = this.#underWay.get(key); others; others = this.#underWay.get(key)) {
      try {
        return await others;
      } catch (error) {
        const isTheirs = error instanceof BudgetExceededError || error instanceof CooldownError;
        if (!isTheirs) throw error;
      }
    }
    const inAnyProcess = async () => (await this.#find(key)) ?? make();
    const making = this.#dependencies.locks
      .run(`voice sample ${key}`, inAnyProcess)
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, making);
    return making;
  }

  /** A sample that was paid for is played even if it can't be stored now, and isn't paid for again. */
  async #make(key: string, order: SpeechOrder): Promise<Kept> {
    const { keyv, clock } = this.#dependencies;
    const { bytes, format, contentType, seconds } = await meteredSpeech(this.#dependencies, order);
    const kept = { base64: Buffer.from(bytes).toString('base64'), format, contentType, seconds };
    this.#unkept.set(key, kept);
    const keep = async () => {
      await keyv.set(key, kept);
      this.#unkept.delete(key);
    };
    await nowOrLater(keep, { clock });
    return kept;
  }
}

function keyOf(voice: Voice): string {
  return `${voice.id} ${sampleLanguage(voice)}`;
}
