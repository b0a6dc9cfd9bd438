import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { StartGate } from '../../../src/engine/admission.ts';
import type { Clock } from '../../../src/lib/clock.ts';

/** A clock that moves as far as what a turn of the event loop had to do. */
const setting = () => {
  let now = 0;
  const clock = { now: () => now, steady: () => now } as Clock;
  const gate = new StartGate(clock);
  const begun: number[] = [];
  const give = (count: number) => {
    for (let index = 0; index < count; index++) void gate.enter().then(() => begun.push(index));
  };
  const turns = async (count: number, milliseconds: number) => {
    for (let turn = 0; turn < count; turn++) {
      now += milliseconds;
      await nextTurn();
    }
  };
  return { begun, give, turns };
};

describe('what is acknowledged', () => {
  it('begins at once where nothing is going on', async () => {
    const { begun, give, turns } = setting();
    for (let command = 0; command < 3; command++) {
      give(1);
      await Promise.resolve();
      expect(begun).toHaveLength(command + 1);
      await turns(2, 1);
    }
  });

  it('begins one in a turn of the event loop, first come first served', async () => {
    const { begun, give, turns } = setting();
    give(5);
    await turns(2, 0);
    expect(begun.length).toBeLessThanOrEqual(3);
    await turns(6, 0);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('waits while the turns are long, though never for ever', async () => {
    const { begun, give, turns } = setting();
    give(100);
    await turns(20, 25);
    expect(begun.length).toBeGreaterThanOrEqual(8);
    expect(begun.length).toBeLessThanOrEqual(11);
    await turns(100, 0);
    expect(begun).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });
});
