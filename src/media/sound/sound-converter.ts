import type { Clock } from '../../lib/clock.ts';
import { ConcurrencyLimit, runInWorker } from '../run-in-worker.ts';
import type { SoundFormat } from './convert-sound.ts';
import type { SoundTask } from './sound-worker.ts';

const worker = new URL('./sound-worker.ts', import.meta.url);

/** Bytes of the largest clip that is converted: a WAV of ten minutes. */
export const maxSoundBytes = 64 * 2 ** 20;
/** Clips that are converted at once. */
const limit = new ConcurrencyLimit(2);

const contentTypes: Readonly<Record<SoundFormat, string>> = {
  opus: 'audio/ogg; codecs=opus',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

/** A converted clip. */
export interface ConvertedSound {
  readonly bytes: Uint8Array;
  readonly format: SoundFormat;
  readonly contentType: string;
}

export interface SoundConverterDependencies {
  /** The system clock by default. */
  readonly clock?: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Converts clips in worker threads, a few at a time, each for at most 30 s. */
export class SoundConverter {
  readonly #dependencies: SoundConverterDependencies;

  constructor(dependencies: SoundConverterDependencies) {
    this.#dependencies = dependencies;
  }

  /** Converts WAV, MP3, Ogg Vorbis or Opus; undefined if the clip is too large or can't be converted. */
  async convert(bytes: Uint8Array, to: SoundFormat): Promise<ConvertedSound | undefined> {
    if (bytes.byteLength > maxSoundBytes) return undefined;
    const { clock, log } = this.#dependencies;
    try {
      const made = await limit.run(() =>
        runInWorker<Uint8Array | undefined>(worker, { bytes, to } satisfies SoundTask, { clock }),
      );
      return made && { bytes: made, format: to, contentType: contentTypes[to] };
    } catch (error) {
      log.warn({ error, to, bytes: bytes.byteLength }, 'a clip could not be converted');
      return undefined;
    }
  }
}
