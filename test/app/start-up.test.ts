import { describe, expect, it, vi } from 'vitest';
import { startUp } from '../../src/app/start-up.ts';
import { alone, type Others } from '../../src/coordination/index.ts';
import type { Platform } from '../../src/port/index.ts';
import { type FoundAbandoned, nothingFound, type TakenOver } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { patience } from '../patience.ts';

type Watching = Parameters<Others['watch']>[0];

const nothing: TakenOver = { jobs: [], deliveries: [], renders: [] };
const left: TakenOver = { jobs: [{ id: 'j' }] as never, deliveries: ['d', 'e'], renders: ['r'] };

/** Parts of a bot of which each notes when it's called; what they do takes a moment. */
function setting(taken = left) {
  const order: string[] = [];
  const logged: object[] = [];
  const warned: unknown[] = [];
  const step = async <T>(name: string, result: T): Promise<T> => {
    order.push(`${name} …`);
    await new Promise((done) => setImmediate(done));
    order.push(name);
    return result;
  };
  const faults: Partial<Record<string, Error>> = {};
  const unlessFaulty = (name: string) => {
    const fault = faults[name];
    delete faults[name];
    if (fault) throw fault;
  };
  const failing = async <T>(name: string, result: T): Promise<T> => {
    unlessFaulty(name);
    return step(name, result);
  };
  const late = { resumed: async () => {} };
  const bot = {
    recovery: { notifyAll: (jobs: readonly unknown[]) => order.push(`${jobs.length} people told`) },
    credits: { settleAbandoned: () => failing('credits settled', 0) },
    deliveries: {
      resume: (ids: readonly string[]) => {
        order.push(`${ids.length} deliveries resumed`);
        return late.resumed();
      },
    },
    removals: { goOn: () => {} },
    sharing: { goOn: async () => unlessFaulty('posts shared') },
    renders: { resume: () => failing('renders resumed', 3) },
  } as never;
  const state = { next: taken };
  const processes = {
    begin: () => step('on record', undefined),
    end: () => step('off the record', undefined),
    takeOver: (..._: [id: string, platforms: unknown, found?: FoundAbandoned]) =>
      step('rows taken over', state.next),
  };
  let watching: Watching | undefined;
  const stopWatching = vi.fn();
  const others: Others = {
    watch(on) {
      watching = on;
      return stopWatching;
    },
    living: async () => new Set(),
    present: async () => new Set(),
    ended: () => step('others told', undefined),
  };
  const stop = new AbortController();
  const clock = new FakeClock();
  const platforms: Pick<Platform, 'caughtUp' | 'takeUp'>[] = [
    {
      caughtUp: () => step('what was missed known', undefined),
      takeUp: () => step('platform looked after', undefined),
    },
    {},
  ];
  const start = (startReceiving = () => step('receiving', 'what was started'), locks = alone().locks) =>
    startUp({
      bot,
      processes,
      coordination: { ...alone(), others, locks },
      configured: new Map([['slack', 'all']]),
      platforms: () => platforms,
      startReceiving,
      takenForDead: vi.fn(),
      stopping: stop.signal,
      clock,
      log: { info: (data: object) => logged.push(data), warn: (data: object) => warned.push(data) } as never,
    });
  const gone = async () => {
    order.length = 0;
    watching?.gone();
    await vi.waitFor(() => expect(order.at(-1)).toMatch(/people told$/), patience);
  };
  /** The same where it succeeds at the second attempt only. */
  const goneTwice = async () => {
    const again = gone();
    await vi.waitFor(() => expect(clock.pending).toBe(1), patience);
    await clock.runNext();
    await again;
  };
  const parts = { order, logged, warned, late, stop, start, step, state, faults, processes, clock };
  return { ...parts, stopWatching, platforms, gone, goneTwice, watching: () => watching };
}

const lastSteps = ['2 deliveries resumed', 'renders resumed', '1 people told'];
const away = () => Object.assign(new Error('away'), { code: 'ERR_POSTGRES_AWAY' });
const ended = (order: readonly string[]) => order.filter((name) => !name.endsWith(' …'));

