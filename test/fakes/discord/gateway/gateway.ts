import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../../src/lib/clock.ts';
import { type Fields, isFields } from '../http/fields.ts';
import type { Journal } from '../journal.ts';
import { guildBody } from '../serialize/serialize-guild.ts';
import { userBody } from '../serialize/serialize.ts';
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

/** Codes with which a client ends its session (events/gateway, disconnecting). */
const endsSession = [1000, 1001];
/**
 * Codes after which the client has to start a new session (topics/opcodes-and-status-codes). Discord's own 1000 ends it,
 * too (reported: discord-api-docs#2922).
 */
const closedForGood = [1000, 4004, 4007, 4010, 4011, 4012, 4013, 4014];

/** The WebSocket half (events/gateway): identify, resume, heartbeats, and faults on demand. */
export class Gateway {
  readonly sessions = new Map<string, GatewaySession>();
  readonly #world: World;
  readonly #token: string;
  readonly #clock: Clock;
  readonly #journal: () => Journal;
  readonly #sockets: WebSocketServer;
  #address = '';
  #resumeAddress = '';
  #identifies: { at: number; key: number }[] = [];
  /** How many shards Discord recommends. */
  shards = 1;
  /** How many identifies may come within `identifyWindow` milliseconds, one per rate limit key. */
  maxConcurrency = 1;
  identifyWindow = 5000;
  /** Whether RESUME is accepted; false answers op 9. */
  resumable = true;
  /** The next RESUMEs that are answered with op 9 whose session may be resumed all the same (`d: true`). */
  resumesInVain = 0;
  /** How long a session without a socket can be resumed: about 90 seconds (reported: discord-api-docs#1619). */
  sessionLife = 90_000;
  /** Milliseconds until a socket gets HELLO. */
  helloAfter = 0;
  /** The next sockets that are told to reconnect (op 7) in place of HELLO. */
  reconnectsAtOnce = 0;
  /** How many events before the wanted ones a RESUME repeats. */
  repeatOnResume = 0;
  /** Sends op 9 right after RESUMED, as Discord sometimes does. */
  invalidateAfterResume = false;
  /** Changes events before they are sent, as Discord never does. */
  spoil: (name: string, data: Fields) => Fields = (_, data) => data;

  /** Leaves fields out of the events of a name: ones that the documentation calls optional, or an imprecise server forgets. */
  leaveOut(event: string, ...fields: readonly string[]): void {
    const before = this.spoil;
    this.spoil = (name, data) => {
      const sent = before(name, data);
      if (name !== event) return sent;
      return Object.fromEntries(Object.entries(sent).filter(([field]) => !fields.includes(field)));
    };
  }

  identifyCount = 0;
  /** Identifies that came too soon after another of their rate limit key (op 9). */
  identifiesTooSoon = 0;
  /** How many sessions may be started a day; Discord resets the token of a bot that exceeds it. */
  sessionsADay = 1000;
  /** False: READY is sent without GUILD_CREATE after it, as for a bot in very many servers. */
  sendsGuilds = true;
  /** False: an IDENTIFY gets no READY, as in an outage. */
  sendsReady = true;
  /** True: IDENTIFY is refused as one with another token. */
  refusesToken = false;
  resumeCount = 0;
  readonly closeCodes: number[] = [];

