import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { GatewayIntentBits, GatewayOpcodes } from 'discord.js';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../../src/lib/clock.ts';
import { type Fields, isFields } from '../http/fields.ts';
import { userBody } from '../serialize/serialize.ts';
import { guildBody } from '../serialize/serialize-guild.ts';
import { shardOf } from '../snowflakes.ts';
import type { World } from '../world.ts';
import type { Dispatch } from './events.ts';
import { GatewaySession } from './gateway-session.ts';
import { isPresence } from './presence.ts';

const heartbeatInterval = 41_250;
const maxPayloadBytes = 4096;
const sendsPerMinute = 120;
const privileged =
  GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;
const knownIntents = Object.values(GatewayIntentBits).reduce<number>(
  (all, bit) => (typeof bit === 'number' ? all | bit : all),
  0,
);

/** The WebSocket half (events/gateway): identify, resume, heartbeats, and faults on demand. */
export class Gateway {
  readonly sessions = new Map<string, GatewaySession>();
  readonly #world: World;
  readonly #token: string;
  readonly #clock: Clock;
  readonly #sockets: WebSocketServer;
  #address = '';
  #identifies: { at: number; key: number }[] = [];
  /** How many shards Discord recommends. */
  shards = 1;
  /** How many identifies may come within `identifyWindow` milliseconds, one per rate limit key. */
  maxConcurrency = 1;
  identifyWindow = 5000;
  /** Whether RESUME is accepted; false answers op 9. */
  resumable = true;
  /** How many events before the wanted ones a RESUME repeats. */
  repeatOnResume = 0;
  /** Sends op 9 right after RESUMED, as Discord sometimes does. */
  invalidateAfterResume = false;
  /** Changes events before they are sent, as Discord never does. */
  spoil: (name: string, data: Fields) => Fields = (_, data) => data;
  identifyCount = 0;
  /** Identifies that came too soon after another of their rate limit key (op 9). */
  identifiesTooSoon = 0;
  /** How many sessions may be started a day; Discord resets the token of a bot that exceeds it. */
  sessionsADay = 1000;
  /** False: READY is sent without GUILD_CREATE after it, as for a bot in very many servers. */
  sendsGuilds = true;
  /** False: an IDENTIFY gets no READY, as in an outage. */
  sendsReady = true;
  resumeCount = 0;
  readonly closeCodes: number[] = [];

