import { describe, expect, test } from 'vitest';
import {
  type CallOptions,
  MemoryRateWindows,
  QueueFullError,
  type RateWindows,
} from '../../src/service/index.ts';
import { FairLine } from '../../src/service/waiting/fair-line.ts';
import { ratesPerMinute } from '../../src/spec/limits.ts';
import { FakeClock, settle } from '../fakes/clock.ts';
import { ask, draw, failureOf, film, outcome, patient, say, stage, until } from './helpers.ts';
import type { Script } from './raw-server.ts';

/** Windows that let through just as many as a test says. */
class Gate implements RateWindows {
  free = 0;
  asked = 0;

  take(): number {
    this.asked++;
    if (this.free === 0) return 1_000;
    this.free--;
    return 0;
  }

  pause(): void {
    this.free = 0;
  }
}

const answers: Script = (request, reply) => {
  if (request.path.endsWith('completions')) reply.json(200, { choices: [{ message: { content: 'a' } }] });
  else if (request.path.endsWith('speech')) reply.send(200, 'RIFF\0\0\0\0WAVEfmt ');
  else if (request.path.endsWith('voices')) reply.json(200, []);
  else reply.json(200, { id: 'a', status: 'running', data: [] });
};

/** A client behind a gate, and the order in which its calls are let through, by their names. */
async function gated(options: { waiting?: number } = {}) {
  const gate = new Gate();
  const { waiting = 1_000 } = options;
  const all = { chat: waiting, voice: waiting, images: waiting, videos: waiting, status: waiting };
  const set = await stage(answers, { windows: gate, timeouts: patient, limits: { waiting: all } });
  const order: string[] = [];
  const call = (name: string, callOptions: CallOptions = {}) => {
    const done = set.client.chat.create({ ...ask, messages: [{ role: 'user', content: name }] }, callOptions);
    return done.then(
      () => void order.push(name),
      (error: Error) => error,
    );
  };
  /** Lets some through, one after the other. */
  const open = async (count: number) => {
    for (let turn = 0; turn < count; turn++) {
      const before = order.length;
      gate.free = 1;
      while (order.length === before) await set.clock.advance(1_000);
    }
  };
  return { ...set, gate, order, call, open };
}

describe('the rate windows', () => {
  const spend = (windows: MemoryRateWindows, group: 'chat' | 'videos') => {
    let count = 0;
    while (windows.take(group) === 0) count++;
    return count;
  };

  test.each(Object.entries(ratesPerMinute))('of %s let %d through at once, and no more', (group, limit) => {
    const windows = new MemoryRateWindows(new FakeClock());
    expect(spend(windows, group as 'chat')).toBe(limit);
    expect(windows.take(group as 'chat')).toBeGreaterThan(59_000);
  });

  test('never let through more than the limit within any minute', () => {
    let now = 0;
    const windows = new MemoryRateWindows({ now: () => now, after: () => () => undefined });
    const times: number[] = [];
    for (let step = 0; step < 2_000; step++) {
      // Bunches and gaps of all sizes.
      now += (step * 7_919) % 900;
      if (windows.take('videos') === 0) times.push(now);
    }
    expect(times.length).toBeGreaterThan(100);
    times.forEach((time, index) => {
      const tenth = times[index + ratesPerMinute.videos];
      if (tenth !== undefined) expect(tenth - time).toBeGreaterThanOrEqual(60_000);
    });
  });

  test('tell when asking again makes sense', async () => {
    const clock = new FakeClock();
    const windows = new MemoryRateWindows(clock);
    spend(windows, 'videos');
    const wait = windows.take('videos');
    await clock.advance(wait - 1);
    expect(windows.take('videos')).toBe(1);
    await clock.advance(1);
    expect(windows.take('videos')).toBe(0);
  });

  test('of one group leave the others alone', () => {
    const windows = new MemoryRateWindows(new FakeClock());
    spend(windows, 'chat');
    windows.pause('chat', 5_000);
    expect(windows.take('videos')).toBe(0);
  });

  test('pause as long as they are told, the longest pause counts', async () => {
    const clock = new FakeClock();
    const windows = new MemoryRateWindows(clock);
    windows.pause('chat', 5_000);
    windows.pause('chat', 2_000);
    expect(windows.take('chat')).toBe(5_000);
    await clock.advance(5_000);
    expect(windows.take('chat')).toBe(0);
  });

  test('survive a clock that is set back', () => {
    let now = 10_000_000;
    const windows = new MemoryRateWindows({ now: () => now, after: () => () => undefined });
    windows.pause('videos', 30_000);
    now += 30_000;
    spend(windows, 'videos');
    now -= 3_600_000;
    expect(windows.take('videos')).toBeLessThanOrEqual(61_000);
  });
});

