import { fork } from 'node:child_process';
import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createClient } from '../../src/platforms/discord/client.ts';

/** What the bot may keep in memory for a server, in bytes. */
const limit = 75_000;

const gc = globalThis.gc;
if (!gc) throw new Error('run with --expose-gc');

function inUse(): number {
  for (let turn = 0; turn < 4; turn++) gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function settled(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  return inUse();
}

/** Bytes a server takes in a client that has seen `count` of them. */
async function bytesPerServer(count: number, makeClient: (apiUrl: string) => Client): Promise<number> {
  const server = fork(new URL('./support/discord-memory-server.ts', import.meta.url), [String(count)]);
  const { apiUrl, token } = await new Promise<{ apiUrl: string; token: string }>((resolve) =>
    server.once('message', (message) => resolve(message as { apiUrl: string; token: string })),
  );
  const before = await settled();
  const client = makeClient(apiUrl);
  try {
    const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
    await client.login(token);
    await ready;
    if (client.guilds.cache.size !== count)
      throw new Error(`${client.guilds.cache.size} servers of ${count}`);
    return ((await settled()) - before) / count;
  } finally {
    await client.destroy();
    server.kill();
  }
}

const ours = (apiUrl: string) => createClient(apiUrl, { shards: 'auto' });
const plain = (apiUrl: string) =>
  new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    rest: { api: apiUrl },
  });

let failed = false;
process.stdout.write('servers  troupe      discord.js as it comes\n');
for (const count of [500, 2500]) {
  const own = await bytesPerServer(count, ours);
  const other = await bytesPerServer(count, plain);
  failed ||= own > limit;
  const figures = [own, other].map((bytes) => `${(bytes / 1000).toFixed(1)} kB`.padEnd(12));
  process.stdout.write(`${String(count).padEnd(9)}${figures.join('')}\n`);
}
process.exit(failed ? 1 : 0);
