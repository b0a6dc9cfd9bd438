import loadModule, { type SpeechModule, type SpeechWorker } from '@echogarden/espeak-ng-emscripten';
import type { Tongue, VoiceProfile } from './voices.ts';

/** Sample rate of the synthesizer; 16 bits, mono. */
export const speechRate = 22_050;

/** Words per minute; Mandarin's syllables are long at the engine's English pace. */
const paceOf = (tongue: Tongue) => (tongue === 'cmn' ? 200 : 170);

/** Bytes of the longest utterance, escaped. The engine's bindings keep what it takes, once they've seen it. */
const longestUtterance = 2048;

/**
 * The engine, of which one serves a thread. A used one would speak the same text with another length, so that each
 * clip begins with its memory as it was at first.
 */
export class SpeechEngine {
  readonly #module: SpeechModule;
  readonly #worker: SpeechWorker;
  readonly #memory: Uint8Array;

  private constructor(module: SpeechModule) {
    this.#module = module;
    this.#worker = new module.eSpeakNGWorker();
    this.#worker.set_voice('en-us', '', 0, 0, 0);
    // Twice, since the bindings allocate their memory at the call after one that had too little.
    for (let i = 0; i < 2; i++) this.#worker.synthesize(' '.repeat(longestUtterance), () => 0);
    this.#memory = module.HEAPU8.slice();
  }

  static async load(): Promise<SpeechEngine> {
    return new SpeechEngine(await loadModule());
  }

  /** Begins a clip with one voice, which ends the clip before. */
  begin(profile: VoiceProfile): Synthesizer {
    // It may have grown since, into another array.
    const { HEAPU8 } = this.#module;
    HEAPU8.set(this.#memory);
    HEAPU8.fill(0, this.#memory.length);
    return new Synthesizer(this.#worker, profile);
  }
}

/** Speaks a clip with one voice, with the same timbre in every language. */
class Synthesizer {
  readonly #engine: SpeechWorker;
  readonly #profile: VoiceProfile;

  constructor(engine: SpeechWorker, profile: VoiceProfile) {
    this.#engine = engine;
    this.#profile = profile;
  }

  /** Speaks at most one sentence; text without speech gives almost no samples. */
  say(tongue: Tongue, text: string): Int16Array {
    this.#choose(tongue);
    const parts: Int16Array[] = [];
    // The engine reads SSML, and a text could ask for an hour's break.
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    this.#engine.synthesize(escaped, (samples) => {
      parts.push(samples);
      return 0;
    });
    return joined(parts);
  }

  /** The phonemes of `text`, as the engine would speak it. */
  phonemes(tongue: Tongue, text: string): string {
    this.#choose(tongue);
    return this.#engine.synthesize_ipa(text).ipa;
  }

  #choose(tongue: Tongue): void {
    const { variant, pitch, range } = this.#profile;
    this.#engine.set_voice(`${tongue}+${variant}`, '', 0, 0, 0);
    this.#engine.set_rate(paceOf(tongue));
    this.#engine.set_pitch(pitch);
    this.#engine.set_range(range);
  }
}

/** Samples one after the other. */
export function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
