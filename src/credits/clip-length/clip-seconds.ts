import type { Clock } from '../../lib/clock.ts';
import { MediaWorkError, runInWorker } from '../../media/index.ts';
import { mp3Seconds } from './mp3-seconds.ts';
import { oggSeconds } from './ogg-seconds.ts';
import { wavSeconds } from './wav-seconds.ts';

const worker = new URL('./worker.ts', import.meta.url);

/**
 * No format packs a second of speech into fewer bytes (Opus needs over 30 for silence). A clip that claims to be
 * longer has a corrupt count, which would use up every budget.
 */
const leastBytesPerSecond = 16;

/**
 * The true length of a clip in seconds; undefined if it can't be determined. Rounded to a ten-thousandth, because a
 * container counts whole samples, which must not add a second. Unusual formats are measured in a worker thread.
 */
export async function clipSeconds(bytes: Uint8Array, clock?: Clock): Promise<number | undefined> {
  const seconds =
    mp3Seconds(bytes) ?? oggSeconds(bytes) ?? wavSeconds(bytes) ?? (await counted(bytes, clock));
  const isTrue = seconds !== undefined && seconds <= bytes.length / leastBytesPerSecond;
  return isTrue ? Math.round(seconds * 10_000) / 10_000 : undefined;
}

async function counted(bytes: Uint8Array, clock: Clock | undefined): Promise<number | undefined> {
  try {
    return await runInWorker<number | undefined>(worker, { bytes }, clock);
  } catch (error) {
    if (error instanceof MediaWorkError) return undefined;
    throw error;
  }
}
