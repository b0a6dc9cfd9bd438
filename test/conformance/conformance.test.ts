import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { type Service, startService } from '../sandbox/support/service.ts';
import type { CheckKind } from './check.ts';
import { checks, run } from './run.ts';

const key = 'sk-svc-conformance';
const plenty = { chat: 1_000, voice: 1_000, images: 1_000, videos: 1_000, status: 120 };

/** A clock that waits for nothing. */
const hasty: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  jitter: () => 1,
  after(_milliseconds, task) {
    const timer = setImmediate(task);
    return () => clearImmediate(timer);
  },
};

async function check(service: Service, ...kinds: CheckKind[]) {
  const lines: string[] = [];
  const counts = await run({ url: service.url, key }, kinds, (line) => lines.push(line), hasty);
  return { counts, lines, wrong: lines.filter((line) => /^(?:fail|differs)/.test(line)) };
}

describe('conformance', () => {
  it('of the sandbox is complete in what costs nothing', async () => {
    const service = await startService({ limits: plenty });
    const { counts, wrong } = await check(service, 'free', 'limits');
    expect(wrong).toEqual([]);
    expect(counts.pass + counts.skipped).toBe(checks.length);
    const meter = await service.get('/sandbox/meter', { authorization: `Bearer ${key}` });
    expect(meter.body.credits).toBe(0);
  });

  it('fails if clips, images and videos aren’t valid files', async () => {
    const { counts, wrong } = await check(await startService(), 'paid');
    expect(counts.fail).toBeGreaterThan(5);
    expect(wrong.join('\n')).toMatch(/fail {5}section 4: wav is a file of that format — begins with/);
    expect(wrong.join('\n')).toMatch(/fail {5}section 4: a video is a task.* — no MP4/);
  });

  it('differs if a service behaves differently where the description is silent', async () => {
    const service = await startService();
    const headers = { authorization: `Bearer ${key}` };
    await service.post('/sandbox/control', { shapes: { voices: 'strings', errors: 'text' } }, headers);
    const { counts, wrong } = await check(service, 'free');
    expect(counts).toMatchObject({ differs: 2, fail: 0 });
    expect(wrong[0]).toContain('(not shown) — [string]');
  });

  it('fails if the service can’t be reached', async () => {
    const lines: string[] = [];
    const counts = await run({ url: 'http://127.0.0.1:1/v1', key }, ['free'], (line) => lines.push(line));
    expect(counts.pass).toBe(0);
    expect(lines[0]).toContain('no answer');
  });
});

describe('npm run conformance', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));

  async function start(...parameters: string[]) {
    const child = spawn(process.execPath, [main, ...parameters]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    const status = await new Promise((resolve) => child.once('close', resolve));
    return { status, output };
  }

  it('prints a line per rule and a count, and exits with status 0 if all is well', async () => {
    const { url } = await startService();
    const { status, output } = await start(url, key);
    expect(status).toBe(0);
    expect(output.match(/^pass {5}section \d: /gm)?.length).toBeGreaterThan(25);
    expect(output).toMatch(/\d+ pass, 0 differ, 0 fail, \d+ skipped/);
  });

  it('exits with status 1 if something fails', async () => {
    expect((await start('http://127.0.0.1:1/v1', key)).status).toBe(1);
  });

  it.each([
    [[], 'URL: '],
    [['http://127.0.0.1:1/v1', 'key'], 'KEY: '],
    [['http://127.0.0.1:1/v1', key, '--all'], '--all: '],
    [['http://127.0.0.1:1/v1', key, 'more'], 'one URL'],
  ])('explains itself for %j, with exit status 2', async (parameters, fault) => {
    const { status, output } = await start(...parameters);
    expect(status).toBe(2);
    expect(output).toContain(fault);
    expect(output).toContain('npm run conformance -- URL KEY');
  });
});
