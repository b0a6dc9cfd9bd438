import { describe, expect, it } from 'vitest';
import { startUp } from '../../src/app/start-up.ts';

/** Parts of a bot of which each notes when it's called; what they do takes a moment. */
function setting({ interrupted = 1, answers = 2, renders = 3 } = {}) {
  const order: string[] = [];
  const logged: object[] = [];
  const step = async <T>(name: string, result: T): Promise<T> => {
    order.push(`${name} …`);
    await new Promise((done) => setImmediate(done));
    order.push(name);
    return result;
  };
  const bot = {
    recovery: {
      findUnfinished: () => step('unfinished commands noted', interrupted),
      notifyAll: () => order.push('people told'),
    },
    credits: { settleAbandoned: () => step('credits settled', 0) },
    deliveries: { resume: () => step('deliveries resumed', answers) },
    renders: { resume: () => step('renders resumed', renders) },
  } as unknown as Parameters<typeof startUp>[0];
  const stop = new AbortController();
  const start = (startReceiving = () => step('receiving', 'what was started')) =>
    startUp(bot, {
      startReceiving,
      stopping: stop.signal,
      log: { info: (data: object) => logged.push(data) } as never,
    });
  return { order, logged, stop, start, step };
}

describe('starting up', () => {
  it('takes up what the last process left in its order, one step after the other', async () => {
    const { order, logged, start } = setting();
    expect(await start()).toBe('what was started');
    expect(order).toEqual([
      'unfinished commands noted …',
      'unfinished commands noted',
      'credits settled …',
      'credits settled',
      'receiving …',
      'receiving',
      'deliveries resumed …',
      'deliveries resumed',
      'renders resumed …',
      'renders resumed',
      'people told',
    ]);
    expect(logged).toEqual([{ answers: 2 }, { renders: 3 }, { jobs: 1 }]);
  });

  it('logs nothing where nothing was left', async () => {
    const { order, logged, start } = setting({ interrupted: 0, answers: 0, renders: 0 });
    await start();
    expect(order.at(-1)).toBe('people told');
    expect(logged).toEqual([]);
  });

  it('leaves what was left to the next start when the process is to stop already', async () => {
    const { order, stop, start, step } = setting();
    await start(async () => {
      stop.abort();
      return step('receiving', 'what was started');
    });
    expect(order.at(-1)).toBe('receiving');
  });

  it('takes nothing up where the platforms cannot start', async () => {
    const { order, start } = setting();
    await expect(start(() => Promise.reject(new Error('no port')))).rejects.toThrow('no port');
    expect(order.at(-1)).toBe('credits settled');
  });
});
