import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeChatPiece } from '../../src/service/chat-decoder.ts';
import { decodeErrorBody, decodeErrorValue, ShapeReporter } from '../../src/service/decode/answer.ts';
import { mediaType } from '../../src/service/decode/media.ts';
import { decodeTask } from '../../src/service/decode/task.ts';
import { ServiceError } from '../../src/service/index.ts';
import { decodeVoices } from '../../src/service/operations/voices.ts';
import { isLong } from '../long-form.ts';
import { calls, json } from './support/any-answers.ts';
import { outcome, patient, stage } from './support/helpers.ts';

describe('the decoders', () => {
  test('take any JSON', () => {
    const shapes = new ShapeReporter(() => undefined);
    fc.assert(
      fc.property(json, (value) => {
        decodeChatPiece(value);
        decodeErrorValue(value);
        decodeVoices(value);
        for (const kind of ['image', 'video'] as const) {
          const task = decodeTask(value, kind, shapes);
          if (!task) continue;
          const { state, progress = 0, results } = task.status;
          expect(['waiting', 'running', 'ready', 'failed']).toContain(state);
          expect(progress).toBeGreaterThanOrEqual(0);
          expect(progress).toBeLessThanOrEqual(1);
          if (state !== 'ready') expect(results).toEqual([]);
        }
      }),
      { numRuns: isLong ? 3_000 : 600 },
    );
  });

  test('take any text and any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (text, bytes) => {
        decodeErrorBody(text);
        mediaType(bytes);
      }),
      { numRuns: isLong ? 2_000 : 400 },
    );
  });

  test('pollute no prototype', () => {
    decodeTask(
      JSON.parse('{"__proto__":{"polluted":1},"id":"a"}'),
      'image',
      new ShapeReporter(() => undefined),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

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
