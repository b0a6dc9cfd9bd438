import { describe, expect, test } from 'vitest';

import { ServiceError } from '../../src/service/index.ts';
import { isLong } from '../long-form.ts';
import { calls } from './support/any-answers.ts';
import { outcome, patient, stage } from './support/helpers.ts';

describe('an answer without end', () => {
  const bytes = 200_000;
  const limits = { tries: 1, answerBytes: bytes, speechBytes: bytes, eventCharacters: bytes };
  const heads: Record<string, string> = {
    'of one string': '{"id":"',
    'of spaces': ' ',
    'of an event': 'data: {"',
    'of audio': 'RIFF\0\0\0\0WAVE',
    'of a page': '<html>',
  };

  test.each(
    Object.keys(heads)
      .flatMap((name) => calls.slice(0, -1).map((call, index) => [name, index, call] as const))
      .filter((_, number) => isLong || number % 3 === 0),
  )('%s ends call %d before it fills the memory', async (name, _, call) => {
    let sent = 0;
    const { client, clock } = await stage(
      async (_request, reply) => {
        reply.start();
        reply.chunk(heads[name] ?? '');
        const filler = name === 'of spaces' ? ' ' : 'x';
        while (!reply.socket.destroyed && sent < 1_000 * bytes) {
          reply.chunk(filler.repeat(16_384));
          sent += 16_384;
          if (reply.socket.writableNeedDrain)
            await Promise.race([new Promise((resolve) => reply.socket.once('drain', resolve)), reply.closed]);
        }
        reply.destroy();
      },
      { limits, timeouts: patient },
    );
    const result = await outcome(clock, call(client));
    expect(result).toBeInstanceOf(ServiceError);
    // The system's own buffers take some megabytes for each connection.
    expect(sent).toBeLessThan(100 * bytes);
  });

  test.each(calls.map((call, index) => [index, call] as const))(
    'in its head ends call %d',
    async (_, call) => {
      const { client, clock } = await stage(
        async (_request, reply) => {
          reply.raw('HTTP/1.1 200 OK\r\n');
          for (let line = 0; !reply.socket.destroyed; line++) {
            reply.raw(`x-${line}: ${'x'.repeat(1_000)}\r\n`);
            await new Promise((resolve) => setImmediate(resolve));
          }
        },
        { limits, timeouts: patient },
      );
      expect(await outcome(clock, call(client))).toBeInstanceOf(ServiceError);
    },
  );
});
