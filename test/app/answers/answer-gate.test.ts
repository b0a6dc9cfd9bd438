import { expect, test } from 'vitest';
import { AnswerGate } from '../../../src/app/answers/answer-gate.ts';
import { hasBlockedWord } from '../../../src/app/policy/moderation.ts';
import { systemClock } from '../../../src/lib/clock.ts';

/** What people read of an answer that comes word by word where `word` is blocked. */
async function shown(answer: readonly string[], word: string): Promise<string> {
  let text = '';
  const live = {
    append: (delta: string) => void (text += delta),
    get text() {
      return text;
    },
  };
  const { signal } = new AbortController();
  const gate = new AnswerGate({
    ...{ live, words: [word], moderation: undefined, signal, clock: systemClock },
    onRefused: async () => {},
  });
  for (const delta of answer) {
    gate.append(delta);
    await new Promise(setImmediate);
  }
  await gate.end();
  return text;
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
