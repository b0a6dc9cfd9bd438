import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StreamVariant } from '../../../src/sandbox/account/behavior.ts';
import { EventWriter } from '../../../src/sandbox/chat/chat.ts';

/** What a response is made to write, packet by packet, and what arrives of it. */
async function written(shapes: readonly StreamVariant[], write: (writer: EventWriter) => Promise<void>) {
  const packets: string[] = [];
  const server = createServer((_request, outgoing: ServerResponse) => {
    const send = outgoing.write.bind(outgoing) as (data: unknown, done: () => void) => boolean;
    outgoing.write = ((data: string | Buffer, done: () => void) => {
      packets.push(data.toString('latin1'));
      return send(data, done);
    }) as typeof outgoing.write;
    const writer = new EventWriter(outgoing, shapes);
    writer.open();
    void write(writer).then(() => writer.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
  return { packets, text };
}

describe('events', () => {
  const both = async (writer: EventWriter) => {
    await writer.write({ text: '世界' });
    await writer.write('done');
  };
  const text = 'data: {"text":"世界"}\n\ndata: [DONE]\n\n';

  it('go out in a packet each', async () => {
    const sent = await written([], both);
    expect(sent.text).toBe(text);
    expect(sent.packets).toHaveLength(2);
  });

  it('go out byte by byte, characters torn apart', async () => {
    const sent = await written(['one_byte'], both);
    expect(sent.text).toBe(text);
    expect(sent.packets).toHaveLength(Buffer.byteLength(text));
  });

  it('don’t wait for a client that has disconnected', async () => {
    const done = Promise.withResolvers<boolean>();
    const server = createServer(async (_request, outgoing) => {
      const writer = new EventWriter(outgoing, []);
      writer.open();
      for (let event = 0; event < 10_000 && !outgoing.destroyed; event++)
        await writer.write({ text: 'x'.repeat(1_000) });
      done.resolve(true);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await done.promise).toBe(true);
  });
});
