import type { Clock } from '../../lib/clock.ts';
import { ConcurrencyLimit } from '../concurrency-limit.ts';
import { runInWorker } from '../run-in-worker.ts';
import type { SoundFormat } from './convert-sound.ts';

const worker = new URL('./sound-worker.ts', import.meta.url);

/** Largest clip that is converted, in bytes: a WAV of ten minutes. What is longer takes too long anyway. */
export const maxSoundBytes = 64 * 2 ** 20;
/** Clips that are converted at once. */
const atOnce = 2;

const contentTypes: Readonly<Record<SoundFormat, string>> = {
  opus: 'audio/ogg; codecs=opus',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

/** A clip that was converted. */
export interface ConvertedSound {
  readonly bytes: Uint8Array;
  readonly format: SoundFormat;
  readonly contentType: string;
}

export interface SoundConverterDependencies {
  /** The machine's own time where it is left out. */
  readonly clock?: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Converts clips in threads of their own, a few at a time, and none for longer than 30 s. */
export class SoundConverter {
  readonly #dependencies: SoundConverterDependencies;
  readonly #turns = new ConcurrencyLimit(atOnce);

  constructor(dependencies: SoundConverterDependencies) {
    this.#dependencies = dependencies;
  }

  /** WAV, MP3, Ogg Vorbis or Opus in another format; undefined where it is too large or cannot be done. */
  async convert(bytes: Uint8Array, to: SoundFormat): Promise<ConvertedSound | undefined> {
    if (bytes.byteLength > maxSoundBytes) return undefined;
    const { clock, log } = this.#dependencies;
    try {
      const made = await this.#turns.run(() =>
        runInWorker<Uint8Array | undefined>(worker, { bytes, to }, clock),
      );
      return made && { bytes: made, format: to, contentType: contentTypes[to] };
    } catch (error) {
      log.warn({ error, to, bytes: bytes.byteLength }, 'a clip could not be converted');
      return undefined;
    }
  }
}
