import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Account } from '../../src/sandbox/account/account.ts';
import { defaultBehavior } from '../../src/sandbox/account/behavior.ts';
import { FileStore } from '../../src/sandbox/tasks/files.ts';
import { FakeClock } from '../fakes/clock.ts';
import { type Service, startService } from './support/service.ts';

async function imageUrl(service: Service, prompt = 'a cat'): Promise<string> {
  return (await service.post('/images/generations', { prompt, response_format: 'url' })).body.data[0].url;
}

async function part(url: string, range: string) {
  const response = await fetch(url, { headers: { range } });
  return {
    status: response.status,
    range: response.headers.get('content-range'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

describe('a result file', () => {
  it('tells its length, and takes HEAD', async () => {
    const url = await imageUrl(await startService());
    const whole = await fetch(url);
    expect(whole.headers.get('content-length')).toBe('64');
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '64', '']);
  });

  it('comes in parts', async () => {
    const url = await imageUrl(await startService());
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(await part(url, 'bytes=0-9')).toEqual({
      status: 206,
      range: 'bytes 0-9/64',
      bytes: whole.subarray(0, 10),
    });
    expect(await part(url, 'bytes=60-')).toEqual({
      status: 206,
      range: 'bytes 60-63/64',
      bytes: whole.subarray(60),
    });
    expect(await part(url, 'bytes=-4')).toEqual({
      status: 206,
      range: 'bytes 60-63/64',
      bytes: whole.subarray(60),
    });
    expect(await part(url, 'bytes=10-999')).toMatchObject({ status: 206, range: 'bytes 10-63/64' });
    expect(await part(url, 'bytes=64-')).toMatchObject({ status: 416, range: 'bytes */64' });
    expect(await part(url, 'bytes=9-3')).toMatchObject({ status: 416 });
    for (const whatever of ['items=1-2', 'bytes=0-1,5-6', 'bytes=-', 'nonsense'])
      expect(await part(url, whatever)).toEqual({ status: 200, range: null, bytes: whole });
  });

  it('is not found under any other name', async () => {
    const service = await startService();
    const url = await imageUrl(service);
    for (const name of ['nothing.png', '..%2f..%2fetc%2fpasswd', `${url.slice(-10)}`])
      expect((await fetch(new URL(`/files/${name}`, url))).status).toBe(404);
  });

  it('is gone after its time', async () => {
    const clock = new FakeClock();
    const service = await startService({ clock });
    const url = await imageUrl(service);
    await clock.advance(24 * 3_600_000 - 1);
    expect((await fetch(url)).status).toBe(200);
    await clock.advance(1);
    expect((await fetch(url)).status).toBe(410);
  });

  it('makes room for newer ones', async () => {
    const service = await startService({ files: { files: 2 } });
    const urls = [await imageUrl(service), await imageUrl(service), await imageUrl(service)];
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
    expect(statuses).toEqual([410, 200, 200]);
    const small = await startService({ files: { bytes: 100 } });
    const others = [await imageUrl(small), await imageUrl(small)];
    expect(await Promise.all(others.map(async (url) => (await fetch(url)).status))).toEqual([410, 200]);
  });

  it('fails as planned', async () => {
    const service = await startService();
    const url = await imageUrl(service);
    const faults = [
      { operation: 'file', do: 'error', status: 503 },
      { operation: 'file', do: 'gone' },
      { operation: 'file', do: 'cut', when: 'during' },
      { operation: 'file', do: 'cut' },
    ];
    await service.post('/sandbox/control', { faults });
    expect((await fetch(url)).status).toBe(503);
    expect((await fetch(url)).status).toBe(410);
    const broken = await fetch(url);
    expect(broken.headers.get('content-length')).toBe('64');
    await expect(broken.arrayBuffer()).rejects.toThrow();
    await expect(fetch(url)).rejects.toThrow();
    expect((await fetch(url)).status).toBe(200);
  });
});

describe('the file store', () => {
  it('makes its folder with the first file and removes it at the end', async () => {
    const clock = new FakeClock();
    const store = new FileStore(clock);
    const file = await store.put(Buffer.from('abc'), 'mp4', new Account(clock, defaultBehavior));
    expect(file).toMatchObject({ size: 3, contentType: 'video/mp4' });
    expect(readFileSync(file.path, 'utf8')).toBe('abc');
    expect(existsSync(file.path)).toBe(true);
    await store.close();
    expect(existsSync(dirname(file.path))).toBe(false);
  });

  it('leaves nothing behind of what is written while it closes, and takes nothing after', async () => {
    const clock = new FakeClock();
    const owner = new Account(clock, defaultBehavior);
    const store = new FileStore(clock);
    const writing = store.put(Buffer.from('abc'), 'png', owner);
    await store.close();
    expect(existsSync(dirname((await writing).path))).toBe(false);
    await expect(store.put(Buffer.from('abc'), 'png', owner)).rejects.toThrow('closed');
  });
});
