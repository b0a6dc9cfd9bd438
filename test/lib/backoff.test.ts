import { describe, expect, it } from 'vitest';
import { spread, untilDone, waitAfter } from '../../src/lib/clock.ts';
import { FakeClock } from '../fakes/clock.ts';

const waits = { first: 1_000, longest: 5_000 };

describe('the wait after a failed try', () => {
  const after = (tries: readonly number[], more = {}) =>
    tries.map((count) => waitAfter(count, { ...waits, ...more }));
  const spreadBy = (part: number) => spread(5_000, { jitter: () => part });

  it('doubles up to the longest, after any number of tries', () => {
    expect(after([1, 2, 3, 4, 5, 5_000])).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it('grows by another factor', () => {
    expect(after([1, 2, 3, 5], { factor: 1.5 })).toEqual([1_000, 1_500, 2_250, 5_000]);
  });

  it('is between half of it and all of it, so that those who failed together come back apart', () => {
    expect([0, 0.5, 1].map(spreadBy)).toEqual([2_500, 3_750, 5_000]);
  });
});

describe('work that is tried until it works', () => {
  it('is tried again after each wait, and gives its result', async () => {
    const clock = new FakeClock();
    const tried: number[] = [];
    const failures: unknown[] = [];
    const work = async () => {
      tried.push(clock.steady());
      if (tried.length < 4) throw new Error(`try ${tried.length}`);
      return 'done';
    };
    const failed = (error: unknown, tries: number) => void failures.push([String(error), tries]);
    const result = untilDone(work, { clock, waits, failed });
    await clock.advance(7_000);
    expect(await result).toBe('done');
    expect(tried.map((at) => at - tried[0]!)).toEqual([0, 1_000, 3_000, 7_000]);
    expect(failures).toEqual([
      ['Error: try 1', 1],
      ['Error: try 2', 2],
      ['Error: try 3', 3],
    ]);
    expect(clock.pending).toBe(0);
  });

  it('is tried again at other times than what failed in the same moment', async () => {
    class Spread extends FakeClock {
      override jitter = () => 0;
    }
    const triedAt = async (clock: FakeClock) => {
      const times: number[] = [];
      const started = clock.steady();
      const work = async () => {
        times.push(clock.steady() - started);
        if (times.length < 3) throw new Error('away');
      };
      const done = untilDone(work, { clock, waits });
      await clock.advance(3_000);
      await done;
      return times;
    };
    expect(await triedAt(new FakeClock())).toEqual([0, 1_000, 3_000]);
    expect(await triedAt(new Spread())).toEqual([0, 500, 1_500]);
  });

  it('ends with what the report of a failure throws', async () => {
    const failed = (error: unknown) => {
      throw error;
    };
    const work = () => Promise.reject(new Error('final'));
    await expect(untilDone(work, { clock: new FakeClock(), waits, failed })).rejects.toThrow('final');
  });

  it('is tried once under a signal that is aborted already, and ends while it waits', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const work = async () => {
      tries += 1;
      throw new Error('no');
    };
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(untilDone(work, { clock, waits, signal })).rejects.toThrow('stopped');
    expect(tries).toBe(1);

    const stop = new AbortController();
    const waiting = untilDone(work, { clock, waits, signal: stop.signal });
    await clock.advance(500);
    stop.abort(new Error('stopped while waiting'));
    await expect(waiting).rejects.toThrow('stopped while waiting');
    expect([tries, clock.pending]).toEqual([2, 0]);
  });
});
