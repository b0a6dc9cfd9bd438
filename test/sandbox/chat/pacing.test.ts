import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutIntoDeltas, Pacer } from '../../../src/sandbox/chat/chat.ts';
import { FakeClock } from '../../fakes/clock.ts';

const textsOf = (text: string) => [...cutIntoDeltas(text)].map((delta) => delta.text);

describe('deltas', () => {
  it('are words, and ideographs two by two', () => {
    expect(textsOf('Hello there,\n\nyou')).toEqual(['Hello', ' there,', '\n\nyou']);
    expect(textsOf('你好,世界 ok')).toEqual(['你好', ',', '世界', ' ok']);
    expect(textsOf('')).toEqual([]);
  });

  it('are the text again, and well-formed each, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const deltas = textsOf(text);
        expect(deltas.join('')).toBe(text);
        for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
      }),
    );
  });

  it('come at 50 words or 80 ideographs a second', () => {
    const seconds = (text: string) =>
      [...cutIntoDeltas(text)].reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
    expect(seconds('word '.repeat(500))).toBeCloseTo(10, 0);
    expect(seconds('字'.repeat(800))).toBeCloseTo(10, 0);
  });
});

describe('the pace', () => {
  const never = new AbortController().signal;

  it('makes up for what one rest took too long', async () => {
    const clock = new FakeClock();
    const pacer = new Pacer(clock, 'human');
    const start = clock.now();
    for (let rest = 0; rest < 10; rest++) {
      const resting = pacer.rest(20, never);
      if (rest === 0) await clock.advance(110);
      else while (clock.pending > 0) await clock.runNext();
      await resting;
    }
    expect(clock.now() - start).toBe(200);
  });

  it('can be some times as fast, or instant', async () => {
    const clock = new FakeClock();
    const fast = new Pacer(clock, 4);
    const resting = fast.rest(100, never);
    await clock.advance(25);
    await resting;
    await new Pacer(clock, 'instant').rest(1_000_000, never);
    expect(clock.pending).toBe(0);
  });
});
