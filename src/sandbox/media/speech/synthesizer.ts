import loadEngine, { type SpeechWorker } from '@echogarden/espeak-ng-emscripten';
import type { VoiceProfile } from './voice-profiles.ts';

/** Samples per second of everything the synthesizer speaks: 16 bits, one channel. */
export const speechRate = 22_050;

/** The engine's voice files that the narration uses. */
export type Tongue = 'cmn' | 'en-us' | 'en-gb-x-rp' | 'ja' | 'ru' | 'el' | 'ar' | 'he' | 'hi' | 'th';

/** Mandarin's syllables are long at the engine's English pace. */
const wordsPerMinute: Partial<Record<Tongue, number>> = { cmn: 200 };
const defaultWordsPerMinute = 170;

/** One person's voice: the same timbre in every tongue. */
export class Synthesizer {
  readonly #engine: SpeechWorker;
  readonly #profile: VoiceProfile;

  private constructor(engine: SpeechWorker, profile: VoiceProfile) {
    this.#engine = engine;
    this.#profile = profile;
  }

  /** A new engine for every narration: an old one speaks the same text at another length than the first time. */
  static async create(profile: VoiceProfile): Promise<Synthesizer> {
    const { eSpeakNGWorker } = await loadEngine();
    return new Synthesizer(new eSpeakNGWorker(), profile);
  }

  /** Speaks one sentence or less. Nothing speakable gives almost no samples. */
  say(tongue: Tongue, text: string): Int16Array {
    this.#choose(tongue);
    const parts: Int16Array[] = [];
    let length = 0;
    this.#engine.synthesize(escapeMarkup(text), (samples) => {
      parts.push(samples);
      length += samples.length;
      return 0;
    });
    return joined(parts, length);
  }

  /** The phonemes of `text`, as the engine would speak it. */
  phonemes(tongue: Tongue, text: string): string {
    this.#choose(tongue);
    return this.#engine.synthesize_ipa(text).ipa;
  }

  #choose(tongue: Tongue): void {
    const { variant, pitch, range } = this.#profile;
    this.#engine.set_voice(`${tongue}+${variant}`, '', 0, 0, 0);
    this.#engine.set_rate(wordsPerMinute[tongue] ?? defaultWordsPerMinute);
    this.#engine.set_pitch(pitch);
    this.#engine.set_range(range);
  }
}

/** The engine obeys SSML; a text's own angle brackets must not become an hour's break. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function joined(parts: readonly Int16Array[], length: number): Int16Array {
  const whole = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
