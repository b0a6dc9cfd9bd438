/**
 * What 10,000 waiting renders cost at start: the time until `/readyz` is well and until the first command is
 * answered, the longest the event loop is held, the heap, and how soon commands are answered in the ten seconds after.
 * The aim: ready at most 1 s later than with none.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BotProcess } from '../crash/bot-process.ts';
import { megabytes } from './support/figures.ts';
import type { Look } from './support/inside.ts';
import { withWaitingRenders } from './support/waiting-renders.ts';

const inside = fileURLToPath(new URL('./support/inside.ts', import.meta.url));
const commandsFor = 10_000;
const commandEvery = 200;

/** Every task is still being made. */
let asked = 0;
const service = createServer((request, response) => {
  asked += 1;
  const id = request.url?.split('/').at(-1);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id, status: 'running', progress: 0.5, data: [] }));
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const { port } = service.address() as AddressInfo;

/** Somebody at the console, who gives a command that costs nothing. */
async function visitor(url: string): Promise<() => Promise<number>> {
  const cookie = ((await fetch(url)).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const state = await fetch(`${url}/console/state?locale=en`, { headers: { cookie } });
  const { channels } = (await state.json()) as { readonly channels: readonly { readonly id: string }[] };
  let number = 0;
  return async () => {
    const began = performance.now();
    const body = {
      eventId: `event-${number++}`.padEnd(12, 'x'),
      place: channels[0]?.id,
      command: 'help',
      options: {},
      locale: 'en',
    };
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/console/commands`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`a command was not taken: ${answer.status} ${await answer.text()}`);
    await answer.text();
    return performance.now() - began;
  };
}

async function measure(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-bench-'));
  const file = join(folder, 'troupe.db');
  await withWaitingRenders(file, count);
  const began = performance.now();
  const bot = await BotProcess.start(
    {
      SERVICE_BASE_URL: `http://127.0.0.1:${port}/v1`,
      SERVICE_API_KEY: 'sk-svc-benchmark-0123456789',
      DATABASE_URL: `sqlite:${file}`,
      PORT: '0',
    },
    ['--expose-gc', '--import', inside],
  );
  const ready = performance.now() - began;
  try {
    const give = await visitor(bot.url);
    await give();
    const first = performance.now() - began;
    const start = await bot.ask<Look>({});
    const until = performance.now() + commandsFor;
    let slowest = 0;
    while (performance.now() < until) {
      slowest = Math.max(slowest, await give());
      await setTimeout(commandEvery);
    }
    const after = await bot.ask<Look>({});
    const columns = [
      String(count),
      `${ready.toFixed(0)} ms`,
      `${first.toFixed(0)} ms`,
      `${start.longest.toFixed(0)} ms`,
      megabytes(start.heap),
      `${slowest.toFixed(0)} ms`,
      `${after.longest.toFixed(0)} ms`,
      megabytes(after.heap),
    ];
    console.log(columns.map((column) => column.padEnd(12)).join(''));
  } finally {
    await bot.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

const columns = [
  'renders',
  'ready',
  '1st command',
  'loop held',
  'heap',
  'slowest cmd',
  'loop held',
  'heap later',
];
console.log(columns.map((column) => column.padEnd(12)).join(''));
for (const count of [0, 10_000]) await measure(count);
console.log(`the service was asked ${asked} times`);
service.close();
