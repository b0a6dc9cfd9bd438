import loadEngine, { type SpeechWorker } from '@echogarden/espeak-ng-emscripten';
import type { VoiceProfile } from './voice-profiles.ts';

/** Sample rate of the synthesizer; 16 bits, mono. */
export const speechRate = 22_050;

/** The engine's voice files in use. */
export type Tongue = 'cmn' | 'en-us' | 'en-gb-x-rp' | 'ja' | 'ru' | 'el' | 'ar' | 'he' | 'hi' | 'th';

/** Mandarin's syllables are long at the engine's English pace. */
const wordsPerMinute: Partial<Record<Tongue, number>> = { cmn: 200 };
const defaultWordsPerMinute = 170;

/** Speaks with one voice, with the same timbre in every language. */
export class Synthesizer {
  readonly #engine: SpeechWorker;
  readonly #profile: VoiceProfile;

  private constructor(engine: SpeechWorker, profile: VoiceProfile) {
    this.#engine = engine;
    this.#profile = profile;
  }

  /** Creates a new engine per clip: a used one speaks the same text with another length. */
  static async create(profile: VoiceProfile): Promise<Synthesizer> {
    const { eSpeakNGWorker } = await loadEngine();
    return new Synthesizer(new eSpeakNGWorker(), profile);
  }

  /** Speaks at most one sentence; text without speech gives almost no samples. */
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

/** Escapes angle brackets: the engine reads SSML, and a text could ask for an hour's break. */
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
