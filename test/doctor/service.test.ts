import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { findings, toMend, wordsOf } from './findings.ts';

const key = 'sk-svc-doctor-secret';

async function startSandbox() {
  const sandbox = await createSandbox().listen();
  onTestFinished(sandbox.close);
  const headers = { authorization: `Bearer ${key}` };
  const fault = (body: object) =>
    fetch(`${sandbox.url}/sandbox/control`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ faults: [{ operation: 'voices', ...body }] }),
    });
  const meter = async () =>
    ((await (await fetch(`${sandbox.url}/sandbox/meter`, { headers })).json()) as { credits: number })
      .credits;
  return { url: sandbox.url, fault, meter };
}

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const check = (url: string, more: Record<string, string> = {}) =>
  findings({ SERVICE_BASE_URL: url, SERVICE_API_KEY: key, ...more });

describe('the doctor looks at the service', () => {
  it('and finds it well, for nothing', async () => {
    const { url, meter } = await startSandbox();
    const found = await check(url);
    expect(toMend(found)).toEqual([]);
    expect(found.get('service')?.found).toBe(`${url} accepts SERVICE_API_KEY, and has 12 voices.`);
    expect(found.get('voice')?.found).toContain('has zh_female_vv_uranus_bigtts');
    expect(await meter()).toBe(0);
  });

  it('and lists the voices if the chosen one doesn’t exist', async () => {
    const { url } = await startSandbox();
    const [wrong, ...others] = toMend(await check(url, { SERVICE_VOICE: 'nobody' }));
    expect(wrong).toMatchObject({ subject: 'voice', found: 'The service has no voice nobody.' });
    expect(wrong?.mend).toMatch(/^set SERVICE_VOICE to one of .*en_male_tim_uranus_bigtts/);
    expect(others).toEqual([]);
  });

  it.each([
    [{ do: 'error', status: 401 }, 'answers 401', 'set SERVICE_API_KEY to a valid key of this service'],
    [{ do: 'error', status: 403 }, 'answers 403', 'let SERVICE_API_KEY list voices'],
    [{ do: 'error', status: 402 }, 'answers 402', 'add credits'],
    [{ do: 'error', status: 404 }, 'answers 404', 'check SERVICE_BASE_URL'],
    [{ do: 'error', status: 429 }, 'answers 429', 'wait a minute'],
    [{ do: 'error', status: 503 }, 'answers 503', 'try again later'],
    [{ do: 'cut' }, 'can’t be reached', 'the connection to it'],
  ])('and says how to fix %j', async (fault, found, mend) => {
    const { url, fault: plan } = await startSandbox();
    await plan(fault);
    const all = await check(url);
    expect(toMend(all)).toEqual([
      {
        subject: 'service',
        found: expect.stringContaining(`${url} ${found}`),
        mend: expect.stringContaining(mend),
      },
    ]);
    expect(wordsOf(all)).not.toContain('secret');
  });

  it('and recognizes an address that leads to another', async () => {
    const url = await startServer((_, response) => response.writeHead(301, { location: '/v2' }).end());
    expect(toMend(await check(url))).toMatchObject([
      { found: `${url} answers 301.`, mend: expect.stringContaining('check SERVICE_BASE_URL') },
    ]);
  });

  it('and takes the voices of the description where none are listed, as the bot does', async () => {
    const url = await startServer((_, response) => response.end('[]'));
    const all = await check(url);
    expect(toMend(all)).toEqual([]);
    expect(all.get('voice')?.found).toBe(
      'The service lists no voices, so those of its description are used.',
    );
    const [wrong] = toMend(await check(url, { SERVICE_VOICE: 'nobody' }));
    expect(wrong?.mend).toMatch(/^set SERVICE_VOICE to one of .*en_male_tim_uranus_bigtts/);
  });

  it('and counts one voice in English', async () => {
    const url = await startServer((_, response) => response.end('[{"id":"en_male_tim_uranus_bigtts"}]'));
    expect((await check(url)).get('service')?.found).toBe(`${url} accepts SERVICE_API_KEY, and has 1 voice.`);
  });

  it('and recognizes an unreachable address, and one of another service', async () => {
    const sandbox = await createSandbox().listen();
    await sandbox.close();
    expect((await check(sandbox.url)).get('service')).toMatchObject({
      found: `${sandbox.url} can’t be reached (ECONNREFUSED).`,
      mend: expect.stringContaining('check SERVICE_BASE_URL'),
    });
    const page = await startServer((_, response) => response.end('<html>hello</html>'));
    expect((await check(page)).get('service')).toMatchObject({
      found: `${page} doesn’t answer with a list of voices.`,
      mend: 'check SERVICE_BASE_URL: the service isn’t at this address',
    });
  });

  it('and says that the embedded sandbox is used by default', async () => {
    const found = await findings({});
    expect(toMend(found)).toEqual([]);
    expect(found.get('service')?.found).toBe(
      'SERVICE_BASE_URL isn’t set, so the bot uses the embedded sandbox.',
    );
  });
});
