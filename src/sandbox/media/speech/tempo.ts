import { speechRate } from './synthesizer.ts';

/** Samples between two pieces of the result; pieces are twice as long and overlap by half. */
const hop = Math.round(speechRate * 0.0125);
const window = Float32Array.from({ length: 2 * hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * i) / hop));

/** How far a piece may be moved to fit the one before it: half a period of the deepest voice. */
const reach = Math.round(speechRate * 0.008);
const coarseStep = 4;

/**
 * Plays speech at another tempo with its pitch kept (waveform-similarity overlap-add): pieces of the original
 * are laid over each other at an even distance, each taken where it continues the last one best.
 * The result has exactly `samples.length / speed` samples, rounded.
 */
export function changeTempo(samples: Int16Array, speed: number): Int16Array {
  if (speed === 1) return samples;
  const length = Math.round(samples.length / speed);
  const mixed = new Float32Array(length + 2 * hop);
  let start = 0;
  for (let at = -hop; at < length; at += hop) {
    const ideal = Math.round(at * speed);
    const coarse = at < 0 ? ideal : bestStart(samples, ideal, reach, coarseStep, start + hop);
    start = at < 0 ? ideal : bestStart(samples, coarse, coarseStep - 1, 1, start + hop);
    for (let i = Math.max(0, -at); i < 2 * hop; i++)
      mixed[at + i] = (mixed[at + i] ?? 0) + (samples[start + i] ?? 0) * (window[i] ?? 0);
  }
  const clamped = (value: number) => Math.max(-32_768, Math.min(32_767, Math.round(value)));
  return Int16Array.from(mixed.subarray(0, length), clamped);
}

/** The start at most `radius` from `middle` whose samples look most like those at `continuation`. */
function bestStart(samples: Int16Array, middle: number, radius: number, step: number, continuation: number) {
  let best = middle;
  let bestLikeness = Number.NEGATIVE_INFINITY;
  for (let start = middle - radius; start <= middle + radius; start += step) {
    const last = Math.min(2 * hop, samples.length - Math.max(start, continuation));
    let product = 0;
    let energy = 1;
    // Every third sample tells enough: voices are compared, not consonants.
    for (let i = Math.max(0, -start, -continuation); i < last; i += 3) {
      const sample = samples[start + i] ?? 0;
      product += sample * (samples[continuation + i] ?? 0);
      energy += sample * sample;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [start, likeness];
  }
  return best;
}
