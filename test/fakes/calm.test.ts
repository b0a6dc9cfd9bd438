import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/lib/clock.ts';
import { endsWithTest } from '../at-end.ts';
import { calm, passUntil, passWhile } from './calm.ts';
import { FakeClock } from './clock.ts';

/** What comes of a chain of real work, once everything is calm. */
async function afterCalm<T>(work: Promise<T>, clock = new FakeClock()): Promise<T | 'not yet'> {
  let result: T | 'not yet' = 'not yet';
  void work.then((value) => (result = value));
  await calm(clock);
  return result;
}

/** A server that answers with 10 MB in pieces, each after the given time of the clock. */
async function slowServer(clock: FakeClock, waits: readonly number[]): Promise<string> {
  const server = createServer(async (_request, response) => {
    for (const wait of waits) {
      if (wait > 0) await sleep(clock, wait);
      response.write(Buffer.alloc(10_000_000 / waits.length));
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endsWithTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Something that this process can't see, such as the work of another. */
const realTime = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const lengthOf = async (url: string) => (await (await fetch(url)).arrayBuffer()).byteLength;

describe('calm', () => {
  it('comes after what goes over sockets, one request after the other', async () => {
    const url = await slowServer(new FakeClock(), [0, 0]);
    const work = async () => (await lengthOf(url)) + (await lengthOf(url)) + (await lengthOf(url));
    expect(await afterCalm(work())).toBe(30_000_000);
  });

  it('comes while an answer waits for the test’s time', async () => {
    const clock = new FakeClock();
    const length = lengthOf(await slowServer(clock, [0, 1_000]));
    expect(await afterCalm(length, clock)).toBe('not yet');
    await clock.advance(1_000);
    expect(await afterCalm(length, clock)).toBe(10_000_000);
  });

  it('comes while nobody reads what was sent', async () => {
    const response = await fetch(await slowServer(new FakeClock(), [0]));
    const reader = response.body?.getReader();
    await reader?.read();
    await calm(new FakeClock());
    await reader?.cancel();
  });

  it('comes after files are written', async () => {
    const file = join(tmpdir(), `troupe-calm-${process.pid}`);
    const work = async () => {
      for (let count = 0; count < 5; count++) await writeFile(file, Buffer.alloc(1_000_000));
      return 'written';
    };
    expect(await afterCalm(work())).toBe('written');
  });

  it('doesn’t wait for a thread that has ended, however often it’s told to end', async () => {
    const worker = new Worker('', { eval: true });
    await new Promise((resolve) => worker.once('exit', resolve));
    await worker.terminate();
    await calm(new FakeClock());
  });

  it('comes after what threads work on, and doesn’t wait for those that rest', async () => {
    const code = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', (until) => { while (Date.now() < until); parentPort.postMessage('done'); });`;
    const worker = new Worker(code, { eval: true });
    endsWithTest(() => worker.terminate());
    const done = new Promise<string>((resolve) => {
      worker.once('message', (message) => {
        worker.unref();
        resolve(message);
      });
    });
    worker.postMessage(Date.now() + 100);
    expect(await afterCalm(done)).toBe('done');
  });
});

describe('time that passes until something is so', () => {
  it('jumps from timer to timer, however far, with all that follows from each', async () => {
    const clock = new FakeClock();
    const began = clock.now();
    const url = await slowServer(clock, [0]);
    const work = async () => {
      await sleep(clock, 1_000);
      await lengthOf(url);
      await sleep(clock, 3_600_000);
      return clock.now() - began;
    };
    let passed = 0;
    void work().then((time) => (passed = time));
    clock.after(7_200_000, () => {});
    expect(await passUntil(clock, () => passed > 0)).toBe(true);
    expect(passed).toBe(3_601_000);
    expect(clock.now() - began).toBe(3_601_000);
  });
});

describe('time that passes while something is done', () => {
  it('jumps no further than to its end, and gives what comes of it', async () => {
    const clock = new FakeClock();
    const began = clock.now();
    clock.after(20_000, () => {});
    expect(
      await passWhile(
        clock,
        sleep(clock, 10_000).then(() => 'done'),
      ),
    ).toBe('done');
    expect(clock.now() - began).toBe(10_000);
    await expect(passWhile(clock, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('stands still after half a minute, where something else is still under way', async () => {
    const clock = new FakeClock();
    const began = clock.now();
    const hourly = () => clock.after(3_600_000, hourly);
    hourly();
    await passWhile(clock, realTime(50));
    expect(clock.now() - began).toBe(0);
  });
});
