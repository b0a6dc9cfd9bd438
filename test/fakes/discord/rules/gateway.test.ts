import { GatewayIntentBits } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Scene, startScene } from './scene.ts';

const sockets: WebSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

/** A bare connection: what it heard, and how it was closed. */
class Connection {
  readonly heard: { op: number; t?: string; s?: number; d?: unknown }[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #wake: () => void = () => {};

  constructor(scene: Scene, query = '?v=10&encoding=json') {
    this.#socket = new WebSocket(`${String(scene.discord.gateway.info().url)}${query}`);
    sockets.push(this.#socket);
    this.#socket.on('message', (raw: Buffer) => {
      this.heard.push(JSON.parse(raw.toString()));
      this.#wake();
    });
    this.closed = new Promise((resolve) => this.#socket.on('close', resolve));
  }

  async until(op: number, name?: string) {
    for (;;) {
      const found = this.heard.find(
        (payload) => payload.op === op && (name === undefined || payload.t === name),
      );
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async send(op: number, data: unknown): Promise<void> {
    await this.until(10);
    this.#socket.send(JSON.stringify({ op, d: data }));
  }
}

const identify = (scene: Scene, more: object = {}) => ({
  token: scene.discord.token,
  intents: GatewayIntentBits.Guilds,
  properties: { os: 'linux', browser: 'x', device: 'x' },
  ...more,
});

interface Row {
  readonly rule: string;
  readonly code: number;
  readonly attempt: (connection: Connection, scene: Scene) => Promise<unknown>;
}

/** Rules of events/gateway and of the close codes in topics/opcodes-and-status-codes. */
const rules: readonly Row[] = [
  { rule: 'the token is right', code: 4004, attempt: (c, s) => c.send(2, identify(s, { token: 'wrong' })) },
  { rule: 'intents exist', code: 4013, attempt: (c, s) => c.send(2, identify(s, { intents: 1 << 30 })) },
  {
    rule: 'privileged intents are switched on first',
    code: 4014,
    attempt: (c, s) => c.send(2, identify(s, { intents: GatewayIntentBits.MessageContent })),
  },
  {
    rule: 'a shard is one of its total',
    code: 4010,
    attempt: (c, s) => c.send(2, identify(s, { shard: [2, 2] })),
  },
  {
    rule: 'large bots shard',
    code: 4011,
    attempt: (c, s) => {
      s.discord.gateway.shards = 2;
      return c.send(2, identify(s));
    },
  },
  ...[
    { rule: 'an activity has a name', activities: [{ type: 2 }] },
    {
      rule: 'an activity’s texts have at most 128 characters',
      activities: [{ name: 'x'.repeat(129), type: 2 }],
    },
    { rule: 'an activity has one of six types', activities: [{ name: '/help', type: 6 }] },
    { rule: 'a status is one of five', activities: [], status: 'away' },
  ].map(({ rule, ...presence }) => ({
    rule,
    code: 4002,
    attempt: (c: Connection, s: Scene) =>
      c.send(2, identify(s, { presence: { since: null, status: 'online', afk: false, ...presence } })),
  })),
  {
    rule: 'a presence sent later has the same rules',
    code: 4002,
    attempt: async (c, s) => {
      await c.send(2, identify(s));
      await c.until(0, 'READY');
      await c.send(3, { since: null, status: 'online', afk: false, activities: [{ name: '', type: 0 }] });
    },
  },
  { rule: 'a connection identifies first', code: 4003, attempt: (c) => c.send(3, {}) },
  {
    rule: 'a connection identifies once',
    code: 4005,
    attempt: async (c, s) => {
      await c.send(2, identify(s));
      await c.until(0, 'READY');
      await c.send(2, identify(s));
    },
  },
  {
    rule: 'opcodes exist',
    code: 4001,
    attempt: async (c, s) => {
      await c.send(2, identify(s));
      await c.until(0, 'READY');
      await c.send(99, {});
    },
  },
  {
    rule: 'a payload has at most 4,096 bytes',
    code: 4002,
    attempt: (c, s) => c.send(2, identify(s, { more: 'x'.repeat(4096) })),
  },
  {
    rule: 'at most 120 sends a minute',
    code: 4008,
    attempt: async (c) => {
      for (let index = 0; index < 121; index++) await c.send(1, null);
    },
  },
  {
    rule: 'a sequence beyond the last is refused',
    code: 4007,
    attempt: async (c, s) => {
      const first = new Connection(s);
      await first.send(2, identify(s));
      const ready = await first.until(0, 'READY');
      await c.send(6, {
        token: s.discord.token,
        session_id: (ready.d as { session_id: string }).session_id,
        seq: 999,
      });
    },
  },
];

describe('gateway: what breaks a rule is closed', () => {
  it.each(rules)('$rule', async ({ attempt, code }) => {
    const scene = await startScene();
    const connection = new Connection(scene);
    await attempt(connection, scene);
    expect(await connection.closed).toBe(code);
  });

  it('version and encoding are named', async () => {
    const scene = await startScene();
    expect(await new Connection(scene, '').closed).toBe(4012);
  });

  it('identifies come one in five seconds', async () => {
    const scene = await startScene();
    const first = new Connection(scene);
    await first.send(2, identify(scene));
    await first.until(0, 'READY');
    const second = new Connection(scene);
    await second.send(2, identify(scene));
    expect((await second.until(9)).d).toBe(false);
  });

  it('an unknown session is not resumed', async () => {
    const scene = await startScene();
    const connection = new Connection(scene);
    await connection.send(6, { token: scene.discord.token, session_id: 'unknown', seq: 1 });
    expect((await connection.until(9)).d).toBe(false);
  });
});

describe('gateway: what a shard hears', () => {
  it('its own servers alone; direct messages on shard 0', async () => {
    const scene = await startScene();
    scene.discord.gateway.maxConcurrency = 2;
    const other = scene.discord.world.addGuild({
      name: 'Other',
      owner: scene.ada.user,
      permissions: 0n,
      ageMilliseconds: 1,
    });
    const shards = [0, 1].map(() => new Connection(scene));
    for (const [index, shard] of shards.entries()) {
      await shard.send(
        2,
        identify(scene, {
          shard: [index, 2],
          intents: GatewayIntentBits.Guilds | GatewayIntentBits.DirectMessages,
        }),
      );
      await shard.until(0, 'GUILD_CREATE');
    }
    scene.ada.writes(scene.ada.direct(), 'hello');
    await shards[0]?.until(0, 'MESSAGE_CREATE');
    const guilds = shards.map((shard) =>
      shard.heard
        .filter((payload) => payload.t === 'GUILD_CREATE')
        .map((payload) => (payload.d as { id: string }).id),
    );
    expect(guilds.flat().toSorted()).toEqual([scene.guild.id, other.id].toSorted());
    expect(guilds.every((ids) => ids.length === 1)).toBe(true);
    expect(shards[1]?.heard.some((payload) => payload.t === 'MESSAGE_CREATE')).toBe(false);
  });
});
