import {
  type APIApplication,
  Client,
  ClientApplication,
  ClientUser,
  Events,
  type Interaction,
} from 'discord.js';
import { type Waits, waitAfter } from '../../../../lib/backoff.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { DiscordApi } from '../../api/api.ts';
import { forgetDirectChannel, libraryOptions } from '../client.ts';
import type { Log } from '../log.ts';

/** Waits between tries to ask Discord for the application, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };

export interface DetachedClientDependencies {
  readonly apiUrl: string;
  readonly api: Pick<DiscordApi, 'application'>;
  /** `DISCORD_PUBLIC_KEY`; undefined if interactions come over the gateway alone. */
  readonly publicKey: string | undefined;
  readonly onReady: (application: APIApplication) => void;
  readonly onInteraction: (interaction: Interaction) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A client of the library that never logs in: it makes its objects from what arrives over HTTP and from what requests
 * return. It needs to know who the bot is, which Discord is asked until it answers.
 */
export class DetachedClient {
  readonly #dependencies: DetachedClientDependencies;
  #client: Client<true> | undefined;
  #failures = 0;
  #reason: string | undefined = 'asking Discord for the application';
  #closed = false;
  #cancelRetry = () => {};

  constructor(dependencies: DetachedClientDependencies) {
    this.#dependencies = dependencies;
  }

  /** Asks who the bot is, until Discord answers. */
  open(): void {
    void this.#load();
  }

  /** Undefined until it's known who the bot is. */
  get client(): Client<true> | undefined {
    return this.#client;
  }

  /** Why nothing can be received; undefined if it can. */
  notReady(): string | undefined {
    return this.#reason;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    await this.#client?.destroy();
  }

  async #load(): Promise<void> {
    const { api, clock, log } = this.#dependencies;
    try {
      const application = await api.application();
      if (!this.#closed) this.#learn(application);
    } catch (error) {
      if (this.#closed) return;
      const wait = waitAfter(++this.#failures, waits);
      log.error({ error, wait }, 'could not ask Discord for the application');
      this.#reason = error instanceof Error ? error.message : String(error);
      this.#cancelRetry = clock.after(wait, () => void this.#load());
    }
  }

  #learn(application: APIApplication): void {
    const { publicKey, onReady, log } = this.#dependencies;
    const isForeign = publicKey !== undefined && publicKey.toLowerCase() !== application.verify_key;
    this.#reason = isForeign
      ? 'DISCORD_PUBLIC_KEY is not the public key of the application that DISCORD_TOKEN belongs to'
      : undefined;
    if (isForeign) log.error({}, this.#reason ?? '');
    else if (publicKey !== undefined && !application.interactions_endpoint_url)
      log.warn(
        {},
        'Discord sends no interactions over HTTP yet: the application has no Interactions Endpoint URL',
      );
    this.#client = this.#create(application);
    onReady(application);
  }

  #create(application: APIApplication): Client<true> {
    const { apiUrl, onInteraction } = this.#dependencies;
    const client = new Client(libraryOptions(apiUrl)) as Client<true>;
    // As the library does at log-in. Their constructors aren't in its types.
    const user = Reflect.construct(ClientUser, [client, application.bot ?? { id: application.id }]);
    const known = Reflect.construct(ClientApplication, [client, { id: application.id }]);
    Object.assign(client, { user, application: known });
    client.on(Events.InteractionCreate, (interaction) => {
      onInteraction(interaction);
      forgetDirectChannel(client, interaction.channelId);
    });
    return client;
  }
}
