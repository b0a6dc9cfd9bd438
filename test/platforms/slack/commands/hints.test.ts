import { expect, test } from 'vitest';
import { statusText } from '../../../../src/platforms/slack/reply/stream/thread-status.ts';
import { slackWords } from '../../../../src/platforms/slack/words.ts';
import { locales } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import { limits } from '../../../fakes/slack/http/limits.ts';

test.each(locales)('everything that stands in a status in %s fits into what Slack takes', (locale) => {
  const { thinking, waits } = slackWords(locale);
  const { waitingTurn, waitingPlace } = words(locale);
  const hints = [thinking, ...waits, waitingTurn, ...[1, 99, 9_999].map((place) => waitingPlace(place))];
  for (const hint of hints) expect(hint.length, hint).toBeLessThanOrEqual(limits.statusText);
  expect(waits.length).toBeLessThanOrEqual(limits.loadingMessages);
});

test('what is longer all the same is cut, not refused', () => {
  expect(statusText('x'.repeat(51))).toBe(`${'x'.repeat(49)}…`);
  expect(statusText('x'.repeat(50))).toBe('x'.repeat(50));
});
