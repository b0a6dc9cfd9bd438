import { describe, expect, test } from 'vitest';
import { CancelledError, type ServiceError } from '../../../src/service/index.ts';
import { failureOf, film, patient, stage, until } from '../support/helpers.ts';

describe('the pause before the next try', () => {
  async function pauses(headers: Record<string, string>, status: number, random: number): Promise<number[]> {
    const { client, clock, server } = await stage((_, reply) => reply.send(status, '', headers), {
      timeouts: patient,
      random: () => random,
    });
    const times: number[] = [];
    const failed = failureOf(client.videos.status('a'));
    for (let attempt = 1; attempt <= 4; attempt++) {
      while (server.received.length < attempt) await clock.advance(attempt === 1 ? 0 : 50);
      times.push(clock.now());
    }
    await failed;
    return times.slice(1).map((time, index) => time - (times[index] ?? 0));
  }

  test('doubles, with full jitter', async () => {
    expect(await pauses({}, 500, 1)).toEqual([500, 1_000, 2_000]);
    expect(await pauses({}, 500, 0.5)).toEqual([250, 500, 1_000]);
  });

  test('is what the service asks for', async () => {
    expect(await pauses({ 'retry-after': '7' }, 503, 1)).toEqual([7_000, 7_000, 7_000]);
    expect(await pauses({ 'retry-after-ms': '250' }, 429, 1)).toEqual([250, 250, 250]);
  });

  test('is never longer than a minute, and a moment after a 429 that names none', async () => {
    expect(await pauses({ 'retry-after': '86400' }, 503, 1)).toEqual([60_000, 60_000, 60_000]);
    expect(await pauses({}, 429, 0)).toEqual([1_000, 1_000, 1_000]);
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
    for (const none of ['0', past]) {
      expect(await pauses({ 'retry-after': none }, 429, 0)).toEqual([1_000, 1_000, 1_000]);
      expect(await pauses({ 'retry-after': none }, 503, 1)).toEqual([500, 1_000, 2_000]);
    }
  });

  test.each([
    ['503', 'a pause of this call'],
    ['429', 'a pause of the whole group'],
  ])('ends at once when the caller stops: %s, %s', async (status) => {
    const { client, clock, server } = await stage((_, reply) =>
      reply.send(Number(status), '', { 'retry-after': '30' }),
    );
    const stopping = new AbortController();
    const failed = failureOf(client.videos.submit(film, { signal: stopping.signal }));
    await until(() => server.received.length === 1);
    await clock.advance(1_000);
    stopping.abort();
    const error = await failed;
    expect(error).toBeInstanceOf(CancelledError);
    expect((error as ServiceError).outcome).toBe('not-processed');
    expect(server.received).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});
