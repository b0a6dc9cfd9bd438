import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/sandbox/account/account.ts';
import { defaultBehavior } from '../../src/sandbox/account/behavior.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { readSettings } from '../../src/sandbox/sandbox.ts';
import { Tasks } from '../../src/sandbox/tasks/tasks.ts';
import { FakeClock } from '../fakes/clock.ts';
import { processEnvironment } from '../process-environment.ts';
import { FakeStudio } from './support/fake-studio.ts';
import { chatBody } from './support/service.ts';

describe('a sandbox', () => {
  it('breaks connections, stops tasks and closes the studio when it closes', async () => {
    const clock = new FakeClock();
    const media = new FakeStudio();
    const { url, key, close } = await createSandbox({ clock, media }).listen();
    const headers = { authorization: `Bearer ${key}` };
    const post = (path: string, body: object) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('/videos', { prompt: 'a' });
    const stream = await post('/chat/completions', chatBody('hello', { stream: true }));
    const stalled = post('/chat/completions', chatBody('hello [[stall]]'));
    expect((await stalled).status).toBe(200);
    await close();
    await expect(stream.text()).rejects.toThrow();
    expect(clock.pending).toBe(0);
    expect(media.filmed).toEqual([]);
    expect(media.closed).toBe(true);
    await expect(fetch(`${url}/audio/voices`, { headers })).rejects.toThrow();
  });

  it('picks a free port on every start, and rejects if a port is taken', async () => {
    const first = await createSandbox().listen();
    onTestFinished(first.close);
    const second = await createSandbox().listen(0, 'localhost');
    onTestFinished(second.close);
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(second.url).not.toBe(first.url);
    const taken = Number(new URL(first.url).port);
    await expect(createSandbox().listen(taken)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('tells a person with a browser what it is', async () => {
    const { url, close } = await createSandbox().listen();
    onTestFinished(close);
    const page = await fetch(new URL('/', url));
    expect(await page.text()).toContain(`Base URL   ${url}`);
  });
});

describe('memory', () => {
  it('holds 500 tasks of a key, the oldest finished ones forgotten', () => {
    const tasks = new Tasks();
    const first = tasks.open('video', {}, 0);
    const second = tasks.open('video', {}, 0);
    second.state = 'succeeded';
    for (let count = 2; count < 501; count++) tasks.open('image', {}, 0).state = 'failed';
    expect(tasks.get('video', first.id)).toBe(first);
    expect(() => tasks.get('video', second.id)).toThrow('no video task');
  });

  it('holds 200 keys, those unused the longest forgotten with their tasks', () => {
    const accounts = new Accounts(new FakeClock(), defaultBehavior);
    const first = accounts.get('sk-svc-0');
    const second = accounts.get('sk-svc-1');
    const task = second.tasks.open('video', {}, 0);
    for (let key = 2; key < 200; key++) accounts.get(`sk-svc-${key}`);
    expect(accounts.get('sk-svc-0')).toBe(first);
    accounts.get('sk-svc-200');
    expect(accounts.get('sk-svc-0')).toBe(first);
    expect(task.cancelled.signal.aborted).toBe(true);
    expect(accounts.get('sk-svc-1')).not.toBe(second);
  });
});

describe('settings', () => {
  it('have defaults', () => {
    expect(readSettings({})).toEqual({
      port: 8788,
      host: '127.0.0.1',
      key: 'sk-svc-sandbox',
      behavior: defaultBehavior,
    });
  });

  it('are read from the environment', () => {
    const settings = readSettings({
      PORT: '0',
      HOST: '0.0.0.0',
      SANDBOX_KEY: 'sk-svc-mine',
      SANDBOX_SWITCHES: '{"pace":"instant","limits":{"chat":5}}',
    });
    expect(settings).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      key: 'sk-svc-mine',
      behavior: { pace: 'instant', limits: { chat: 5, voice: 60 } },
    });
  });

  it('report each fault in one line', () => {
    const read = readSettings({ PORT: '70000', SANDBOX_KEY: 'secret', SANDBOX_SWITCHES: '{"pace":"fast"}' });
    expect(read).toEqual({
      faults: [
        'PORT: allowed: an integer from 0 to 65535.',
        'SANDBOX_KEY: allowed: sk-svc- followed by letters, digits, - and _.',
        expect.stringMatching(/^SANDBOX_SWITCHES: Invalid value for 'pace': "fast"/),
      ],
    });
    expect(readSettings({ SANDBOX_SWITCHES: 'x' })).toMatchObject({
      faults: [expect.stringContaining('JSON')],
    });
    expect(readSettings({ SANDBOX_SWITCHES: '{"faults":[]}' })).toMatchObject({
      faults: [expect.stringContaining("'faults'")],
    });
  });
});

describe('npm run sandbox', () => {
  const main = fileURLToPath(new URL('../../src/sandbox/main.ts', import.meta.url));

  function start(environment: Record<string, string>) {
    const child = spawn(process.execPath, [main], { env: { ...processEnvironment, ...environment } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, exit };
  }

  it('prints what to set and how to try it, serves, and ends with exit status 0', async () => {
    const { child, exit } = start({ PORT: '0' });
    let output = '';
    for await (const data of child.stdout) {
      output += data;
      if (output.includes('curl')) break;
    }
    const [url, key, curl] = output.trim().split('\n');
    expect(key).toBe('SERVICE_API_KEY=sk-svc-sandbox');
    const base = url!.replace('SERVICE_BASE_URL=', '');
    expect(curl).toBe(`# curl -H 'Authorization: Bearer sk-svc-sandbox' ${base}/audio/voices`);
    const voices = await fetch(`${base}/audio/voices`, {
      headers: { authorization: 'Bearer sk-svc-sandbox' },
    });
    expect(voices.status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('reports a taken port and exits with status 1', async () => {
    const { url, close } = await createSandbox().listen();
    onTestFinished(close);
    const { child, exit } = start({ PORT: new URL(url).port });
    let output = '';
    for await (const data of child.stderr) output += data;
    expect(output).toMatch(/^HOST, PORT: cannot listen on 127\.0\.0\.1:\d+ \(.*EADDRINUSE.*\)\.\n$/);
    expect(await exit).toBe(1);
  });

  it('reports invalid settings and exits with status 1', async () => {
    const { child, exit } = start({ PORT: 'x' });
    let output = '';
    for await (const data of child.stderr) output += data;
    expect(output).toContain('PORT: allowed: an integer');
    expect(await exit).toBe(1);
  });
});
