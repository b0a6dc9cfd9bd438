/** Number of bars in a waveform. */
export const barCount = 64;
/** The largest clip that is decoded for its waveform, in bytes. */
const maxBytes = 24 * 1024 ** 2;
/** Samples read per bar, so a long clip takes no longer than a short one. */
const samplesPerBar = 2_000;
const height = 32;
const step = 4;

/** A clip's duration and waveform. */
export interface Sound {
  readonly seconds: number;
  /** Height of each bar, 0 to 1. */
  readonly peaks: readonly number[];
}

/** Decodes a clip; undefined if it is too large or the browser can't decode it. */
export async function readSound(address: string, bytes: number): Promise<Sound | undefined> {
  if (bytes > maxBytes) return undefined;
  try {
    const response = await fetch(address);
    const audio = await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(await response.arrayBuffer());
    return { seconds: audio.duration, peaks: peaksOf(audio.getChannelData(0)) };
  } catch {
    return undefined;
  }
}

/** The bars as an SVG path, for `barsViewBox`. */
export function barsOutline(peaks: readonly number[]): string {
  return peaks
    .map((peak, index) => {
      const half = Math.max(0.75, (peak * (height - 4)) / 2);
      const x = index * step + step / 2;
      return `M${x} ${(height / 2 - half).toFixed(2)}v${(2 * half).toFixed(2)}`;
    })
    .join('');
}

/** The SVG view box of `barsOutline`. */
export const barsViewBox = `0 0 ${barCount * step} ${height}`;

function peaksOf(samples: Float32Array): number[] {
  const width = samples.length / barCount;
  const stride = Math.max(1, Math.floor(width / samplesPerBar));
  const loudness = Array.from({ length: barCount }, (_, bar) => {
    let sum = 0;
    let count = 0;
    for (let at = Math.floor(bar * width); at < (bar + 1) * width; at += stride) {
      sum += (samples[at] ?? 0) ** 2;
      count++;
    }
    return Math.sqrt(sum / Math.max(1, count));
  });
  const loudest = Math.max(...loudness, 1e-6);
  // Loudness is perceived as a ratio: the square root keeps quiet speech visible.
  return loudness.map((value) => Math.sqrt(value / loudest));
}
