import { expect, test } from 'vitest';
import { AnswerGate, hasBlockedWord } from '../../../src/app/policy/moderation.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { FakeClock } from '../../fakes/clock.ts';

/** A gate where a word is blocked, and what people read behind it. */
function gateFor(word: string, clock: Clock) {
  const pieces: string[] = [];
  const live = {
    append: (delta: string) => void pieces.push(delta),
    get text() {
      return pieces.join('');
    },
  };
  const { signal } = new AbortController();
  const onRefused = async () => {};
  const gate = new AnswerGate({ live, words: [word], moderation: undefined, signal, onRefused, clock });
  return { gate, pieces };
}

/** What people read of an answer that comes word by word, so slowly that each is looked at, where `word` is blocked. */
async function shown(answer: readonly string[], word: string): Promise<string> {
  const clock = new FakeClock(0);
  const { gate, pieces } = gateFor(word, clock);
  for (const delta of answer) {
    gate.append(delta);
    await clock.advance(250);
  }
  await gate.end();
  return pieces.join('');
}

test('a blocked word that ends a longer word blocks nothing, however much of the answer is over', async () => {
  // What's looked back on begins at each letter of the word sooner or later.
  let seed = 1;
  const answer = Array.from({ length: 600 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return `${'x'.repeat(seed % 13)} class `;
  });
  expect(hasBlockedWord(answer.join(''), ['ass'])).toBe(false);
  expect(await shown(answer, 'ass')).toBe(answer.join(''));
});

test('a blocked word is found where writing has no spaces, and across what comes one by one', async () => {
  const answer = [...'潮汐'.repeat(800), '坏', '话', '。'];
  await expect(shown(answer, '坏话')).rejects.toThrow('word');
  await expect(shown(['A very b', 'ad wo', 'rd.'], 'bad word')).rejects.toThrow('word');
});

test('the first words are there at once; those after them are looked at together, four times a second', async () => {
  const clock = new FakeClock(0);
  const { gate, pieces } = gateFor('tar', clock);
  const words = ['One ', 'after ', 'another ', 'they ', 'come.'];
  for (const word of words) {
    gate.append(word);
    await new Promise(setImmediate);
  }
  expect(pieces).toEqual(['One ']);
  await clock.advance(250);
  expect(pieces.slice(1)).toEqual(['after another they come.']);
  gate.append(' And an end.');
  await gate.end();
  expect(pieces.join('')).toBe('One after another they come. And an end.');
});
