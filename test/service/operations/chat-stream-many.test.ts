import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CancelledError, TruncatedStreamError } from '../../../src/service/index.ts';
import { settle } from '../../fakes/clock.ts';
import { begun, delta, done, failureOf, stop } from '../support/helpers.ts';

test('the text of a few answers is read as it arrives', async () => {
  const { events, reply } = await begun(8);
  for (const letter of ['b', 'c']) {
    reply.chunk(delta(letter));
    expect((await events.next()).value).toMatchObject({ text: letter });
  }
});

test('of many, what arrives within a tenth of a second is read together', async () => {
  const { events, reply, clock } = await begun(9);
  const next = events.next();
  for (const letter of ['b', 'c', 'd']) {
    await clock.advance(30);
    reply.chunk(delta(letter));
    await settle();
  }
  await clock.advance(10);
  expect((await next).value).toMatchObject({ text: 'bcd' });
  const last = events.next();
  reply.chunk(delta('e') + stop + done);
  reply.end();
  await settle();
  await clock.advance(100);
  expect((await last).value).toMatchObject({ text: 'e' });
  expect((await events.next()).value).toMatchObject({ type: 'end', finishReason: 'stop' });
});

test('until then it stays with the operating system, all but the beginning', async () => {
  const sockets: Socket[] = [];
  const note = (message: unknown) => sockets.push((message as { readonly socket: Socket }).socket);
  subscribe('undici:client:connected', note);
  const { events, reply, clock } = await begun(9);
  unsubscribe('undici:client:connected', note);
  const socket = sockets.find(({ localPort }) => localPort === reply.socket.remotePort);
  const next = events.next();
  const write = async (letter: string) => {
    reply.chunk(delta(letter));
    await settle();
  };
  await write('b');
  await write('c');
  const readByThen = socket?.bytesRead;
  await write('d');
  await write('e');
  expect(socket?.bytesRead).toBe(readByThen);
  await clock.advance(100);
  expect((await next).value).toMatchObject({ text: 'bcde' });
});

test('and it is read as it arrives again once they are few', async () => {
  const { answers, events, reply } = await begun(9);
  await answers.at(-1)?.events.return();
  reply.chunk(delta('b'));
  expect((await events.next()).value).toMatchObject({ text: 'b' });
});

test('leaving one of many ends it at once', async () => {
  const { events, leaving } = await begun(9);
  const failed = failureOf(events.next());
  leaving.abort();
  expect(await failed).toBeInstanceOf(CancelledError);
});

test('what has arrived of one of many counts, though its connection breaks meanwhile', async () => {
  const whole = await begun(9);
  const next = whole.events.next();
  whole.reply.chunk(delta('b') + stop + done);
  await settle();
  whole.reply.destroy();
  await settle();
  await whole.clock.advance(100);
  expect((await next).value).toMatchObject({ text: 'b' });
  expect((await whole.events.next()).value).toMatchObject({ type: 'end', finishReason: 'stop' });
  const cut = await begun(9);
  const more = cut.events.next();
  cut.reply.chunk(delta('b'));
  await settle();
  cut.reply.destroy();
  await settle();
  await cut.clock.advance(100);
  expect((await more).value).toMatchObject({ text: 'b' });
  const failed = failureOf(cut.events.next());
  await settle();
  await cut.clock.advance(100);
  expect(await failed).toBeInstanceOf(TruncatedStreamError);
});

test('also where a proxy has compressed it', async () => {
  const { events, reply, clock } = await begun(9, { 'content-encoding': 'gzip' }, gzipSync);
  const next = events.next();
  for (const text of [delta('b'), delta('c') + stop + done]) {
    reply.chunk(gzipSync(text));
    await settle();
  }
  // The decoder, which works on other threads, has its time now, and none later.
  for (let turn = 0; turn < 10; turn++) await promisify(gzip)(delta('b')).then(settle);
  reply.destroy();
  await settle();
  const busy = Array.from({ length: 16 }, () => promisify(gzip)(randomBytes(1_000_000)));
  await clock.advance(100);
  expect((await next).value).toMatchObject({ text: 'bc' });
  expect((await events.next()).value).toMatchObject({ type: 'end', finishReason: 'stop' });
  await Promise.all(busy);
});

describe('where streams hand out one piece at a time, as those of Node 26 do (nodejs/node#60441)', () => {
  /** The stream's next piece, whatever else has arrived. */
  async function inPieces(work: () => Promise<void>): Promise<void> {
    const { read } = Readable.prototype;
    Readable.prototype.read = function (size?: number): unknown {
      const { buffer, bufferIndex } = (this as unknown as Buffered)._readableState;
      return read.call(this, size ?? buffer[bufferIndex]?.length);
    };
    try {
      await work();
    } finally {
      Readable.prototype.read = read;
    }
  }
  interface Buffered {
    readonly _readableState: { readonly buffer: readonly Buffer[]; readonly bufferIndex: number };
  }

  test('what arrives of many is read together, too', () =>
    inPieces(async () => {
      const { events, reply, clock } = await begun(9);
      const next = events.next();
      for (const letter of ['b', 'c', 'd']) {
        reply.chunk(delta(letter));
        await settle();
      }
      await clock.advance(100);
      expect((await next).value).toMatchObject({ text: 'bcd' });
    }));

  test('what has arrived counts, though its connection breaks meanwhile', () =>
    inPieces(async () => {
      const { events, reply, clock } = await begun(9);
      const next = events.next();
      for (const text of [delta('b'), delta('c') + stop + done]) {
        reply.chunk(text);
        await settle();
      }
      reply.destroy();
      await settle();
      await clock.advance(100);
      expect((await next).value).toMatchObject({ text: 'bc' });
      expect((await events.next()).value).toMatchObject({ type: 'end', finishReason: 'stop' });
    }));
});
