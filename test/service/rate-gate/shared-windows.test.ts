import { describe, expect, test } from 'vitest';
import type { RateWindows } from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import { answers, Gate } from '../support/gated.ts';
import { ask, film, outcome, patient, stage } from '../support/helpers.ts';

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
