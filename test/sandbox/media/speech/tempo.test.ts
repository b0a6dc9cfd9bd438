import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeTempo, speechRate } from '../../../../src/sandbox/media/speech/narrate.ts';
import { medianPitch } from '../decode.ts';

const tone = (hertz: number, seconds: number) =>
  Int16Array.from(
    { length: Math.round(seconds * speechRate) },
    (_, i) => 12_000 * Math.sin((2 * Math.PI * hertz * i) / speechRate),
  );
const pitchOf = (samples: Int16Array) =>
  medianPitch({
    samples: Float32Array.from(samples, (sample) => sample / 32_768),
    rate: speechRate,
    stated: 0,
  });

describe('another tempo', () => {
  it('gives exactly the length divided by the speed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9000 }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        (length, speed) => {
          expect(changeTempo(new Int16Array(length), speed).length).toBe(Math.round(length / speed));
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });

  it.each([0.5, 0.8, 1.5, 2])('keeps the pitch and the loudness of a voice at %s', (speed) => {
    const changed = changeTempo(tone(150, 2), speed);
    const middle = changed.subarray(2000, -2000);
    expect(pitchOf(middle)).toBeCloseTo(150, -1);
    const peak = middle.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(11_000);
    expect(peak).toBeLessThan(13_000);
  });

  it('at speed 1 changes nothing', () => {
    const samples = tone(200, 0.5);
    expect(changeTempo(samples, 1)).toEqual(samples);
  });
});