describe('starting up', () => {
  it('takes up what dead processes left in its order, one step after the other', async () => {
    const { order, logged, start } = setting();
    expect((await start()).started).toBe('what was started');
    const steps = ['on record', 'rows taken over', 'credits settled', 'receiving', 'what was missed known'];
    steps.push('platform looked after', ...lastSteps.slice(0, -1));
    const unawaited = lastSteps.slice(0, 1);
    const withBegin = (name: string) => (unawaited.includes(name) ? [name] : [`${name} …`, name]);
    expect(order).toEqual([...steps.flatMap(withBegin), ...lastSteps.slice(-1)]);
    expect(logged).toEqual([{ answers: 2, renders: 1, commands: 1 }]);
  });

  it('leaves what was left to another process when it is to stop already', async () => {
    const { order, stop, start, step } = setting();
    await start(async () => {
      stop.abort();
      return step('receiving', 'what was started');
    });
    expect(order).not.toContain('platform looked after …');
  });

  it('goes on after a while where a platform can’t be reached, which may never tell what was missed', async () => {
    const { order, start, platforms, clock } = setting();
    platforms.push({ caughtUp: () => new Promise(() => {}) });
    const started = start();
    await vi.waitFor(() => expect(clock.pending).toBe(1), patience);
    await clock.advance(9_000);
    expect(order.at(-1)).toBe('what was missed known');
    await clock.advance(1_000);
    await started;
    expect(order.at(-1)).toBe('1 people told');
  });

  it('waits for what one platform tells though another can’t say what was missed', async () => {
    const { order, start, step, platforms } = setting();
    platforms[0] = { caughtUp: () => Promise.reject(new Error('away')) };
    platforms.push({
      async caughtUp() {
        await step('a moment', undefined);
        await step('what was missed elsewhere known', undefined);
      },
    });
    await start();
    expect(ended(order)).toEqual([
      ...['on record', 'rows taken over', 'credits settled', 'receiving', 'a moment'],
      ...['what was missed elsewhere known', ...lastSteps],
    ]);
  });

  it('waits for no platform when it is to stop', async () => {
    const { order, start, platforms, clock, stop } = setting();
    platforms.push({ caughtUp: () => new Promise(() => {}) });
    const started = start();
    await vi.waitFor(() => expect(order.at(-1)).toBe('what was missed known'), patience);
    expect(clock.pending).toBe(1);
    stop.abort();
    await started;
    expect(order.at(-1)).toBe('what was missed known');
  });

  it('goes on with what it took when the database was away in between', async () => {
    const { order, start, clock, faults } = setting();
    faults['renders resumed'] = away();
    const started = start();
    await Promise.race([vi.waitFor(() => expect(clock.pending).toBe(1), patience), started]);
    await clock.runNext();
    expect((await started).started).toBe('what was started');
    expect(ended(order).slice(-4)).toEqual(['platform looked after', ...lastSteps]);
  });

  it('tells people once, whatever else has to be tried again', async () => {
    const { order, start, clock, faults } = setting();
    faults['posts shared'] = away();
    const started = start();
    await Promise.race([vi.waitFor(() => expect(clock.pending).toBe(1), patience), started]);
    await clock.runNext();
    await started;
    expect(order.filter((name) => name.endsWith('told'))).toEqual(['1 people told']);
  });

  it('says once why it doesn’t go on yet', async () => {
    const { start, clock, faults, warned } = setting();
    const error = away();
    const failsAgain = () => void (faults['renders resumed'] = error);
    failsAgain();
    const started = start();
    for (const before of [failsAgain, failsAgain, () => {}]) {
      await Promise.race([vi.waitFor(() => expect(clock.pending).toBe(1), patience), started]);
      before();
      await clock.runNext();
    }
    expect(warned).toEqual([{ error }]);
    expect((await started).started).toBe('what was started');
  });

  it('ends well where it is to stop while the database is away', async () => {
    const { start, clock, faults, stop } = setting();
    faults['renders resumed'] = away();
    const started = start();
    await Promise.race([vi.waitFor(() => expect(clock.pending).toBe(1), patience), started]);
    stop.abort();
    expect((await started).started).toBe('what was started');
  });

  it('waits for no late answer, of which there may be thousands', async () => {
    const { order, start, late } = setting();
    late.resumed = () => new Promise(() => {});
    expect((await start()).started).toBe('what was started');
    expect(order.at(-1)).toBe('1 people told');
  });

  it('takes nothing up where the platforms cannot start', async () => {
    const { order, start } = setting();
    await expect(start(() => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    expect(order.at(-1)).toBe('credits settled');
  });
});

describe('when another process has ended', () => {
  it('does the same again with what that had in hand', async () => {
    const { order, start, gone } = setting();
    await start();
    await gone();
    expect(ended(order)).toEqual([
      'what was missed known',
      'rows taken over',
      'credits settled',
      'platform looked after',
      ...lastSteps,
    ]);
  });

  it('logs nothing where that left nothing', async () => {
    const { logged, start, gone, state } = setting();
    await start();
    logged.length = 0;
    state.next = nothing;
    await gone();
    expect(logged).toEqual([]);
  });

  it('goes on with what it took when the database was away in between', async () => {
    const { order, start, goneTwice, faults } = setting();
    await start();
    faults['renders resumed'] = away();
    await goneTwice();
    expect(ended(order)).toEqual([
      'what was missed known',
      'rows taken over',
      'credits settled',
      'platform looked after',
      '2 deliveries resumed',
      'platform looked after',
      ...lastSteps,
    ]);
  });

  it('goes on with what it took when credits could be settled only later', async () => {
    const { order, start, step, goneTwice, faults, processes } = setting();
    await start();
    // What was taken over is no dead process's any more: only those who remember it get it again.
    let isTaken = false;
    processes.takeOver = (_, __, found = nothingFound()) => {
      const isOurs = !isTaken || found.jobs.has('j');
      isTaken = true;
      if (isOurs) found.jobs.add('j');
      return step('rows taken over', isOurs ? left : nothing);
    };
    faults['credits settled'] = away();
    await goneTwice();
    expect(ended(order).slice(-2)).toEqual(['renders resumed', '1 people told']);
  });

  it('takes over once more for all that ended meanwhile', async () => {
    const { order, start, watching } = setting();
    await start();
    order.length = 0;
    for (let count = 0; count < 5; count++) watching()?.gone();
    const told = () => order.filter((name) => name === '1 people told');
    await vi.waitFor(() => expect(told()).toHaveLength(1), patience);
    watching()?.gone();
    await vi.waitFor(() => expect(told()).toHaveLength(2), patience);
  });
});

it('is on record again where the database has come back without it', async () => {
  const { order, start, watching } = setting();
  await start();
  order.length = 0;
  await watching()?.beginAgain();
  expect(ended(order)).toEqual(['on record']);
});

it('tells the others when it ends, after its record says so', async () => {
  const { order, start, stopWatching } = setting();
  const { end } = await start();
  order.length = 0;
  await end();
  expect(ended(order)).toEqual(['off the record', 'others told']);
  expect(stopWatching).toHaveBeenCalled();
});

it('lets others start and receive while it waits for a platform that doesn’t tell what was missed', async () => {
  const { locks } = alone();
  const received: number[] = [];
  const all = Array.from({ length: 4 }, (_, index) => ({ ...setting(), index }));
  for (const { platforms, start, index } of all) {
    platforms.push({ caughtUp: () => new Promise(() => {}) });
    void start(async () => {
      received.push(index);
      return 'what was started';
    }, locks);
  }
  await vi.waitFor(() => expect(received).toEqual([0, 1, 2, 3]), patience);
  for (const { clock } of all) await clock.advance(10_000);
});
