import { fork } from 'node:child_process';
import { GatewayDispatchEvents, GatewayIntentBits } from 'discord-api-types/v10';
import { Client } from 'discord.js';
import { alone } from '../../src/coordination/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { DiscordApi } from '../../src/platforms/discord/api/api.ts';
import { Gateway, type Shards } from '../../src/platforms/discord/connection/gateway.ts';
import { Servers } from '../../src/platforms/discord/servers/servers.ts';
import { gatewayParts, recordsInMemory } from '../platforms/discord/support/processes.ts';

/** What the bot may keep in memory for a server, in bytes. */
const limit = 40_000;

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

/** A connection to the server with everything it knows. */
interface Connected {
  /** How many servers are known whole. */
  servers(): number;
  close(): Promise<unknown>;
}
type Connect = (apiUrl: string, token: string) => Connected;

/** Bytes a server takes in a connection that has seen `count` of them. */
async function bytesPerServer(count: number, connect: Connect): Promise<number> {
  const server = fork(new URL('../bench/support/discord-memory-server.ts', import.meta.url), [String(count)]);
  const { apiUrl, token } = await new Promise<{ apiUrl: string; token: string }>((resolve) =>
    server.once('message', (message) => resolve(message as { apiUrl: string; token: string })),
  );
  const before = await settled();
  const connected = connect(apiUrl, token);
  try {
    while (connected.servers() < count) await new Promise((resolve) => setTimeout(resolve, 100));
    return ((await settled()) - before) / count;
  } finally {
    await connected.close();
    server.kill();
  }
}

const ours =
  (shards: Shards): Connect =>
  (apiUrl, token) => {
    const api = new DiscordApi({ token, apiUrl });
    const ignore = () => {};
    const log = { warn: ignore };
    let me = '';
    const known = new Set<string>();
    const servers = new Servers({
      ...{ api, coordination: alone(), clock: systemClock, log, onServer: ignore },
      me: () => me,
      isTold: () => true,
    });
    const gateway = new Gateway({
      ...gatewayParts({ token }),
      ...{ api, shards, coordination: alone(), clock: systemClock, records: recordsInMemory(systemClock) },
      onDispatch: (event) => {
        if (event.t === GatewayDispatchEvents.Ready) me = event.d.user.id;
        servers.apply(event);
        if (event.t === GatewayDispatchEvents.GuildCreate) known.add(event.d.id);
        return undefined;
      },
    });
    gateway.open();
    return {
      servers: () => known.size,
      close: () => gateway.close().finally(() => api.close()),
    };
  };
const plain: Connect = (apiUrl, token) => {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    rest: { api: apiUrl },
  });
  void client.login(token);
  return {
    servers: () => client.guilds.cache.filter((guild) => guild.available).size,
    close: () => client.destroy(),
  };
};

let failed = false;
process.stdout.write('servers  troupe      in 4 shards discord.js as it comes\n');
for (const count of [500, 2500]) {
  const own = await bytesPerServer(count, ours({ ids: [0], count: 1 }));
  const sharded = await bytesPerServer(count, ours({ ids: [0, 1, 2, 3], count: 4 }));
  const other = await bytesPerServer(count, plain);
  failed ||= own > limit || sharded > limit;
  const figures = [own, sharded, other].map((bytes) => `${(bytes / 1000).toFixed(1)} kB`.padEnd(12));
  process.stdout.write(`${String(count).padEnd(9)}${figures.join('')}\n`);
}
process.exit(failed ? 1 : 0);
