import { describe, expect, it } from 'vitest';
import { quoted, titleOf } from '../../src/lib/text.ts';

describe('a quote', () => {
  it('has a mark before each of its lines', () => {
    expect(quoted(' a cat\n\nby a lake ')).toBe('> a cat\n> \n> by a lake');
  });

  it('is no longer than it may be, however many lines it has', () => {
    const long = quoted('a\n'.repeat(500));
    expect(long.length).toBeLessThanOrEqual(1_000);
    expect(long).toMatch(/^(?:> a\n)+> a…$/);
  });

  it.each([15, 16, 17, 18])('is cut between two characters: at %i', (most) => {
    const cut = quoted('🐈'.repeat(20), most);
    expect(cut.isWellFormed()).toBe(true);
    expect(cut).toMatch(/^> (?:🐈)+…$/u);
    expect(titleOf('🐈'.repeat(20), most).isWellFormed()).toBe(true);
  });

  it.each([13, 15, 19, 20, 21])('shows no word of a spoiler whose end is cut off at %d', (most) => {
    for (const cut of [quoted('a sled, ||Rosebud||, sir', most), titleOf('a sled, ||Rosebud||, sir', most)])
      expect(cut.replace('||Rosebud||', '')).not.toMatch(/[A-Z]/);
    expect(titleOf('if (a || b) return', 15)).toBe('if (a || b)…');
  });

  it('shows none of a spoiler of several words either, wherever a title is cut between two of them', () => {
    const text = 'who did it: ||the Butler with Rope||，如此而已';
    for (let most = 8; most <= text.length; most++)
      expect(titleOf(text, most).replace('||the Butler with Rope||', '')).not.toMatch(/[A-Z]/);
  });
});