describe('a fair line', () => {
  const line = (...keys: string[]) => {
    const fair = new FairLine<{ key: string; name: string }>();
    keys.forEach((key, index) => {
      fair.add({ key, name: key + index });
    });
    return fair;
  };
  const drain = (fair: FairLine<{ key: string; name: string }>) => {
    const names: string[] = [];
    for (let entry = fair.next(); entry; entry = fair.next()) names.push(entry.name);
    return names;
  };

  test('serves the keys in turns, and each key in order', () => {
    const fair = line('a', 'a', 'a', 'b', 'c', 'b');
    const planned = [...fair.inOrder()].map((entry) => entry.name);
    expect(drain(fair)).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
    expect(planned).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2']);
  });

  test('lets one go ahead of its key', () => {
    const fair = line('a', 'b', 'a');
    fair.add({ key: 'a', name: 'back again' }, true);
    expect(drain(fair)).toEqual(['back again', 'b1', 'a0', 'a2']);
  });

  test('forgets a key with nobody waiting', () => {
    const fair = line('a');
    const entry = { key: 'b', name: 'b' };
    fair.add(entry);
    expect(fair.remove(entry)).toBe(true);
    expect(fair.remove(entry)).toBe(false);
    expect(drain(fair)).toEqual(['a0']);
    expect([fair.size, fair.count('a'), fair.count('b')]).toEqual([0, 0, 0]);
  });
});

