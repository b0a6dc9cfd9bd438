import type Keyv from 'keyv';
import type { Clock } from '../../src/clock.ts';
import type { Credits } from '../../src/credits/index.ts';
import type { Job } from '../../src/port/index.ts';
import type { ServiceClient, Voice } from '../../src/service/index.ts';
import type { CreditRange } from '../../src/spec/prices.ts';
import { paidSpeech, speechPrice } from './paid-speech.ts';

/** What a voice says of itself, by the language it speaks. */
const sentences: Readonly<Record<string, string>> = {
  'zh-CN': '你好！很高兴认识你，我的声音就是这样。',
  en: 'Hello! It is nice to meet you. This is how I sound.',
};

/** The language of a voice's sample: the first it speaks. */
export function sampleLanguage(voice: Voice): string {
  return voice.languages.find((tag) => sentences[tag] !== undefined) ?? 'en';
}

/** What a sample in a language may cost where there is none yet. */
export function samplePrice(language: string): CreditRange {
  return speechPrice({ input: sentences[language] ?? '', language });
}

/** A voice's sample as it is kept. */
interface Kept {
  readonly base64: string;
  readonly format: string;
  readonly contentType: string;
  readonly seconds: number;
}

export interface Sample {
  readonly bytes: Uint8Array;
  /** What the file is, as its name ends. */
  readonly format: string;
  readonly contentType: string;
  readonly seconds: number;
  /** What is said. */
  readonly text: string;
}

export interface VoiceSamplesParts {
  readonly keyv: Keyv;
  readonly service: Pick<ServiceClient, 'speech'>;
  readonly credits: Credits;
  readonly clock: Clock;
}

/** Short samples of voices: each is made, and paid for, once; whoever listens later costs nothing. */
export class VoiceSamples {
  readonly #parts: VoiceSamplesParts;
  readonly #underWay = new Map<string, Promise<Kept>>();

  constructor(parts: VoiceSamplesParts) {
    this.#parts = parts;
  }

  /** Whether there is a sample of a voice already. */
  async has(voice: Voice): Promise<boolean> {
    return (await this.#parts.keyv.get<Kept>(keyOf(voice))) !== undefined;
  }

  /** A voice speaking its first language; `job` names who is charged where there is no sample yet. */
  async of(voice: Voice, job: Job, conversationId: string): Promise<Sample> {
    const language = sampleLanguage(voice);
    const text = sentences[language] ?? '';
    const key = keyOf(voice);
    const kept = await this.#parts.keyv.get<Kept>(key);
    const request = { input: text, voice: voice.id, language, format: 'mp3' } as const;
    const { base64, ...about } =
      kept ?? (await this.#once(key, () => this.#make(key, { job, conversationId, request })));
    return { ...about, bytes: Buffer.from(base64, 'base64'), text };
  }

  /** Those who ask for the same sample at once wait for the one that is being made. */
  #once(key: string, make: () => Promise<Kept>): Promise<Kept> {
    const underWay = this.#underWay.get(key);
    if (underWay) return underWay;
    const making = make().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, making);
    return making;
  }

  async #make(key: string, order: Parameters<typeof paidSpeech>[1]): Promise<Kept> {
    const { bytes, format, contentType, seconds } = await paidSpeech(this.#parts, order);
    const kept = { base64: Buffer.from(bytes).toString('base64'), format, contentType, seconds };
    await this.#parts.keyv.set(key, kept);
    return kept;
  }
}

function keyOf(voice: Voice): string {
  return `${voice.id} ${sampleLanguage(voice)}`;
}
