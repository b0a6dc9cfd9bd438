import { expect, it } from 'vitest';
import { mayBeWav } from '../../src/app/answers/clip-message.ts';
import { words } from '../../src/words/index.ts';
import { Stage } from './support/stage.ts';

const mebibyte = 2 ** 20;

it.each([
  ['that surely fits', { low: 10, high: 30 }, 10 * mebibyte, true],
  ['that may fit, and can be made smaller', { low: 250, high: 600 }, 10 * mebibyte, true],
  ['that surely does not fit', { low: 400, high: 900 }, 10 * mebibyte, false],
  ['that may not fit, and be too long to be made smaller', { low: 300, high: 1_000 }, 10 * mebibyte, false],
  ['that fits however long it is', { low: 900, high: 3_000 }, 1_024 * mebibyte, true],
])('a WAV %s', (_, seconds, limit, expected) => {
  expect(mayBeWav(seconds, limit)).toBe(expected);
});

it('a WAV that fits nowhere here is asked for as an MP3, and says so', async () => {
  const stage = await Stage.open();
  await stage.give('speak', { text: 'The tides. '.repeat(1_200), format: 'wav' });
  expect(stage.latest.message.files?.[0]).toMatchObject({ name: 'speech.mp3', contentType: 'audio/mpeg' });
  expect(stage.text).toMatch(/^> The tides\./);
  expect(stage.text).toContain(`\n\n${words('en').tooLargeAs('WAV', 'MP3')}`);
  await stage.give('speak', { text: 'The tides.', format: 'wav' });
  expect(stage.latest.message.files?.[0]).toMatchObject({ name: 'speech.wav', contentType: 'audio/wav' });
  expect(stage.text).toBe('> The tides.');
});
