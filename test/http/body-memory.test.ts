import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { BodyMemory } from '../../src/http/body-limit.ts';
import { limitBody } from '../../src/http/index.ts';

const most = 1_000;
const tick = () => new Promise((resolve) => setImmediate(resolve));

function stage() {
  const room = new BodyMemory(3_000);
  const app = new Hono().post('/', limitBody(most, undefined, room), async (context) =>
    context.text(String((await context.req.arrayBuffer()).byteLength)),
  );
  /** A request whose body comes bit by bit. */
  const begin = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const response = app.fetch(new Request('http://x/', { method: 'POST', body: readable, duplex: 'half' }));
    const send = async (bytes: number) => {
      writer.write(new Uint8Array(bytes)).catch(() => {});
      await tick();
    };
    return { response, send, end: () => writer.close() };
  };
  return { room, begin, app };
}

describe('bodies that are being read', () => {
  it('hold no more together than the limit: slow senders make room for new ones', async () => {
    const { room, begin } = stage();
    const slow = Array.from({ length: 100 }, begin);
    for (const one of slow) {
      await one.send(most - 1);
      expect(room.held).toBeLessThanOrEqual(3_000);
    }
    const honest = begin();
    await honest.send(500);
    await honest.end();
    expect(await (await honest.response).text()).toBe('500');
    expect((await slow[0]!.response).status).toBe(503);
    for (const one of slow.slice(-2)) await one.end();
    expect((await slow.at(-1)!.response).status).toBe(200);
    expect(room.held).toBeLessThanOrEqual(3_000);
  });

  it('are dropped only as far as the one that grows needs it: not if that is the oldest itself', async () => {
    const { begin } = stage();
    const slow = begin();
    await slow.send(1);
    const others = Array.from({ length: 3 }, begin);
    for (const one of others) await one.send(most - 1);
    await slow.send(99);
    for (const one of others) await one.end();
    const responses = await Promise.all([slow, ...others].map(({ response }) => response));
    expect(responses.map(({ status }) => status)).toEqual([503, 200, 200, 200]);
  });

  it('take no more than their bytes when they arrive one by one', async () => {
    const { room, begin } = stage();
    const drip = begin();
    for (let sent = 0; sent < most; sent += 1) {
      await drip.send(1);
      expect(room.held).toBeLessThanOrEqual(Math.max(1, 2 * sent));
    }
    await drip.end();
    expect(await (await drip.response).text()).toBe('1000');
  });

  it('are held no longer than they are read, whether taken or refused', async () => {
    const { room, begin, app } = stage();
    const large = begin();
    await large.send(most);
    await large.send(1);
    expect((await large.response).status).toBe(413);
    const right = begin();
    await right.send(most);
    await right.end();
    expect((await right.response).status).toBe(200);
    expect(room.held).toBe(0);
    const told = { method: 'POST', headers: { 'content-length': '1001' }, body: 'x' };
    expect((await app.request('/', told)).status).toBe(413);
  });

  it('that break off hold nothing', async () => {
    const { room, app } = stage();
    app.onError((_, context) => context.body(null, 500));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(10));
      },
      pull(controller) {
        controller.error(new Error('gone'));
      },
    });
    const broken = await app.fetch(new Request('http://x/', { method: 'POST', body, duplex: 'half' }));
    expect(broken.status).toBe(500);
    expect(room.held).toBe(0);
  });
});