  constructor(server: Server, world: World, token: string, clock: Clock, journal: () => Journal) {
    this.#world = world;
    this.#token = token;
    this.#clock = clock;
    this.#journal = journal;
    this.#sockets = new WebSocketServer({ server });
    this.#sockets.on('connection', (socket, request) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'ws://localhost');
      if (searchParams.get('v') !== '10' || searchParams.get('encoding') !== 'json')
        this.#close(socket, 4012);
      else this.#serve(socket, pathname === new URL(this.#resumeAddress).pathname);
    });
  }

  listen(port: number): void {
    this.#address = `ws://127.0.0.1:${port}/gateway`;
    this.#resumeAddress = `ws://127.0.0.1:${port}/resume`;
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

  /** Closes every connection with a code: some of them end the session. */
  closeAll(code: number): void {
    for (const session of this.sessions.values()) {
      const isOver =
        code === 4009 ? this.#world.readings.timedOutSession === 'refused' : closedForGood.includes(code);
      if (isOver) this.sessions.delete(session.id);
      session.socket()?.close(code);
    }
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

  #serve(socket: WebSocket, isForResume: boolean): void {
    let session: GatewaySession | undefined;
    const sends: number[] = [];
    socket.on('close', (code) => {
      if (session?.socket() === socket && endsSession.includes(code)) this.sessions.delete(session.id);
      session?.detach(socket, this.#clock.now());
      this.#world.changed();
    });
    socket.on('message', (raw: Buffer) => {
      sends.push(this.#clock.now());
      while ((sends[0] ?? 0) <= this.#clock.now() - 60_000) sends.shift();
      if (sends.length > sendsPerMinute) return this.#close(socket, 4008);
      if (raw.length > maxPayloadBytes) return this.#close(socket, 4002);
      const payload = parse(raw);
      if (!payload) return this.#close(socket, 4002);
      if (payload.op === GatewayOpcodes.Heartbeat) {
        this.#checkHeartbeat(payload.d, session);
        return socket.send(JSON.stringify({ op: GatewayOpcodes.HeartbeatAck }));
      }
      const begins = payload.op === GatewayOpcodes.Identify || payload.op === GatewayOpcodes.Resume;
      if (begins && session) return this.#close(socket, 4005);
      if (payload.op === GatewayOpcodes.Identify && isFields(payload.d)) {
        if (isForResume) this.#misuse('IDENTIFY at resume_gateway_url');
        session = this.#identify(socket, payload.d);
      } else if (payload.op === GatewayOpcodes.Resume && isFields(payload.d)) {
        if (!isForResume) this.#misuse('RESUME at another address than resume_gateway_url');
        session = this.#resume(socket, payload.d);
      } else if (!session || !this.sessions.has(session.id)) this.#close(socket, 4003);
      else if (payload.op === GatewayOpcodes.PresenceUpdate) {
        if (!isPresence(payload.d)) return this.#close(socket, 4002);
        session.presence = payload.d;
      } else if (typeof payload.op !== 'number' || ![4, 8, 31].includes(payload.op))
        this.#close(socket, 4001);
      this.#world.changed();
    });
    if (this.helloAfter > 0) this.#clock.after(this.helloAfter, () => this.#greet(socket));
    else this.#greet(socket);
  }

  #greet(socket: WebSocket): void {
    const isRefused = this.reconnectsAtOnce > 0;
    if (isRefused) this.reconnectsAtOnce -= 1;
    const hello = { op: GatewayOpcodes.Hello, d: { heartbeat_interval: heartbeatInterval } };
    const first = isRefused ? { op: GatewayOpcodes.Reconnect, d: null } : hello;
    socket.send(JSON.stringify({ ...first, s: null, t: null }));
  }

  #identify(socket: WebSocket, data: Fields): GatewaySession | undefined {
    const fault = this.#identifyFault(data);
    if (fault !== undefined) return void this.#close(socket, fault);
    const [shard, count] = (data.shard as [number, number] | undefined) ?? [0, 1];
    if (!this.#takeIdentify(shard)) {
      this.identifiesTooSoon += 1;
      return void invalidate(socket, false);
    }
    const guilds = [...this.#world.guilds.values()].filter(
      (guild) => guild.hasBot && shardOf(guild.id, count) === shard,
    );
    const session = new GatewaySession(
      randomBytes(16).toString('hex'),
      { intents: Number(data.intents), shard: [shard, count], guilds: guilds.length },
      socket,
    );
    if (isPresence(data.presence)) session.presence = data.presence;
    this.sessions.set(session.id, session);
    this.identifyCount += 1;
    if (!this.sendsReady) return session;
    session.send('READY', {
      v: 10,
      user: { ...userBody(this.#world.bot), mfa_enabled: false, verified: true, email: null },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.#resumeAddress,
      shard: [shard, count],
      application: { id: this.#world.applicationId, flags: 0 },
    });
    if (session.intents & GatewayIntentBits.Guilds && this.sendsGuilds)
      for (const guild of guilds.filter(({ available }) => available))
        session.send('GUILD_CREATE', this.spoil('GUILD_CREATE', guildBody(this.#world, guild)));
    return session;
  }

  #identifyFault(data: Fields): number | undefined {
    if (data.token !== this.#token || this.refusesToken || this.identifyCount >= this.sessionsADay)
      return 4004;
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
    const session = this.#resumableSession(String(data.session_id));
    if (!session) return void invalidate(socket, false);
    if (this.resumesInVain > 0) {
      this.resumesInVain -= 1;
      return void invalidate(socket, true);
    }
    const sequence = data.seq;
    if (typeof sequence !== 'number' || sequence < 0 || sequence > session.sequence) {
      this.sessions.delete(session.id);
      return void this.#close(socket, 4007);
    }
    if (!session.reaches(sequence)) {
      this.sessions.delete(session.id);
      return void invalidate(socket, false);
    }
    this.resumeCount += 1;
    const former = session.socket();
    session.resume(socket, sequence, this.repeatOnResume);
    if (former && this.#world.readings.formerSocket === 'refused') this.#close(former, 4000);
    if (this.invalidateAfterResume) {
      this.invalidateAfterResume = false;
      this.sessions.delete(session.id);
      invalidate(socket, false);
    }
    return session;
  }

  /** A session that is still there; what can't be resumed is over. */
  #resumableSession(id: string): GatewaySession | undefined {
    const session = this.sessions.get(id);
    const { lostAt } = session ?? {};
    if (this.resumable && (lostAt === undefined || this.#clock.now() - lostAt <= this.sessionLife))
      return session;
    this.sessions.delete(id);
    return undefined;
  }

  /** A heartbeat says the last sequence that was received (events/gateway, sending heartbeats). */
  #checkHeartbeat(last: unknown, session: GatewaySession | undefined): void {
    const isKnown = typeof last === 'number' && session !== undefined && last <= session.sequence;
    if (last !== null && !isKnown) this.#misuse(`a heartbeat with the sequence ${String(last)}`);
  }

  /** Against the documentation, though Discord accepts it. */
  #misuse(what: string): void {
    this.#journal().violations.push(`gateway: ${what}`);
  }

  #close(socket: WebSocket, code: number): void {
    this.closeCodes.push(code);
    socket.close(code);
  }
}

/** Op 9: the session is over, or may be resumed all the same. */
function invalidate(socket: WebSocket, isResumable: boolean): void {
  socket.send(JSON.stringify({ op: GatewayOpcodes.InvalidSession, d: isResumable }));
}

function parse(raw: Buffer): Fields | undefined {
  try {
    const payload: unknown = JSON.parse(raw.toString('utf8'));
    return isFields(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}
