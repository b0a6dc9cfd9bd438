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
    expect(found.get('service')?.found).toBe(`${url} takes SERVICE_API_KEY and has 12 voices`);
    expect(found.get('voice')?.found).toContain('zh_female_vv_uranus_bigtts is one');
    expect(await meter()).toBe(0);
  });

  it('and says which voices there are, where the one chosen is none of them', async () => {
    const { url } = await startSandbox();
    const [wrong, ...others] = toMend(await check(url, { SERVICE_VOICE: 'nobody' }));
    expect(wrong).toMatchObject({ subject: 'voice', found: 'the service has no voice nobody' });
    expect(wrong?.mend).toMatch(/^set SERVICE_VOICE to one of .*en_male_tim_uranus_bigtts/);
    expect(others).toEqual([]);
  });

  it.each([
    [{ do: 'error', status: 401 }, 'answers 401 to the key', 'set SERVICE_API_KEY to a key of this service'],
    [{ do: 'error', status: 403 }, 'answers 403 to the key', 'allow the key'],
    [{ do: 'error', status: 402 }, 'answers 402 to the key', 'add credits'],
    [{ do: 'error', status: 404 }, 'answers 404 to the key', 'check SERVICE_BASE_URL'],
    [{ do: 'error', status: 429 }, 'answers 429 to the key', 'wait a minute'],
    [{ do: 'error', status: 503 }, 'answers 503 to the key', 'try again later'],
    [{ do: 'cut' }, 'cannot be reached', 'the way from here to there'],
  ])('and says how to mend %j', async (fault, found, mend) => {
    const { url, fault: plan } = await startSandbox();
    await plan(fault);
    const all = await check(url);
    expect(toMend(all)).toEqual([
      {
        subject: 'service',
        found: expect.stringContaining(`${url}: ${found}`),
        mend: expect.stringContaining(mend),
      },
    ]);
    expect(wordsOf(all)).not.toContain('secret');
  });

  it('and knows an address where nobody is, and one of something else', async () => {
    const sandbox = await createSandbox().listen();
    await sandbox.close();
    expect((await check(sandbox.url)).get('service')).toMatchObject({
      found: `${sandbox.url}: cannot be reached (ECONNREFUSED)`,
      mend: expect.stringContaining('check SERVICE_BASE_URL'),
    });
    const page = await startServer((_, response) => response.end('<html>hello</html>'));
    expect((await check(page)).get('service')).toMatchObject({
      found: `${page}: answers with something that is no list of voices`,
      mend: 'check SERVICE_BASE_URL: there is no such service at this address',
    });
  });

  it('and says that the embedded sandbox is used where nothing is set', async () => {
    const found = await findings({});
    expect(toMend(found)).toEqual([]);
    expect(found.get('service')?.found).toBe('the embedded sandbox is used, as SERVICE_BASE_URL is not set');
  });
});
