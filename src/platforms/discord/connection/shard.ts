import {
  CloseCodes,
  DefaultWebSocketManagerOptions,
  type IContextFetchingStrategy,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import {
  ActivityType,
  type APIGatewayBotInfo,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayPresenceUpdateData,
  PresenceUpdateStatus,
} from 'discord-api-types/v10';
import { type Clock, inTime, sleep, waitAfter, type Waits } from '../../../lib/clock.ts';
import type { Identity, Log } from './own-application.ts';

/** What another process, or the next one, goes on with. */
export interface KeptSession {
  /** Up to the last event below which nothing is lost: all of them are on record, or nothing comes of them. */
  readonly session: SessionInfo;
  /** A session that's resumed doesn't say who the bot is. */
  readonly identity: Identity;
}

export interface ShardDependencies {
  readonly token: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Everything that happens, as Discord sends it and as soon as it comes; what was missed, too. `isLeft`: an earlier
   * process missed it, or left it. Resolves once it may be forgotten: what comes of it is on record, or nothing does.
   */
  readonly onDispatch: (event: GatewayDispatchPayload, isLeft: boolean) => Promise<void> | undefined;
  /** Discord goes on with the session of an earlier process, which knew who the bot is. */
  readonly onTakenUp: (identity: Identity) => void;
  /** Asked before it connects again: another process may have it by now. */
  readonly mayConnect: (shard: Shard) => Promise<boolean>;
  /** The session is another one, or has got further. Resolves once that's on record, if it had to be at once. */
  readonly onProgress: (shard: Shard) => Promise<void>;
  /** Discord refuses what all shards have in common: the token, the intents, the number of shards. */
  readonly onRefused: (reason: string, closeCode: number) => void;
}

interface ShardOptions {
  readonly id: number;
  /** Number of shards in all. */
  readonly count: number;
  readonly intents: number;
  readonly gateway: APIGatewayBotInfo;
  /** Resolves when it may log in, one after the other; rejects if the signal is aborted before. */
  readonly mayLogIn: (signal: AbortSignal) => Promise<void>;
  /** The session of an earlier process, to go on with. */
  readonly kept?: KeptSession;
}

/**
 * What people see below the bot's name: “Listening to /help”, in the language of their own client. It's part of the
 * log-in, so that it costs no sends of its own, and it holds for as long as the session does.
 */
const presence = {
  activities: [{ type: ActivityType.Listening, name: '/help' }],
  status: PresenceUpdateStatus.Online,
  since: null,
  afk: false,
} satisfies GatewayPresenceUpdateData;

/** Milliseconds for the gateway to answer that a connection is closed. */
const patience = 5_000;
/** Milliseconds for it to be put on record that this process goes on with an earlier one's session: what comes waits. */
const recordPatience = 1_000;
/** Waits between tries to connect, in milliseconds; the library adds half a second to each. */
const waits: Waits = { first: 500, longest: 30_000 };
/** After so many failures in a row, the address to resume at may be what's wrong (events/gateway, disconnecting). */
const maxFailuresAtAddress = 4;

/** Discord allows no further try with the same token, intents and number of shards (opcodes-and-status-codes). */
const refusals: readonly number[] = [
  GatewayCloseCodes.AuthenticationFailed,
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.ShardingRequired,
  GatewayCloseCodes.InvalidAPIVersion,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
];
/** With these, Discord ends the session; otherwise a try to resume it shows whether it's over. */
const endings: readonly number[] = [CloseCodes.Normal, GatewayCloseCodes.InvalidSeq];

/** What the library asks of those who never want to hear of it again. */
const never = new Promise<never>(() => {});

/** Keeps up one shard's connection to the gateway, and its session over many connections. */
export class Shard {
  readonly #dependencies: ShardDependencies;
  readonly #options: ShardOptions;
  readonly #socket: WebSocketShard;
  #session: SessionInfo | null;
  /** The last event that was passed on. */
  #heard = 0;
  /** Those that were passed on and mustn't be forgotten yet, the first of them first; each resolves when it may be. */
  #underWay = new Map<number, Promise<void>>();
  /** Whether what comes now is what an earlier process missed, or may have heard though it isn't its own any more. */
  #isCatchingUp = false;
  #isTakenUp = false;
  readonly #caughtUp = Promise.withResolvers<unknown>();
  /** It's on record that what comes, comes to this process. */
  #isOnRecord: Promise<void> = Promise.resolve();
  /** Whether its first connection is still to come. */
  #isFirst = true;
  /** Whether Discord has ended the session, if the library says it's over: a network that fails ends none. */
  #mayEnd = false;
  /** Whether a connection is being opened, and Discord hasn't said hello yet. */
  #isOpening = false;
  #failures = 0;
  #reason = 'waiting for its turn to connect';
  readonly #closing = new AbortController();
  #wasForgotten = false;

  constructor(dependencies: ShardDependencies, options: ShardOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#session = options.kept?.session ?? null;
    this.#heard = this.#session?.sequence ?? 0;
    if (!options.kept) this.#caughtUp.resolve(undefined);
    this.#socket = new WebSocketShard(this.#context(), options.id);
    this.#listen();
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    // Failures come as events of their own; the library tries again by itself.
    this.#socket.connect().catch(() => {});
  }

  get id(): number {
    return this.#options.id;
  }

  /** Whether what happens in its servers comes here, after a loss of the connection if not now. */
  get hasSession(): boolean {
    return !this.#isClosed && this.#session !== null;
  }

  /** Its session, up to the last event before the first one that mustn't be forgotten yet. */
  get session(): SessionInfo | undefined {
    const [first] = this.#underWay.keys();
    const sequence = first === undefined ? this.#heard : first - 1;
    return this.#session ? { ...this.#session, sequence } : undefined;
  }

  /** Resolves once nothing that an earlier process missed in its session is still to come, and none of it may be forgotten. */
  get caughtUp(): Promise<unknown> {
    return this.#caughtUp.promise;
  }

  /** Why the shard isn't ready; undefined if it is. */
  notReady(): string | undefined {
    const { id, count } = this.#options;
    const isReady = !this.#isClosed && this.#socket.status === WebSocketShardStatus.Ready;
    return isReady ? undefined : `shard ${id} of ${count}: ${this.#reason}`;
  }

  /** Disconnects for good, within a few seconds. The session can be resumed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await inTime(this.#dependencies.clock, patience, this.#disconnect(), undefined);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #disconnect(): Promise<void> {
    // The library leaves a socket open that it closes before that is open itself.
    if (this.#isOpening) await this.#opened();
    await this.#socket.destroy({ code: CloseCodes.Resuming });
  }

  #opened(): Promise<void> {
    const { Hello, Closed, Error: Failed } = WebSocketShardEvents;
    return new Promise((resolve) => {
      for (const event of [Hello, Closed, Failed]) this.#socket.once(event, () => resolve());
    });
  }

  /** What the library asks for, and tells. */
  #context(): IContextFetchingStrategy {
    const { token } = this.#dependencies;
    const { count, intents, gateway, mayLogIn } = this.#options;
    return {
      options: {
        ...DefaultWebSocketManagerOptions,
        ...{ token, intents, shardCount: count, gatewayInformation: gateway },
        ...{ initialPresence: presence, compression: null },
      },
      // The library asks before it connects, and before it passes on an event.
      retrieveSessionInfo: () =>
        this.#socket.status === WebSocketShardStatus.Idle
          ? this.#beforeConnecting()
          : this.#isOnRecord.then(() => this.#session),
      updateSessionInfo: (_, session) => this.#keep(session),
      waitForIdentify: (_, signal) => mayLogIn(signal),
    };
  }

  /** Asked before each connection. A closed shard stays closed: the library would connect one again that it was connecting. */
  async #beforeConnecting(): Promise<SessionInfo | null> {
    const { signal } = this.#closing;
    const wait = this.#failures > 1 ? waitAfter(this.#failures - 1, waits) : 0;
    if (wait > 0) await sleep(this.#dependencies.clock, wait, signal).catch(() => {});
    const mayConnect = this.#isFirst || (await this.#dependencies.mayConnect(this));
    this.#isFirst = false;
    if (this.#isClosed || !mayConnect) return never;
    this.#isOpening = true;
    this.#isCatchingUp = this.#session?.sessionId === this.#options.kept?.session.sessionId;
    const isLost = this.#failures >= maxFailuresAtAddress;
    return this.#session && isLost
      ? { ...this.#session, resumeURL: this.#options.gateway.url }
      : this.#session;
  }

  /**
   * The library closes a shard a second time if it was waiting for something then, and takes from the first time the news
   * that the connection is closed: here, the second time gets no further than forgetting the session.
   */
  async #keep(session: SessionInfo | null): Promise<void> {
    if (!this.#isClosed) {
      if (session && session.sessionId !== this.#session?.sessionId) this.#begin();
      if (session !== null || this.#mayEnd) this.#session = session;
    } else if (this.#wasForgotten) await never;
    else this.#wasForgotten = true;
  }

  #listen(): void {
    const { clock, log, onProgress } = this.#dependencies;
    const { id, kept } = this.#options;
    const { Hello, Closed, Dispatch, Error: Failed, HeartbeatComplete } = WebSocketShardEvents;
    this.#socket.on(Hello, () => {
      this.#isOpening = false;
      this.#failures = 0;
      this.#mayEnd = true;
      if (kept && !this.#isTakenUp)
        this.#isOnRecord = inTime(clock, recordPatience, onProgress(this), undefined);
    });
    this.#socket.on(Closed, ({ code }) => this.#onClosed(code));
    this.#socket.on(Failed, ({ error }) => log.warn({ error, shard: id }, 'an error of a shard'));
    this.#socket.on(Dispatch, ({ data }) => {
      if (!this.#isClosed) this.#pass(data);
    });
    // A session lasts as long as its connection, however little happens there.
    this.#socket.on(HeartbeatComplete, () => void onProgress(this));
  }

  #pass(event: GatewayDispatchPayload): void {
    const { onDispatch, onTakenUp, onProgress } = this.#dependencies;
    const { kept } = this.#options;
    const { s: sequence, t } = event;
    // Discord may send again what it isn't certain to have sent.
    if (sequence <= this.#heard) return;
    this.#note(event);
    if (t !== GatewayDispatchEvents.Ready && kept && !this.#isTakenUp) onTakenUp(kept.identity);
    this.#isTakenUp = true;
    this.#heard = sequence;
    const done = onDispatch(event, this.#isCatchingUp);
    if (t === GatewayDispatchEvents.Resumed) this.#isCatchingUp = false;
    if (done) {
      const underWay = this.#underWay;
      const ended = done.finally(() => {
        underWay.delete(sequence);
        if (!this.#isClosed) void onProgress(this);
      });
      underWay.set(sequence, ended);
    }
    if (t === GatewayDispatchEvents.Resumed || t === GatewayDispatchEvents.Ready)
      this.#caughtUp.resolve(Promise.all(this.#underWay.values()));
    void onProgress(this);
  }

  /** A new session counts its events from the beginning. */
  #begin(): void {
    this.#heard = 0;
    this.#underWay = new Map();
    this.#isCatchingUp = false;
  }

  #note({ t, d }: GatewayDispatchPayload): void {
    const isNew = t === GatewayDispatchEvents.Ready;
    if (!isNew && t !== GatewayDispatchEvents.Resumed) return;
    const { id: shard, count: shards } = this.#options;
    this.#reason = 'reconnecting';
    if (isNew)
      this.#dependencies.log.info({ shard, shards, guilds: d.guilds.length }, 'connected to Discord');
    else this.#dependencies.log.info({ shard, shards }, 'connected to Discord again');
  }

  #onClosed(code: number): void {
    const { log, onRefused } = this.#dependencies;
    const { id } = this.#options;
    if (this.#isOpening) this.#failures += 1;
    this.#isOpening = false;
    this.#mayEnd = endings.includes(code);
    if (this.#isClosed) return;
    if (refusals.includes(code)) onRefused(`shard ${id} was closed with ${code}`, code);
    else log.info({ shard: id, code }, 'reconnecting to Discord');
  }
}
