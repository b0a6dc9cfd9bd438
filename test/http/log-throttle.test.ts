import { expect, it } from 'vitest';
import { LogThrottle } from '../../src/http/local-request.ts';
import { FakeClock } from '../fakes/clock.ts';

it('writes one line a minute, with a count, however the clock is set', async () => {
  const clock = new FakeClock();
  const throttle = new LogThrottle(clock);
  const said: number[] = [];
  const note = () => throttle.note((times) => said.push(times));
  note();
  clock.step(3_600_000);
  for (let again = 0; again < 3; again++) note();
  expect(said).toEqual([1]);
  clock.step(-7_200_000);
  await clock.advance(60_000);
  note();
  expect(said).toEqual([1, 4]);
});
