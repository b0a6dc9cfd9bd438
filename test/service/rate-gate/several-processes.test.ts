import { expect, it } from 'vitest';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import { SharedRateWindows } from '../../../src/service/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { processesSharing } from '../../fakes/coordination.ts';

function windowsOfTwo() {
  const clock = new FakeClock();
  const next = processesSharing(clock);
  return { clock, one: new SharedRateWindows(next(), clock), other: new SharedRateWindows(next(), clock) };
}

it('two processes keep the key’s limit together', async () => {
  const { clock, one, other } = windowsOfTwo();
  let passed = 0;
  for (let call = 0; call < ratesPerMinute.videos; call++)
    for (const windows of [one, other]) if ((await windows.take('videos')) === 0) passed += 1;
  expect(passed).toBe(ratesPerMinute.videos);
  expect(await one.take('images')).toBe(0);
  const wait = await other.take('videos');
  await clock.advance(wait);
  expect(await one.take('videos')).toBe(0);
});

it('a 429 in one process pauses the other, too, for that group alone', async () => {
  const { clock, one, other } = windowsOfTwo();
  await one.pause('chat', 20_000);
  expect(await other.take('chat')).toBe(20_000);
  expect(await other.take('images')).toBe(0);
  await clock.advance(20_000);
  expect(await other.take('chat')).toBe(0);
});