  constructor(server: Server, world: World, token: string, clock: Clock) {
    this.#world = world;
    this.#token = token;
    this.#clock = clock;
    this.#sockets = new WebSocketServer({ server });
    this.#sockets.on('connection', (socket, request) => {
      const query = new URL(request.url ?? '/', 'ws://localhost').searchParams;
      if (query.get('v') !== '10' || query.get('encoding') !== 'json') this.#close(socket, 4012);
      else this.#serve(socket);
    });
  }

  listen(port: number): void {
    this.#address = `ws://127.0.0.1:${port}/gateway`;
  }

  close(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  /** The response of `GET /gateway/bot`. */
  info(): Fields {
    return {
      url: this.#address,
      shards: this.shards,
      session_start_limit: {
        total: this.sessionsADay,
        remaining: Math.max(0, this.sessionsADay - this.identifyCount),
        reset_after: 14_400_000,
        max_concurrency: this.maxConcurrency,
      },
    };
  }

  /** Sends an event to every session that may receive it. */
  readonly dispatch: Dispatch = (name, data, guildId) => {
    for (const session of this.sessions.values())
      session.offer(name, (intents) => this.spoil(name, data(intents)), guildId);
  };

  /** Sends an op to every connected shard: 7 asks to reconnect, 9 ends the session. */
  sendAll(op: number, data: unknown): void {
    for (const session of this.sessions.values()) {
      if (op === GatewayOpcodes.InvalidSession && data === false) this.sessions.delete(session.id);
      session.socket()?.send(JSON.stringify({ op, d: data, s: null, t: null }));
    }
  }

  /** Closes every connection without a close code. */
  drop(): void {
    for (const session of this.sessions.values()) session.socket()?.terminate();
  }

  /** Reads nothing any more, so that nobody's closing is answered. */
  freeze(): void {
    for (const socket of this.#sockets.clients) socket.pause();
  }

  /** Sends the last event of a name once more, as the gateway may. */
  repeatLast(name: string): void {
    for (const session of this.sessions.values()) {
      const event = session.events.findLast((sent) => sent.name === name);
      if (event) session.send(event.name, event.data);
    }
  }

  #serve(socket: WebSocket): void {
    let session: GatewaySession | undefined;
    const sends: number[] = [];
    socket.on('close', () => {
      session?.detach(socket);
      this.#world.changed();
    });
    socket.on('message', (raw: Buffer) => {
      sends.push(this.#clock.now());
      while ((sends[0] ?? 0) <= this.#clock.now() - 60_000) sends.shift();
      if (sends.length > sendsPerMinute) return this.#close(socket, 4008);
      if (raw.length > maxPayloadBytes) return this.#close(socket, 4002);
      const payload = parse(raw);
      if (!payload) return this.#close(socket, 4002);
      if (payload.op === GatewayOpcodes.Heartbeat)
        return socket.send(JSON.stringify({ op: GatewayOpcodes.HeartbeatAck }));
      if (payload.op === GatewayOpcodes.Identify && session) return this.#close(socket, 4005);
      if (payload.op === GatewayOpcodes.Identify && isFields(payload.d))
        session = this.#identify(socket, payload.d);
      else if (payload.op === GatewayOpcodes.Resume && isFields(payload.d))
        session = this.#resume(socket, payload.d);
      else if (!session) this.#close(socket, 4003);
      else if (payload.op === GatewayOpcodes.PresenceUpdate) {
        if (!isPresence(payload.d)) return this.#close(socket, 4002);
        session.presence = payload.d;
      } else if (typeof payload.op !== 'number' || ![4, 8, 31].includes(payload.op))
        this.#close(socket, 4001);
      this.#world.changed();
    });
    socket.send(
      JSON.stringify({
        op: GatewayOpcodes.Hello,
        d: { heartbeat_interval: heartbeatInterval },
        s: null,
        t: null,
      }),
    );
  }

  #identify(socket: WebSocket, data: Fields): GatewaySession | undefined {
    const fault = this.#identifyFault(data);
    if (fault !== undefined) return void this.#close(socket, fault);
    const [shard, count] = (data.shard as [number, number] | undefined) ?? [0, 1];
    if (!this.#takeIdentify(shard)) {
      this.identifiesTooSoon += 1;
      socket.send(JSON.stringify({ op: GatewayOpcodes.InvalidSession, d: false }));
      return undefined;
    }
    const session = new GatewaySession(
      randomBytes(16).toString('hex'),
      Number(data.intents),
      [shard, count],
      socket,
    );
    if (isPresence(data.presence)) session.presence = data.presence;
    this.sessions.set(session.id, session);
    this.identifyCount += 1;
    if (!this.sendsReady) return session;
    const guilds = [...this.#world.guilds.values()].filter(
      (guild) => guild.hasBot && shardOf(guild.id, count) === shard,
    );
    session.send('READY', {
      v: 10,
      user: { ...userBody(this.#world.bot), mfa_enabled: false, verified: true, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.#address,
      shard: [shard, count],
      application: { id: this.#world.applicationId, flags: 0 },
    });
    if (session.intents & GatewayIntentBits.Guilds && this.sendsGuilds)
      for (const guild of guilds.filter(({ available }) => available))
        session.send('GUILD_CREATE', guildBody(this.#world, guild));
    return session;
  }

  #identifyFault(data: Fields): number | undefined {
    if (data.token !== this.#token || this.identifyCount >= this.sessionsADay) return 4004;
    const intents = data.intents;
    if (typeof intents !== 'number' || (intents & ~knownIntents) !== 0) return 4013;
    if ((intents & privileged & ~this.#world.privilegedIntents) !== 0) return 4014;
    if (!isFields(data.properties)) return 4002;
    if (data.presence !== undefined && !isPresence(data.presence)) return 4002;
    const shard = data.shard;
    if (shard === undefined) return this.shards > 1 ? 4011 : undefined;
    if (!Array.isArray(shard) || shard.length !== 2) return 4010;
    const [index, count] = shard as [unknown, unknown];
    if (typeof index !== 'number' || typeof count !== 'number' || index < 0 || index >= count) return 4010;
    return count < this.shards ? 4011 : undefined;
  }

  #takeIdentify(shard: number): boolean {
    const now = this.#clock.now();
    const key = shard % this.maxConcurrency;
    this.#identifies = this.#identifies.filter((identify) => identify.at > now - this.identifyWindow);
    if (this.#identifies.some((identify) => identify.key === key)) return false;
    this.#identifies.push({ at: now, key });
    return true;
  }

  #resume(socket: WebSocket, data: Fields): GatewaySession | undefined {
    if (data.token !== this.#token) return void this.#close(socket, 4004);
    const session = this.sessions.get(String(data.session_id));
    const sequence = Number(data.seq);
    if (!session || !this.resumable) {
      if (session) this.sessions.delete(session.id);
      socket.send(JSON.stringify({ op: GatewayOpcodes.InvalidSession, d: false }));
      return undefined;
    }
    if (sequence > (session.events.at(-1)?.sequence ?? 0)) return void this.#close(socket, 4007);
    this.resumeCount += 1;
    session.resume(socket, sequence, this.repeatOnResume);
    if (this.invalidateAfterResume) {
      this.invalidateAfterResume = false;
      this.sessions.delete(session.id);
      socket.send(JSON.stringify({ op: GatewayOpcodes.InvalidSession, d: false }));
    }
    return session;
  }

  #close(socket: WebSocket, code: number): void {
    this.closeCodes.push(code);
    socket.close(code);
  }
}

function parse(raw: Buffer): Fields | undefined {
  try {
    const payload: unknown = JSON.parse(raw.toString('utf8'));
    return isFields(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}
