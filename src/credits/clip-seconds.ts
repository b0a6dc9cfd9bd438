import { mp3Seconds } from './mp3-seconds.ts';

/**
 * The true length of a clip in seconds; undefined where it cannot be read. Rounded to a ten-thousandth: a
 * container counts whole samples, which must not make a second of their own.
 */
export async function clipSeconds(bytes: Uint8Array): Promise<number | undefined> {
  const seconds = mp3Seconds(bytes) ?? (await lengthOf(bytes));
  return seconds === undefined ? undefined : Math.round(seconds * 10_000) / 10_000;
}

async function lengthOf(bytes: Uint8Array): Promise<number | undefined> {
  // Large, and MP3, the usual format, does without it.
  const { ALL_FORMATS, BufferSource, Input } = await import('mediabunny');
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    const seconds = (await input.getDurationFromMetadata()) ?? (await input.computeDuration());
    return Number.isFinite(seconds) ? seconds : undefined;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}
