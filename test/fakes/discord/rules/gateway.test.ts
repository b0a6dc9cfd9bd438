import { ChannelFlags, ChannelType, GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Channel } from '../model.ts';
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

  constructor(scene: Scene, { query = '?v=10&encoding=json', url = scene.discord.gateway.info().url } = {}) {
    this.#socket = new WebSocket(`${String(url)}${query}`);
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

  /** Closes it as the bot; without a code the connection is cut. */
  async close(code?: number): Promise<void> {
    if (code === undefined) this.#socket.terminate();
    else this.#socket.close(code);
    await this.closed;
  }

  /** The names of the events that came, in order. */
  get events(): readonly (string | undefined)[] {
    return this.heard.filter(({ op }) => op === 0).map(({ t }) => t);
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
    expect(await new Connection(scene, { query: '' }).closed).toBe(4012);
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

/** A session that is known from its READY, with one message after it, and what it takes to resume it. */
async function begun() {
  const scene = await startScene();
  const { discord, ada } = scene;
  const socket = new Connection(scene);
  const intents = GatewayIntentBits.Guilds | GatewayIntentBits.DirectMessages;
  await socket.send(2, identify(scene, { intents }));
  const ready = (await socket.until(0, 'READY')).d as { session_id: string; resume_gateway_url: string };
  await socket.until(0, 'GUILD_CREATE');
  const says = (text: string) => ada.writes(ada.direct(), text);
  says('first');
  const { s: seq } = await socket.until(0, 'MESSAGE_CREATE');
  const asked = { token: discord.token, session_id: ready.session_id, seq };
  /** Another socket that resumes it. */
  const resume = async (more: object = {}) => {
    const next = new Connection(scene, { url: ready.resume_gateway_url });
    await next.send(6, { ...asked, ...more });
    return next;
  };
  const isThere = () => discord.gateway.sessions.has(ready.session_id);
  return { scene, socket, says, resume, asked, isThere };
}

const texts = (connection: Connection) =>
  connection.heard
    .filter(({ t }) => t === 'MESSAGE_CREATE')
    .map(({ d }) => (d as { content: string }).content);

describe('gateway: a session that another socket resumes', () => {
  it.each([undefined, 4000, 4200, 1012])(
    'gets what was missed, in order, interactions too, and no READY or GUILD_CREATE (closed with %s)',
    async (code) => {
      const { scene, socket, says, resume } = await begun();
      const { discord, ada, channel } = scene;
      await socket.close(code);
      says('second');
      await scene.api('PUT', `/applications/${discord.world.applicationId}/commands`, {
        json: [{ name: 'help', description: 'Help', type: 1 }],
      });
      ada.types(channel, { name: 'help' });
      says('third');
      const next = await resume();
      const { s } = await next.until(0, 'RESUMED');
      says('fourth');
      await discord.until('the next message', () => texts(next).length === 3);
      expect(next.events).toEqual([
        'MESSAGE_CREATE',
        'INTERACTION_CREATE',
        'MESSAGE_CREATE',
        'RESUMED',
        'MESSAGE_CREATE',
      ]);
      expect(texts(next)).toEqual(['second', 'third', 'fourth']);
      expect(next.heard.at(-1)?.s).toBe((s ?? 0) + 1);
      expect(discord.gateway.identifyCount).toBe(1);
      expect(discord.journal.violations).toEqual([]);
    },
  );

  it.each([1000, 1001])('is over if the bot closed its socket with %d', async (code) => {
    const { socket, resume, isThere } = await begun();
    await socket.close(code);
    expect(isThere()).toBe(false);
    expect((await (await resume()).until(9)).d).toBe(false);
  });

  it.each([
    [4000, true],
    [4001, true],
    [4003, true],
    [4008, true],
    [1000, false],
    [4009, false],
  ])('closed by Discord with %d: can be resumed: %s', async (code, isThere) => {
    const { scene, socket, resume } = await begun();
    scene.discord.gateway.closeAll(code);
    expect(await socket.closed).toBe(code);
    const next = await resume();
    if (isThere) await next.until(0, 'RESUMED');
    else expect((await next.until(9)).d).toBe(false);
  });

  it('may be resumable after a time-out all the same', async () => {
    const { scene, socket, resume } = await begun();
    scene.discord.world.readings.timedOutSession = 'works';
    scene.discord.gateway.closeAll(4009);
    await socket.closed;
    await (await resume()).until(0, 'RESUMED');
  });

  it('lives for about 90 seconds without a socket', async () => {
    const { scene, socket, resume } = await begun();
    await socket.close(4200);
    await scene.discord.until('the loss', () =>
      [...scene.discord.gateway.sessions.values()].every(({ connected }) => !connected),
    );
    await scene.clock.advance(90_000);
    const second = await resume();
    await second.until(0, 'RESUMED');
    await second.close(4200);
    await scene.discord.until('the loss', () =>
      [...scene.discord.gateway.sessions.values()].every(({ connected }) => !connected),
    );
    await scene.clock.advance(90_001);
    expect((await (await resume()).until(9)).d).toBe(false);
  });

  it('is over if more was missed than Discord keeps', async () => {
    const { socket, says, resume } = await begun();
    await socket.close(4200);
    for (let count = 0; count < 101; count++) says(`${count}`);
    expect((await (await resume()).until(9)).d).toBe(false);
  });

  it.each([
    ['beyond the last', 999],
    ['below the first', -1],
    ['that is no number', '3'],
  ])('a sequence %s is refused, and the session is over', async (_, seq) => {
    const { socket, resume, isThere } = await begun();
    await socket.close(4200);
    expect(await (await resume({ seq })).closed).toBe(4007);
    expect(isThere()).toBe(false);
  });

  it('needs the right token', async () => {
    const { resume } = await begun();
    expect(await (await resume({ token: 'wrong' })).closed).toBe(4004);
  });

  it('may be resumable although it isn’t resumed just now, on the same socket', async () => {
    const { scene, socket, resume, asked } = await begun();
    scene.discord.gateway.resumesInVain = 1;
    await socket.close(4200);
    const next = await resume();
    expect((await next.until(9)).d).toBe(true);
    await next.send(6, asked);
    await next.until(0, 'RESUMED');
  });

  it('one socket begins one session', async () => {
    const { resume, asked } = await begun();
    const next = await resume();
    await next.until(0, 'RESUMED');
    await next.send(6, asked);
    expect(await next.closed).toBe(4005);
  });

  it.each(['refused', 'works'] as const)('its first socket may stay open: %s', async (formerSocket) => {
    const { scene, socket, says, resume } = await begun();
    scene.discord.world.readings.formerSocket = formerSocket;
    const next = await resume();
    await next.until(0, 'RESUMED');
    says('second');
    await next.until(0, 'MESSAGE_CREATE');
    expect(texts(socket)).toEqual(['first']);
    if (formerSocket === 'refused') expect(await socket.closed).toBe(4000);
    else await socket.close();
    says('third');
    await scene.discord.until('the third', () => texts(next).length === 2);
  });

  it('an address that isn’t resume_gateway_url, and a log-in there, are noted as faults', async () => {
    const { scene, socket, asked, resume } = await begun();
    const { journal } = scene.discord;
    await socket.close(4200);
    const elsewhere = new Connection(scene);
    await elsewhere.send(6, asked);
    await elsewhere.until(0, 'RESUMED');
    expect(journal.violations).toEqual([expect.stringContaining('RESUME at another address')]);
    const again = await resume({ session_id: 'unknown' });
    await again.until(9);
    await again.send(2, identify(scene));
    await scene.discord.until('the second fault', () => journal.violations.length === 2);
    expect(journal.violations[1]).toContain('IDENTIFY at resume_gateway_url');
  });

  it('a heartbeat with what was never sent is noted as a fault', async () => {
    const { scene, socket, asked } = await begun();
    await socket.send(1, asked.seq);
    await socket.until(11);
    expect(scene.discord.journal.violations).toEqual([]);
    await socket.send(1, 999);
    await scene.discord.until('the fault', () => scene.discord.journal.violations.length === 1);
  });

  it('Discord may ask for a reconnection before it says hello', async () => {
    const scene = await startScene();
    scene.discord.gateway.reconnectsAtOnce = 1;
    const connection = new Connection(scene);
    await connection.until(7);
    expect(connection.heard.map(({ op }) => op)).toEqual([7]);
    await new Connection(scene).until(10);
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

  it('what only one person sees as if it were a direct message, which says no server', async () => {
    const scene = await startScene();
    const { ada, channel, discord } = scene;
    await scene.api('PUT', `/applications/${discord.world.applicationId}/commands`, {
      json: [{ name: 'ask', description: 'x' }],
    });
    const [direct, ofServer] = [GatewayIntentBits.DirectMessages, GatewayIntentBits.GuildMessages].map(
      () => new Connection(scene),
    );
    await direct!.send(2, identify(scene, { intents: GatewayIntentBits.DirectMessages }));
    await direct!.until(0, 'READY');
    await scene.clock.advance(5_000);
    await ofServer!.send(2, identify(scene, { intents: GatewayIntentBits.GuildMessages }));
    await ofServer!.until(0, 'READY');
    const { id, token } = ada.types(channel, { name: 'ask' });
    await scene.api('POST', `/interactions/${id}/${token}/callback`, {
      json: { type: 4, data: { content: 'hush', flags: 64 } },
    });
    await scene.api('DELETE', `/webhooks/${discord.world.applicationId}/${token}/messages/@original`);
    await direct!.until(0, 'MESSAGE_DELETE');
    const heard = direct!.heard.filter(({ t }) => String(t).startsWith('MESSAGE_')).map(({ d }) => d);
    expect(heard).toEqual([
      expect.objectContaining({ content: 'hush', channel_id: channel.id }),
      expect.objectContaining({ channel_id: channel.id }),
    ]);
    expect(JSON.stringify(heard)).not.toMatch(/guild_id|"member"/);
    expect(ofServer!.events.some((name) => name?.startsWith('MESSAGE_'))).toBe(false);
  });

  it('of a channel that the bot can’t view only that it’s there, over HTTP nothing', async () => {
    const scene = await startScene();
    const { discord, guild } = scene;
    const hidden = discord.world.addChannel(guild, 'layoffs');
    const deny = PermissionFlagsBits.ViewChannel;
    hidden.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny });
    const connection = new Connection(scene);
    await connection.send(2, identify(scene, { intents: GatewayIntentBits.Guilds }));
    await connection.until(0, 'GUILD_CREATE');
    const created = connection.heard.find(({ t }) => t === 'GUILD_CREATE')?.d as {
      channels: { id: string }[];
    };
    expect(created.channels.find(({ id }) => id === hidden.id)).toMatchObject({
      name: '___hidden___',
      flags: ChannelFlags.ChannelObfuscated,
      permission_overwrites: [{ id: guild.id, type: 0, allow: '0', deny: String(deny) }],
    });
    const { body: listed } = await scene.api('GET', `/guilds/${guild.id}/channels`);
    expect(JSON.stringify(listed)).toContain('general');
    expect(JSON.stringify(listed)).not.toContain(hidden.id);
  });

  it('nothing of threads in a channel that the bot can’t view', async () => {
    const scene = await startScene();
    const { ada, discord, guild } = scene;
    const forum = (name: string) => discord.world.addChannel(guild, name, ChannelType.GuildForum);
    const posted = (place: Channel) => discord.threads.openPost(place, ada.user.id, 'How do I?').id;
    const [hidden, open] = [forum('layoffs'), forum('questions')];
    hidden.overwrites.push({ id: guild.id, type: 'role', allow: 0n, deny: PermissionFlagsBits.ViewChannel });
    const before = posted(hidden);
    const connection = new Connection(scene);
    await connection.send(2, identify(scene, { intents: GatewayIntentBits.Guilds }));
    await connection.until(0, 'GUILD_CREATE');
    const later = [posted(hidden), posted(open)];
    await connection.until(0, 'THREAD_CREATE');
    const heard = JSON.stringify(connection.heard);
    expect([before, ...later].map((id) => heard.includes(id))).toEqual([false, false, true]);
  });

  it('nothing of the messages in a channel that the bot can’t view, nor later', async () => {
    const scene = await startScene();
    const { ada, channel, discord } = scene;
    const connection = new Connection(scene);
    await connection.send(2, identify(scene, { intents: GatewayIntentBits.GuildMessages }));
    await connection.until(0, 'READY');
    const first = ada.writes(channel, 'before');
    scene.forbid(PermissionFlagsBits.ViewChannel);
    ada.deletes(first);
    const [one, ...more] = ['one', 'two'].map((text) => ada.writes(channel, text));
    discord.messages.deleteTogether([one!, ...more]);
    scene.permit(PermissionFlagsBits.ViewChannel);
    ada.deletes(ada.writes(channel, 'after'));
    await connection.until(0, 'MESSAGE_DELETE');
    expect(connection.events.filter((name) => name?.startsWith('MESSAGE_'))).toEqual([
      'MESSAGE_CREATE',
      'MESSAGE_CREATE',
      'MESSAGE_DELETE',
    ]);
  });
});
