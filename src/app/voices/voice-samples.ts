import type Keyv from 'keyv';
import type { Locks } from '../../coordination/index.ts';
import { BudgetExceededError, type Credits } from '../../credits/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { nowOrLater } from '../../lib/local-faults.ts';
import type { ServiceClient, Voice } from '../../service/index.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import { meteredSpeech, type SpeechOrder, speechPrice } from '../answers/metered-calls.ts';

/** What a sample says, by language. */
const sentences: Readonly<Record<string, string>> = {
  'zh-CN': '你好！很高兴认识你，我的声音就是这样。',
  en: 'Hello! It is nice to meet you. This is how I sound.',
};

/** The language of a voice's sample: the first one it speaks that has a text. */
export function sampleLanguage(voice: Voice): string {
  return voice.languages.find((tag) => sentences[tag] !== undefined) ?? 'en';
}

/** What making a sample in a language may cost. */
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

export interface Sample {
  readonly bytes: Uint8Array;
  /** The file's extension. */
  readonly format: string;
  readonly contentType: string;
  readonly seconds: number;
  /** What the voice says. */
  readonly text: string;
}

export interface VoiceSamplesDependencies {
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
   * @throws {BudgetExceededError} about the caller's own budgets, nobody else's.
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

  /** People who want the same sample at once wait for the one being made. If its payer's budget doesn't allow it, the next one pays. */
  async #once(key: string, make: () => Promise<Kept>): Promise<Kept> {
    for (let others = this.#underWay.get(key); others; others = this.#underWay.get(key)) {
      try {
        return await others;
      } catch (error) {
        if (!(error instanceof BudgetExceededError)) throw error;
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
