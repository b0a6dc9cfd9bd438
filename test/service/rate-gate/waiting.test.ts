import { describe, expect, test } from 'vitest';
import { type CallOptions, QueueFullError } from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import { answers, Gate, gated } from '../support/gated.ts';
import { ask, draw, failureOf, film, outcome, patient, say, stage, until } from '../support/helpers.ts';

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

  test('makes room for others where one person waits in many conversations', async () => {
    const { call, open, order } = await gated({ waiting: 4 });
    const hers = [0, 1, 2].map((index) =>
      call(`hers ${index}`, { conversationId: `hers-${index}`, fairnessPerson: 'eve' }),
    );
    void call('his', { conversationId: 'b', fairnessPerson: 'bob' });
    void call('another’s', { conversationId: 'c', fairnessPerson: 'carl' });
    expect(await hers[2]).toBeInstanceOf(QueueFullError);
    await open(4);
    expect(order).toEqual(['hers 0', 'his', 'another’s', 'hers 1']);
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
