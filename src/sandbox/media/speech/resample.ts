/** Zero crossings of the filter on either side of a sample. */
const lobes = 12;

/**
 * Band-limited conversion of the sample rate by the ratio `up / down` (up ≥ down, in lowest terms). The
 * returned function keeps no state between calls: each chunk must begin and end near silence.
 */
export function upsampler(up: number, down: number): (samples: Int16Array) => Int16Array {
  const filters = Array.from({ length: up }, (_, phase) => filter(phase / up));
  return (samples) => {
    const length = Math.round((samples.length * up) / down);
    const result = new Int16Array(length);
    for (let i = 0; i < length; i++) {
      const position = i * down;
      const base = Math.floor(position / up) - lobes + 1;
      result[i] = convolve(samples, base, filters[position % up] ?? []);
    }
    return result;
  };
}

/** Windowed sinc for a point that lies `fraction` of a sample after the twelfth of its 24 neighbours. */
function filter(fraction: number): number[] {
  return Array.from({ length: 2 * lobes }, (_, tap) => {
    const distance = tap - lobes + 1 - fraction;
    const hann = 0.5 + 0.5 * Math.cos((Math.PI * distance) / lobes);
    return sinc(distance) * hann;
  });
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function convolve(samples: Int16Array, base: number, taps: readonly number[]): number {
  let sum = 0;
  const first = Math.max(0, -base);
  const last = Math.min(taps.length, samples.length - base);
  for (let tap = first; tap < last; tap++) sum += (samples[base + tap] ?? 0) * (taps[tap] ?? 0);
  return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
}
