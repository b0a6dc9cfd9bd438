import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createApp, listen } from '../../src/ops/index.ts';

it('a route that throws is logged, and nothing else', async () => {
  const lines: unknown[] = [];
  const app = createApp({ error: (...line: unknown[]) => void lines.push(line) });
  app.route(
    '/',
    new Hono().get('/broken', () => {
      throw new Error('a fault in a route');
    }),
  );
  const said = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => said.mockRestore());
  const server = await listen(app, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const answer = await fetch(`${server.url}/broken`);
  expect([answer.status, await answer.text()]).toEqual([500, '']);
  expect(lines).toEqual([[{ error: new Error('a fault in a route') }, 'an HTTP request failed']]);
  expect(said).not.toHaveBeenCalled();
});

it('an unread small body keeps its connection', async () => {
  const app = createApp({ error: () => {} });
  app.post('/', (context) => context.text('ok'));
  const server = await listen(app, 0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await server.close();
  });
  const reused = async () => {
    const sent = request(server.url, { agent, method: 'POST' });
    sent.end('x'.repeat(40_000));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await text(answer)).toBe('ok');
    return sent.reusedSocket;
  };
  expect([await reused(), await reused(), await reused()]).toEqual([false, true, true]);
});
