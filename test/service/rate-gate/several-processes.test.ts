import { expect, it } from 'vitest';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import { Deadline } from '../../../src/service/http/transport.ts';
import { SharedRateWindows } from '../../../src/service/index.ts';
import { RateGate } from '../../../src/service/rate-gate/rate-gate.ts';
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

it('a person has one share in all processes together', async () => {
  const { clock, one, other } = windowsOfTwo();
  const group = 'images';
  const limit = ratesPerMinute[group];
  const closed = new AbortController().signal;
  const gates = [one, other].map(
    (windows) => new RateGate({ group, windows, clock, log: () => {}, limit, room: 5 * limit }),
  );
  const passed: string[] = [];
  const enter = (gate: RateGate | undefined, key: string, person: string) => {
    const turn = { operation: 'image', key, person, priority: 'interactive', again: false } as const;
    const deadline = new Deadline(clock, { cancelled: undefined, closed });
    void gate?.enter(turn, deadline).then(() => passed.push(person));
  };
  for (let channel = 0; channel < 40; channel++) enter(gates[channel % 2], `hers ${channel}`, 'eve');
  await clock.advance(1_000);
  // Each process may send another one before it hears of the last.
  expect(passed.length).toBeLessThan(limit * 0.75 + 2);
  enter(gates[0], 'b', 'bob');
  enter(gates[1], 'b', 'bob');
  await clock.advance(100);
  expect(passed.slice(-2)).toEqual(['bob', 'bob']);
});
