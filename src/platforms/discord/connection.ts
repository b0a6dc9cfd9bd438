import { type Client, Events, type Interaction, type Message, Status } from 'discord.js';
import type { Clock } from '../../clock.ts';
import { OutletError } from '../../port/index.ts';
import { createClient } from './client.ts';
import type { Shards } from './shards.ts';

export interface ConnectionParts {
  readonly token: string;
  readonly apiUrl: string;
  readonly shards: Shards;
  readonly clock: Clock;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
    error(data: object, message: string): void;
  };
  readonly onReady: (client: Client<true>) => void;
  readonly onInteraction: (interaction: Interaction) => void;
  readonly onMessage: (message: Message) => void;
}

/** Waits between tries to log in, in milliseconds: Discord allows 1,000 of them a day, and resets the token after. */
const waits = { first: 1_000, longest: 300_000 };

/**
 * The connection to the gateway, kept up: a client that cannot log in or has died is thrown away and made anew.
 * What is lost meanwhile is at most what Discord does not replay.
 */
export class Connection {
  readonly #parts: ConnectionParts;
  #client: Client;
  #applicationId: string | undefined;
  #failures = 0;
  #reason = 'connecting to Discord';
  #closed = false;
  #cancelRetry = () => {};

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#client = createClient(parts.apiUrl, parts.shards);
  }

  /** Begins to connect; goes on by itself. */
  open(): void {
    void this.#connect();
  }

  /** The client of now; what it knows of servers is there once it was ready. */
  get client(): Client<true> {
    return this.#client as Client<true>;
  }

  /** @throws {OutletError} `unreachable` before the first log-in. */
  get applicationId(): string {
    if (this.#applicationId === undefined) throw new OutletError('unreachable');
    return this.#applicationId;
  }

  /** Why it is not ready, undefined when it is. */
  notReady(): string | undefined {
    const { ws } = this.#client;
    const connected = this.#client.isReady() && ws.shards.every((shard) => shard.status === Status.Ready);
    return connected ? undefined : this.#reason;
  }

  /** Takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    await this.#client.destroy();
  }

  async #connect(): Promise<void> {
    const { token, log, onReady, onInteraction, onMessage } = this.#parts;
    const client = this.#client;
    client.on(Events.ClientReady, (ready) => {
      this.#failures = 0;
      this.#applicationId = ready.application.id;
      log.info({ guilds: ready.guilds.cache.size, shards: ready.ws.shards.size }, 'connected to Discord');
      onReady(ready);
    });
    client.on(Events.InteractionCreate, (interaction) => {
      onInteraction(interaction);
      forgetDirect(client, interaction.channelId);
    });
    client.on(Events.MessageCreate, (message) => {
      onMessage(message);
      forgetDirect(client, message.channelId);
    });
    client.on(Events.Error, (error) => log.warn({ error }, 'the connection to Discord had a fault'));
    client.on(Events.ShardError, (error, shard) => log.warn({ error, shard }, 'a shard had a fault'));
    client.on(Events.ShardReconnecting, (shard) => log.info({ shard }, 'reconnecting to Discord'));
    client.on(Events.ShardDisconnect, ({ code }, shard) =>
      this.#lost(client, `shard ${shard} was closed with ${code}`),
    );
    client.on(Events.Invalidated, () => this.#lost(client, 'the session was ended by Discord'));
    try {
      await client.login(token);
    } catch (error) {
      log.error({ error }, 'cannot log in to Discord');
      this.#lost(client, error instanceof Error ? error.message : 'cannot log in');
    }
  }

  /** Throws a dead client away and tries again after a while. */
  #lost(client: Client, reason: string): void {
    if (this.#closed || client !== this.#client) return;
    const { apiUrl, shards } = this.#parts;
    this.#reason = reason;
    void client.destroy();
    this.#client = createClient(apiUrl, shards);
    const wait = Math.min(waits.longest, waits.first * 2 ** this.#failures++);
    this.#parts.log.warn({ reason, wait }, 'the connection to Discord is lost');
    this.#cancelRetry = this.#parts.clock.after(wait, () => void this.#connect());
  }
}

/** The library keeps every direct channel for good; who needs one has read its event by now. */
function forgetDirect({ channels }: Client, id: string | null): void {
  if (id !== null && channels.cache.get(id)?.isDMBased()) channels.cache.delete(id);
}
