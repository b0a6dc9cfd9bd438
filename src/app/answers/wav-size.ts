import type { SecondsRange } from '../../credits/index.ts';
import { maxSoundBytes } from '../../media/index.ts';

/** Bytes per second of WAV: 16,000 to 48,000 samples of two bytes. Which of these the service uses isn't documented. */
const bytesPerSecond = { low: 2 * 16_000, high: 2 * 48_000 };

/**
 * Whether a clip of about so long may be asked for as WAV where a file may have `limit` bytes: it may fit, and if it
 * turns out not to, it can still be made smaller.
 */
export function mayBeWav({ low, high }: SecondsRange, limit: number): boolean {
  if (low * bytesPerSecond.low > limit) return false;
  return high * bytesPerSecond.high <= Math.max(limit, maxSoundBytes);
}
