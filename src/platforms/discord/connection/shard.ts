import { type Client, Events, type Guild, type Interaction, type Message, Status } from 'discord.js';
import type { Clock } from '../../../lib/clock.ts';
import { createClient, type ShardOptions } from './client.ts';

export interface ShardDependencies {
  readonly token: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
    error(data: object, message: string): void;
  };
  readonly onReady: (client: Client<true>) => void;
  /** The bot is in a server: at the start, after an outage, or because it was invited. */
  readonly onServer: (guild: Guild) => void;
  readonly onInteraction: (interaction: Interaction) => void;
  readonly onMessage: (message: Message) => void;
  /** Discord refuses what all shards have in common: the token, the intents, how many they are. */
  readonly onRefused: (reason: string) => void;
}

/** Waits between tries to connect, in milliseconds. */
const waits = { first: 1_000, longest: 300_000 };

/**
 * One shard's connection to the gateway, kept up, with a client of its own: a client of several shards hands over
 * nothing before the last of them is ready. A client that cannot connect is thrown away and made anew.
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

  /** Begins to connect; goes on by itself. */
  open(): void {
    void this.#connect();
  }

  /** The client of now; what it knows of servers is there once it was ready. */
  get client(): Client<true> {
    return this.#client as Client<true>;
  }

  /** Why it is not ready, undefined when it is. */
  notReady(): string | undefined {
    const { ws } = this.#client;
    const connected = this.#client.isReady() && ws.shards.every((shard) => shard.status === Status.Ready);
    return connected ? undefined : `shard ${this.#options.id} of ${this.#options.count}: ${this.#reason}`;
  }

  /** Takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    await this.#client.destroy();
  }

  async #connect(): Promise<void> {
    const client = this.#client;
    this.#listen(client);
    try {
      await client.login(this.#dependencies.token);
    } catch (error) {
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
      // The others are told of as soon as Discord tells what they are like.
      for (const guild of ready.guilds.cache.values()) if (guild.available) onServer(guild);
    });
    client.on(Events.GuildCreate, onServer);
    client.on(Events.GuildAvailable, onServer);
    client.on(Events.InteractionCreate, (interaction) => {
      onInteraction(interaction);
      forgetDirect(client, interaction.channelId);
    });
    client.on(Events.MessageCreate, (message) => {
      onMessage(message);
      forgetDirect(client, message.channelId);
    });
    client.on(Events.Error, (error) => log.warn({ error }, 'the connection to Discord had a fault'));
    client.on(Events.ShardError, (error) => log.warn({ error, shard: id }, 'a shard had a fault'));
    client.on(Events.ShardReconnecting, () => log.info({ shard: id }, 'reconnecting to Discord'));
    client.on(Events.ShardDisconnect, ({ code }) => {
      if (!this.#closed && client === this.#client) onRefused(`shard ${id} was closed with ${code}`);
    });
    client.on(Events.Invalidated, () => this.#lost(client, 'the session was ended by Discord'));
  }

  /** Throws a dead client away and tries again after a while. */
  #lost(client: Client, reason: string): void {
    if (this.#closed || client !== this.#client) return;
    this.#reason = reason;
    void client.destroy();
    this.#client = createClient(this.#dependencies.apiUrl, this.#options);
    const wait = Math.min(waits.longest, waits.first * 2 ** this.#failures++);
    this.#dependencies.log.warn(
      { reason, wait, shard: this.#options.id },
      'the connection of a shard to Discord is lost',
    );
    this.#cancelRetry = this.#dependencies.clock.after(wait, () => void this.#connect());
  }
}

/** The library keeps every direct channel for good; who needs one has read its event by now. */
function forgetDirect({ channels }: Client, id: string | null): void {
  if (id !== null && channels.cache.get(id)?.isDMBased()) channels.cache.delete(id);
}
