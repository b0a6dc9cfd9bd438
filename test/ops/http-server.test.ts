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

it('leaves what the rest of the process uses as it is', async () => {
  const before = [globalThis.Request, globalThis.Response];
  const server = await listen(createApp({ error: () => {} }), 0, '127.0.0.1');
  onTestFinished(() => server.close());
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
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

it('an idle connection stays open for longer than a load balancer leaves one idle', async () => {
  const server = await listen(createApp({ error: () => {} }), 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const { headers } = await fetch(server.url);
  const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
  // Fact: an Application Load Balancer reuses one for up to 60 s by default, and answers 502 if it's closed first (AWS, troubleshooting).
  expect(Number(seconds)).toBeGreaterThan(60);
});

it('one that leaves answers what it has, and takes no new connection', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const { promise: came, resolve: comes } = Promise.withResolvers<void>();
  const app = createApp({ error: () => {} });
  app.get('/', (context) => context.text('ok'));
  app.get('/slow', async (context) => {
    comes();
    await held;
    return context.text('late');
  });
  const server = await listen(app, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  expect((await fetch(server.url)).headers.get('connection')).toBe('keep-alive');
  const slow = fetch(`${server.url}/slow`);
  await came;
  const left = server.leave(2_000);
  const last = await fetch(server.url);
  expect([await last.text(), last.headers.get('connection')]).toEqual(['ok', 'close']);
  const refused = () =>
    fetch(server.url).then(
      () => false,
      ({ cause }) => cause.code === 'ECONNREFUSED',
    );
  await expect.poll(refused).toBe(true);
  let isLeft = false;
  void left.then(() => {
    isLeft = true;
  });
  await new Promise((later) => setTimeout(later, 300));
  expect(isLeft).toBe(false);
  resolve();
  expect(await (await slow).text()).toBe('late');
  await left;
});

it('one that leaves answers those whose connections still waited to be taken', async () => {
  const app = createApp({ error: () => {} });
  app.post('/', async (context) => context.text(await context.req.text()));
  const server = await listen(app, 0, '127.0.0.1');
  const left = server.leave(0).then(() => server.close());
  const answers = Array.from({ length: 30 }, async (_, index) => {
    const sent = request(server.url, { agent: false, method: 'POST' }).end(`request ${index}`);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return text(answer);
  });
  expect(await Promise.all(answers)).toEqual(answers.map((_, index) => `request ${index}`));
  await left;
});
