declare module '@echogarden/espeak-ng-emscripten' {
  export interface SpeechWorker {
    /** Returns 0 when the voice file exists; `name` may end in `+variant`. */
    set_voice(name: string, language: string, gender: number, age: number, variant: number): number;
    /** Words per minute, 80 to 450. */
    set_rate(wordsPerMinute: number): void;
    /** 0 to 99. */
    set_pitch(pitch: number): void;
    /** 0 (monotone) to 99. */
    set_range(range: number): void;
    /** Reads `text` as SSML; hands out 16-bit mono samples at 22050 Hz; a callback that returns 1 stops it. */
    synthesize(text: string, onAudio: (samples: Int16Array, events: readonly unknown[]) => 0 | 1): void;
    /** The phonemes that `text` would be spoken with. */
    synthesize_ipa(text: string): { code: number; ipa: string };
  }

  export interface SpeechModule {
    readonly eSpeakNGWorker: new () => SpeechWorker;
    /** All of its memory; another array after it has grown. */
    readonly HEAPU8: Uint8Array;
  }

  export default function load(): Promise<SpeechModule>;
}
