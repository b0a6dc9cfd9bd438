import { describe, expect, it } from 'vitest';
import { counters, gauges, histograms } from '../../src/lib/telemetry.ts';
import { createMetrics, healthRoutes } from '../../src/ops/index.ts';
import { FakeClock } from '../fakes/clock.ts';

const fromHere = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
const host = 'localhost:8787';

describe('the metrics', () => {
  it('count and time what happens, before anybody has read them and after', async () => {
    const metrics = createMetrics();
    const { meter } = metrics;
    const ask = { command: 'ask', platform: 'discord', outcome: 'done', reason: '' } as const;
    meter.count('troupe_commands_total', ask);
    meter.count('troupe_commands_total', ask);
    meter.count('troupe_commands_total', { ...ask, outcome: 'failed', reason: 'service' });
    meter.observe('troupe_acknowledgement_seconds', { platform: 'slack' }, 0.1);
    meter.observe('troupe_acknowledgement_seconds', { platform: 'slack' }, 2.9);
    meter.observe('troupe_acknowledgement_seconds', { platform: 'slack' }, 100);
    const routes = healthRoutes({}, metrics, { isPublic: false });
    const read = async () => {
      const answer = await routes.request('/metrics', { headers: { host } }, fromHere);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      return answer.text();
    };
    const first = await read();
    expect(first).toContain(
      'troupe_commands_total{command="ask",platform="discord",outcome="done",reason=""} 2\n',
    );
    expect(first).toContain(
      'troupe_commands_total{command="ask",platform="discord",outcome="failed",reason="service"} 1\n',
    );
    const acknowledged = (le: string) => `troupe_acknowledgement_seconds_bucket{platform="slack",le="${le}"}`;
    expect(first).toContain(`${acknowledged('0.05')} 0\n`);
    expect(first).toContain(`${acknowledged('0.1')} 1\n`);
    expect(first).toContain(`${acknowledged('3')} 2\n`);
    expect(first).toContain(`${acknowledged('+Inf')} 3\n`);
    expect(first).toContain('troupe_acknowledgement_seconds_sum{platform="slack"} 103\n');
    expect(first).toContain('troupe_acknowledgement_seconds_count{platform="slack"} 3\n');
    expect(first).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(first).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
    meter.count('troupe_commands_total', { ...ask, command: 'video' });
    const second = await read();
    expect(second).toContain('{command="ask",platform="discord",outcome="done",reason=""} 2\n');
    expect(second).toContain('{command="video",platform="discord",outcome="done",reason=""} 1\n');
  });

  it('have a line of help and a type each, and counters with few series begin at 0', async () => {
    const { text } = await createMetrics().exposition();
    for (const [type, metrics] of Object.entries({ counter: counters, histogram: histograms, gauge: gauges }))
      for (const [name, { help }] of Object.entries(metrics))
        expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    expect(text).toContain('troupe_renders_ended_total{kind="video",outcome="uncertain"} 0\n');
    expect(text).not.toMatch(/^troupe_commands_total\{/m);
  });

  it('tell the states of the moment they are read at, without those that cannot be read', async () => {
    const clock = new FakeClock();
    const metrics = createMetrics(clock);
    let waiting = 2;
    metrics.read(() => [{ name: 'troupe_service_queue_waiting', labels: { group: 'chat' }, value: waiting }]);
    metrics.read(async () => Promise.reject(new Error('the database is away')));
    metrics.read(() => new Promise(() => {}));
    const read = async () => {
      const exposed = metrics.exposition();
      await clock.advance(3_000);
      return (await exposed).text;
    };
    expect(await read()).toContain('troupe_service_queue_waiting{group="chat"} 2\n');
    waiting = 0;
    expect(await read()).toContain('troupe_service_queue_waiting{group="chat"} 0\n');
  });

  it('keep to a bound, whatever is counted', async () => {
    const metrics = createMetrics();
    for (let number = 0; number < 3_000; number++)
      metrics.meter.count('troupe_service_requests_total', { operation: 'chat', status: String(number) });
    const { text } = await metrics.exposition();
    expect(text.match(/^troupe_service_requests_total\{/gm)).toHaveLength(2_000);
  });
});

describe('what only the operator may see', () => {
  const token = 'a token for metrics';
  const routes = healthRoutes({ slack: async () => 'the token was refused' }, createMetrics(), {
    token,
    isPublic: false,
  });
  const bearer = `Bearer ${token}`;
  const from = (remoteAddress: string, httpVersion = '1.1') => ({
    incoming: { httpVersion, socket: { remoteAddress } },
  });

  it.each([
    ['from this machine', { host }, '127.0.0.1', true],
    ['from this machine over IPv6', { host: '[::1]:8787' }, '::1', true],
    ['from this machine, as a socket of both families calls it', { host }, '::ffff:127.0.0.1', true],
    ['with the token', { host: 'bot.example', authorization: bearer }, '203.0.113.9', true],
    // RFC 9110, 11.1: the name of the scheme is in any case, with any number of spaces behind it.
    [
      'with the token in other letters',
      { host: 'bot.example', authorization: `bearer  ${token}` },
      '203.0.113.9',
      true,
    ],
    ['with the token alone', { host: 'bot.example', authorization: token }, '203.0.113.9', false],
    [
      'with the token by another scheme',
      { host: 'bot.example', authorization: `Token ${token}` },
      '203.0.113.9',
      false,
    ],
    ['with the token through a proxy', { host, via: '1.1 x', authorization: bearer }, '127.0.0.1', true],
    ['from elsewhere', { host }, '203.0.113.9', false],
    ['from a private network', { host }, '10.0.0.7', false],
    ['through a proxy on this machine', { host, 'x-forwarded-for': '203.0.113.9' }, '127.0.0.1', false],
    ['under a foreign name', { host: 'rebound.example' }, '127.0.0.1', false],
    ['with another token', { host: 'bot.example', authorization: `${bearer}x` }, '203.0.113.9', false],
    [
      'with half of the token',
      { host: 'bot.example', authorization: bearer.slice(0, -1) },
      '203.0.113.9',
      false,
    ],
    ['with an empty one', { host: 'bot.example', authorization: 'Bearer ' }, '203.0.113.9', false],
  ])('is shown or kept %s', async (_, headers, address, shown) => {
    const ask = (path: string) =>
      routes.request(path, { headers: headers as Record<string, string> }, from(address));
    expect((await ask('/metrics')).status).toBe(shown ? 200 : 401);
    const readiness = await ask('/readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toBe(shown ? 'slack: the token was refused\n' : 'not ready\n');
    expect(await (await ask('/healthz')).text()).toBe('ok\n');
  });

  it('is for this machine only without a token', async () => {
    const closed = healthRoutes({}, createMetrics(), { isPublic: false });
    const ask = (address: string, headers: Record<string, string>) =>
      closed.request('/metrics', { headers }, from(address));
    expect((await ask('203.0.113.9', { host, authorization: 'Bearer undefined' })).status).toBe(401);
    expect((await ask('127.0.0.1', { host })).status).toBe(200);
  });

  it('is kept from what nginx hands on as it comes: HTTP/1.0, from this machine, under its name, no header more', async () => {
    const nginx = from('127.0.0.1', '1.0');
    const headers = { host: '127.0.0.1:8787', connection: 'close' };
    expect((await routes.request('/metrics', { headers }, nginx)).status).toBe(401);
    expect(await (await routes.request('/readyz', { headers }, nginx)).text()).toBe('not ready\n');
    const told = { ...headers, authorization: bearer };
    expect((await routes.request('/metrics', { headers: told }, nginx)).status).toBe(200);
  });

  it('needs the token if other machines can reach it, since a proxy looks like this machine', async () => {
    const reached = healthRoutes({ slack: async () => 'the token was refused' }, createMetrics(), {
      token,
      isPublic: true,
    });
    const ask = (path: string, headers: Record<string, string>) =>
      reached.request(path, { headers }, from('127.0.0.1'));
    expect((await ask('/metrics', { host })).status).toBe(401);
    expect(await (await ask('/readyz', { host })).text()).toBe('not ready\n');
    expect((await ask('/metrics', { host, authorization: bearer })).status).toBe(200);
    expect(await (await ask('/readyz', { host, authorization: bearer })).text()).toContain('refused');
    expect((await ask('/healthz', { host })).status).toBe(200);
  });
});
