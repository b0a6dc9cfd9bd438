import {
  type APIMessage,
  type Client,
  Events,
  type Guild,
  type Interaction,
  type Message,
  Status,
} from 'discord.js';
import { type Waits, waitAfter } from '../../../lib/backoff.ts';
import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import { createClient, forgetDirectChannel, type ShardOptions } from './client.ts';
import type { Log } from './log.ts';
import { ReferringMessages } from './referring-messages.ts';

export interface ShardDependencies {
  readonly token: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onReady: (client: Client<true>) => void;
  /** The bot is in a server: at the start, after an outage, or because it was invited. */
  readonly onServer: (guild: Guild) => void;
  readonly onInteraction: (interaction: Interaction) => void;
  /** `raw` is the message as Discord sent it, where it refers to another one. */
  readonly onMessage: (message: Message, raw: APIMessage | undefined) => void;
  /** Discord refuses what all shards have in common: the token, the intents, the number of shards. */
  readonly onRefused: (reason: string, closeCode: number) => void;
}

/** Waits between tries to connect, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };
/** Milliseconds for the gateway to answer that a connection is closed; the library would wait half a minute. */
const patience = 5_000;

/**
 * Keeps up one shard's connection to the gateway, with a client of its own: a client with several shards passes on no
 * events until the last of them is ready. A client that can't connect is replaced by a new one.
 */
export class Shard {
  readonly #dependencies: ShardDependencies;
  readonly #options: ShardOptions;
  #client: Client;
  #failures = 0;
  #reason = 'waiting for its turn to connect';
  #closed = false;
  #cancelRetry = () => {};

  constructor(dependencies: ShardDependencies, options: ShardOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#client = createClient(dependencies.apiUrl, options);
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    void this.#connect();
  }

  /** The current client; its caches are filled once it's ready. */
  get client(): Client<true> {
    return this.#client as Client<true>;
  }

  /** Why the shard isn't ready; undefined if it is. */
  notReady(): string | undefined {
    const { ws } = this.#client;
    const isConnected = this.#client.isReady() && ws.shards.every((shard) => shard.status === Status.Ready);
    return isConnected ? undefined : `shard ${this.#options.id} of ${this.#options.count}: ${this.#reason}`;
  }

  /** Disconnects for good, within a few seconds. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    await inTime(this.#dependencies.clock, patience, this.#client.destroy(), undefined);
  }

  async #connect(): Promise<void> {
    const client = this.#client;
    this.#listen(client);
    try {
      await client.login(this.#dependencies.token);
    } catch (error) {
      // Closed because of a refusal that was reported already.
      if (this.#closed) return;
      this.#dependencies.log.error({ error, shard: this.#options.id }, 'cannot log in to Discord');
      this.#lost(client, error instanceof Error ? error.message : 'cannot log in');
    }
  }

  #listen(client: Client): void {
    const { log, onReady, onServer, onInteraction, onMessage, onRefused } = this.#dependencies;
    const { id, count } = this.#options;
    client.on(Events.ClientReady, (ready) => {
      this.#failures = 0;
      this.#reason = 'reconnecting';
      log.info({ shard: id, shards: count, guilds: ready.guilds.cache.size }, 'connected to Discord');
      onReady(ready);
      // The other servers come with an event each, as soon as Discord sends their data.
      for (const guild of ready.guilds.cache.values()) if (guild.available) onServer(guild);
    });
    client.on(Events.GuildCreate, onServer);
    client.on(Events.GuildAvailable, onServer);
    client.on(Events.InteractionCreate, (interaction) => {
      onInteraction(interaction);
      forgetDirectChannel(client, interaction.channelId);
    });
    const referring = new ReferringMessages(client);
    client.on(Events.MessageCreate, (message) => {
      onMessage(message, referring.take(message.id));
      forgetDirectChannel(client, message.channelId);
    });
    client.on(Events.Error, (error) => log.warn({ error }, 'an error of the connection to Discord'));
    client.on(Events.ShardError, (error) => log.warn({ error, shard: id }, 'an error of a shard'));
    client.on(Events.ShardReconnecting, () => log.info({ shard: id }, 'reconnecting to Discord'));
    client.on(Events.ShardDisconnect, ({ code }) => {
      if (!this.#closed && client === this.#client) onRefused(`shard ${id} was closed with ${code}`, code);
    });
    client.on(Events.Invalidated, () => this.#lost(client, 'Discord ended the session'));
  }

  /** Replaces a dead client and connects again after a wait. */
  #lost(client: Client, reason: string): void {
    if (this.#closed || client !== this.#client) return;
    this.#reason = reason;
    void client.destroy();
    this.#client = createClient(this.#dependencies.apiUrl, this.#options);
    const wait = waitAfter(++this.#failures, waits);
    this.#dependencies.log.warn(
      { reason, wait, shard: this.#options.id },
      'a shard lost its connection to Discord',
    );
    this.#cancelRetry = this.#dependencies.clock.after(wait, () => void this.#connect());
  }
}