describe('calls that wait', () => {
  test('go in turns between conversations: one noisy, twenty quiet', async () => {
    const { call, open, order } = await gated();
    for (let index = 0; index < 100; index++) void call(`noisy ${index}`, { conversationId: 'noisy' });
    for (let index = 0; index < 20; index++)
      void call(`quiet ${index}`, { conversationId: `quiet-${index}` });
    await open(23);
    expect(order.slice(0, 21)).toEqual([
      'noisy 0',
      ...Array.from({ length: 20 }, (_, index) => `quiet ${index}`),
    ]);
    expect(order.slice(21)).toEqual(['noisy 1', 'noisy 2']);
  });

  test('go by the fairness key where there is one', async () => {
    const { call, open, order } = await gated();
    void call('a1', { conversationId: 'one', fairnessKey: 'guild' });
    void call('a2', { conversationId: 'two', fairnessKey: 'guild' });
    void call('b1', { conversationId: 'three', fairnessKey: 'other guild' });
    await open(3);
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  test('go first come first served without any key', async () => {
    const { call, open, order } = await gated();
    for (const name of ['1', '2', '3']) void call(name);
    await open(3);
    expect(order).toEqual(['1', '2', '3']);
  });

  test('for a person go before those nobody waits for', async () => {
    const { call, open, order } = await gated();
    void call('background 1', { priority: 'background' });
    void call('background 2', { priority: 'background' });
    void call('person 1');
    await open(1);
    void call('person 2');
    await open(3);
    expect(order).toEqual(['person 1', 'person 2', 'background 1', 'background 2']);
  });

  test('of one group do not wait for those of another', async () => {
    const { client, server } = await stage(answers, { timeouts: patient });
    const films = Promise.allSettled(Array.from({ length: 12 }, () => client.videos.submit(film)));
    const sent = () => server.received.filter((request) => request.path === '/v1/videos').length;
    await until(() => sent() === 10);
    await client.chat.create(ask);
    await client.images.submit(draw);
    await client.speech.create(say);
    await client.videos.status('a');
    expect(sent()).toBe(10);
    await client.close();
    await films;
  });

  test('stop waiting with their caller, and leave no trace', async () => {
    const { call, open, order, clock, client, gate } = await gated();
    const stopping = new AbortController();
    const stopped = call('stopped', { conversationId: 'a', signal: stopping.signal });
    void call('next', { conversationId: 'a' });
    await settle();
    stopping.abort();
    expect(await stopped).toMatchObject({ name: 'CancelledError', outcome: 'not-processed' });
    await open(1);
    expect(order).toEqual(['next']);
    await settle();
    expect(clock.pending).toBe(0);
    const asked = gate.asked;
    await clock.advance(60_000);
    expect(gate.asked).toBe(asked);
    await client.close();
  });

  test('stop waiting when the client is closed', async () => {
    const { call, client, server, clock } = await gated();
    const waiting = call('a');
    await settle();
    await client.close();
    expect(await waiting).toMatchObject({ name: 'ClientClosedError', outcome: 'not-processed' });
    expect(server.received).toHaveLength(0);
    expect(clock.pending).toBe(0);
  });

  test('do not wait for ever', async () => {
    const gate = new Gate();
    const { client, clock, server } = await stage(answers, { windows: gate });
    const error = await outcome(clock, client.chat.create(ask));
    expect(error).toMatchObject({ name: 'TimeoutError', limit: 'waiting', outcome: 'not-processed' });
    expect(server.received).toHaveLength(0);
  });
});

describe('a full queue', () => {
  test('turns a call away with a clear error', async () => {
    const { call } = await gated({ waiting: 3 });
    const calls = ['1', '2', '3', '4'].map((name) => call(name));
    const error = await calls[3];
    expect(error).toBeInstanceOf(QueueFullError);
    expect(error).toMatchObject({ limit: 3, outcome: 'not-processed', retryable: true, operation: 'chat' });
    expect((error as Error).message).toBe('chat: 3 calls are waiting already');
  });

  test('makes room for the quiet where one is noisy', async () => {
    const { call, open, order } = await gated({ waiting: 5 });
    const noisy = [0, 1, 2, 3, 4].map((index) => call(`noisy ${index}`, { conversationId: 'noisy' }));
    void call('quiet 1', { conversationId: 'a' });
    void call('quiet 2', { conversationId: 'b' });
    expect(await noisy[4]).toBeInstanceOf(QueueFullError);
    expect(await noisy[3]).toBeInstanceOf(QueueFullError);
    await open(5);
    expect(order).toEqual(['noisy 0', 'quiet 1', 'quiet 2', 'noisy 1', 'noisy 2']);
  });

  test('makes room for people where nobody waits for others', async () => {
    const { call, open, order } = await gated({ waiting: 2 });
    const background = [1, 2].map((index) => call(`background ${index}`, { priority: 'background' }));
    void call('person');
    expect(await background[1]).toBeInstanceOf(QueueFullError);
    expect(await call('another background', { priority: 'background' })).toBeInstanceOf(QueueFullError);
    await open(2);
    expect(order).toEqual(['person', 'background 1']);
  });

  test('has room for five minutes of calls', async () => {
    const { client } = await stage(answers, { windows: new Gate(), timeouts: patient });
    const waiting = Array.from({ length: 51 }, () => failureOf(client.videos.submit(film)));
    expect(await waiting[50]).toMatchObject({ limit: 50 });
    await client.close();
    await Promise.all(waiting);
  });
});

describe('whoever waits over 2 s', () => {
  test('is told the place, and told again when it changes', async () => {
    const { call, open, clock, gate } = await gated();
    const places: Record<string, number[]> = {};
    const wait = (name: string, options: CallOptions) => {
      places[name] = [];
      void call(name, { ...options, onWait: (place) => places[name]?.push(place) });
    };
    wait('a1', { conversationId: 'a' });
    wait('a2', { conversationId: 'a' });
    wait('b1', { conversationId: 'b' });
    wait('last', { conversationId: 'c', priority: 'background' });
    await clock.advance(1_000);
    expect(places).toEqual({ a1: [], a2: [], b1: [], last: [] });
    await clock.advance(1_000);
    expect(places).toEqual({ a1: [1], a2: [3], b1: [2], last: [4] });
    await clock.advance(5_000);
    expect(places.last).toEqual([4]);
    await open(1);
    await clock.advance(1_000);
    expect(places).toEqual({ a1: [1], a2: [3, 2], b1: [2, 1], last: [4, 3] });
    gate.free = 0;
  });

  test('is not told where the way is free', async () => {
    const { client, clock } = await stage(answers);
    const places: number[] = [];
    await client.chat.create(ask, { onWait: (place) => places.push(place) });
    await clock.advance(10_000);
    expect(places).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('may throw when told, and no harm is done', async () => {
    const { call, open, order, clock, logged } = await gated();
    void call('a', {
      onWait: () => {
        throw new RangeError('secret');
      },
    });
    await clock.advance(2_000);
    await open(1);
    expect(order).toEqual(['a']);
    expect(logged).toContainEqual({
      level: 'warn',
      event: 'callback-failed',
      fields: { error: 'RangeError' },
    });
  });
});

describe('a 429', () => {
  test('stops the whole group for as long as it says, and only that group', async () => {
    const { client, server, clock } = await stage(
      (request, reply, index) =>
        index === 0 ? reply.send(429, '', { 'retry-after': '20' }) : answers(request, reply, index),
      { timeouts: patient },
    );
    const first = client.videos.submit(film);
    while (server.received.length === 0) await settle();
    await settle();
    const second = client.videos.submit(film);
    await client.chat.create(ask);
    await clock.advance(19_999);
    expect(server.received.map((request) => request.path)).toEqual(['/v1/videos', '/v1/chat/completions']);
    await clock.advance(1);
    await Promise.all([first, second]);
    expect(server.received).toHaveLength(4);
  });

  test('sends its call back to the head of its key', async () => {
    const gate = new Gate();
    const contents: unknown[] = [];
    const { client, clock } = await stage(
      (request, reply, index) => {
        contents.push((request.json().messages as { content: string }[])[0]?.content);
        if (index === 0) reply.send(429, '', { 'retry-after': '20' });
        else answers(request, reply, index);
      },
      { timeouts: patient, windows: gate },
    );
    gate.free = 1;
    const done = ['first', 'second', 'third'].map((content) =>
      client.chat.create({ ...ask, messages: [{ role: 'user', content }] }, { conversationId: 'a' }),
    );
    while (contents.length === 0) await settle();
    await settle();
    gate.free = 3;
    await Promise.all(done.map((call) => outcome(clock, call)));
    expect(contents).toEqual(['first', 'first', 'second', 'third']);
  });
});

describe('windows shared by several processes', () => {
  const shared = (take: () => Promise<number>): RateWindows => ({ take, pause: async () => undefined });

  test('are asked one at a time, and waited for', async () => {
    let asking = 0;
    let most = 0;
    const windows = shared(async () => {
      most = Math.max(most, ++asking);
      await settle();
      asking--;
      return 0;
    });
    const { client, server } = await stage(answers, { windows });
    await Promise.all(Array.from({ length: 10 }, () => client.chat.create(ask)));
    expect(server.received).toHaveLength(10);
    expect(most).toBe(1);
  });

  test.each([
    ['reject', () => Promise.reject(new Error('secret'))],
    [
      'throw',
      () => {
        throw new Error('secret');
      },
    ],
  ])('that %s stop nobody', async (_, take) => {
    const { client, logged } = await stage(answers, { windows: shared(take) });
    expect((await client.chat.create(ask)).text).toBe('a');
    expect(logged[0]).toEqual({
      level: 'warn',
      event: 'windows-failed',
      fields: { group: 'chat', error: 'Error' },
    });
  });
});
