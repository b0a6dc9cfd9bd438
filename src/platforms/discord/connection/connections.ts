import {
  type APIInteraction,
  type APIInteractionResponse,
  ApplicationIntegrationType,
  type Client,
  type Guild,
  InteractionType,
} from 'discord.js';
import type { Hono } from 'hono';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { Connection, type ConnectionDependencies } from './connection.ts';
import { DetachedClient } from './http/detached-client.ts';
import { Handover, type HandoverDependencies } from './http/handover.ts';
import { InteractionsEndpoint } from './http/interactions-endpoint.ts';
import { chosenRoles, knowsAllNamed } from './http/named-in-interaction.ts';
import { hasRoles, RequestedServers } from './http/requested-servers.ts';
import { hasAllServers, usesGateway } from './shards.ts';

export interface ConnectionsDependencies extends Omit<ConnectionDependencies, 'onReady' | 'api'> {
  readonly api: DiscordApi;
  /** Receives interactions over HTTP, signed with this key. */
  readonly publicKey?: string;
  readonly records: HandoverDependencies<never>['records'];
  /** With the other processes of the bot. */
  readonly coordination: HandoverDependencies<never>['coordination'];
  /** Called once, with the application's id. */
  readonly onReady: (applicationId: string) => void;
}

/** An interaction that isn't Discord's test of the endpoint. */
type RawInteraction = Exclude<APIInteraction, { type: InteractionType.Ping }>;

/** The library's own way to make an interaction, and emit it, which its types don't show. */
interface InteractionMaker {
  readonly actions: { readonly InteractionCreate: { handle(raw: RawInteraction): void } };
}

/**
 * How this process hears from Discord: over the gateway, over HTTP, or both. With a public key interactions come over
 * HTTP, to any process; the gateway brings mentions and direct messages.
 */
export class Connections {
  readonly #gateway: Connection | undefined;
  readonly #endpoint: InteractionsEndpoint | undefined;
  readonly #detached: DetachedClient;
  readonly #servers: RequestedServers | undefined;
  readonly #api: DiscordApi;
  readonly #handover: Handover<RawInteraction> | undefined;
  #applicationId: string | undefined;
  /** What came over HTTP and is being handled, by id. */
  readonly #raw = new BoundedMap<string, RawInteraction>({ most: 2_000 });
  #isLeaving = false;
  #gatewayClosed: Promise<void> | undefined;
  #onReady: (applicationId: string) => void;

  constructor(dependencies: ConnectionsDependencies) {
    const { api, shards, publicKey, onReady } = dependencies;
    this.#api = api;
    this.#onReady = onReady;
    if (usesGateway(shards))
      this.#gateway = new Connection({
        ...dependencies,
        onReady: ({ application }) => this.#ready(application.id),
      });
    this.#detached = new DetachedClient({
      ...dependencies,
      publicKey,
      onReady: ({ id }) => this.#ready(id),
    });
    const client = () => this.#detached.client;
    if (publicKey !== undefined || !hasAllServers(shards))
      this.#servers = new RequestedServers({ ...dependencies, client });
    if (publicKey === undefined) return;
    this.#endpoint = new InteractionsEndpoint({
      ...dependencies,
      publicKey,
      receive: (raw) => this.#receive(raw),
    });
    const handle = (raw: RawInteraction) => this.#handle(raw);
    this.#handover = new Handover({ ...dependencies, take: () => (this.isTaking ? handle : undefined) });
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    this.#gateway?.open();
    if (this.#servers) this.#detached.open();
  }

  /** Where Discord sends interactions over HTTP; undefined if it doesn't. */
  get routes(): Hono | undefined {
    return this.#endpoint?.routes;
  }

  /** A server the bot is in, as far as it's known here. */
  guild(id: string): Guild | undefined {
    return this.#gateway?.guild(id) ?? this.#servers?.guild(id);
  }

  /** A channel or thread of a server. */
  channel(id: string) {
    return this.#gateway?.channel(id) ?? this.#servers?.channel(id);
  }

  /** Asks Discord for a server that the gateway doesn't tell this process about. */
  async learn(guildId: string): Promise<void> {
    if (!this.#gateway?.guild(guildId)) await this.#servers?.learn(guildId);
  }

  /** Which of these ids are a server's roles. */
  async rolesAmong(guildId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length > 0 && !this.#gateway?.guild(guildId))
      await this.#servers?.learn(guildId, (known) => hasRoles(known, ids));
    const roles = this.guild(guildId)?.roles.cache;
    return new Set(ids.filter((id) => roles?.has(id)));
  }

  /** @throws {PlatformError} `unreachable` before Discord has told it. */
  get applicationId(): string {
    if (this.#applicationId === undefined) throw new PlatformError('unreachable');
    return this.#applicationId;
  }

  /** Whether Discord shows the bot what messages say that don't mention it. */
  get readsAll(): boolean {
    return this.#gateway?.readsAll === true;
  }

  /** Why this process isn't ready; undefined if it is. */
  notReady(): string | undefined {
    return (this.#endpoint && this.#detached.notReady()) ?? this.#gateway?.notReady();
  }

  /** How many of this process's shards are ready, and how many there should be. */
  get shards(): { readonly ready: number; readonly wanted: number } {
    return this.#gateway?.shards ?? { ready: 0, wanted: 0 };
  }

  /** Sends an interaction's first response. @returns whether Discord certainly took this one. */
  acknowledge(id: string, token: string, response: APIInteractionResponse): Promise<boolean> {
    return (this.#endpoint ?? this.#api).acknowledge(id, token, response);
  }

  /** Nothing more is done about an interaction. */
  end(interactionId: string): void {
    this.#raw.delete(interactionId);
    this.#endpoint?.end(interactionId);
  }

  /** An interaction that came over HTTP and is being handled. */
  rawOf(id: string): APIInteraction | undefined {
    return this.#raw.get(id);
  }

  /** Handles what came over HTTP to a process that died, all at once: people wait. Rejects where some can't be handled. */
  async handleLeft(raws: readonly APIInteraction[]): Promise<void> {
    await Promise.all(raws.map((raw) => raw.type !== InteractionType.Ping && this.#handle(raw)));
  }

  /** Whether this process handles what comes over HTTP. */
  get isTaking(): boolean {
    return !this.#isLeaving && this.#detached.client !== undefined;
  }

  /** Other processes receive the same: what still comes over HTTP is offered to them. */
  leaveToOthers(): void {
    this.#isLeaving = true;
    void this.#closeGateway();
  }

  /** Receives nothing more, for good; requests that wait are answered. */
  async close(): Promise<void> {
    this.#handover?.close();
    this.#servers?.close();
    await this.#endpoint?.close();
    await Promise.all([this.#closeGateway(), this.#detached.close()]);
  }

  #closeGateway(): Promise<void> | undefined {
    this.#gatewayClosed ??= this.#gateway?.close();
    return this.#gatewayClosed;
  }

  #ready(applicationId: string): void {
    if (this.#applicationId !== undefined) return;
    this.#applicationId = applicationId;
    this.#onReady(applicationId);
  }

  async #receive(raw: RawInteraction): Promise<void> {
    // Suggestions are in the memory of every process.
    const isQuick = raw.type === InteractionType.ApplicationCommandAutocomplete && this.#detached.client;
    if (!this.isTaking && !isQuick && !this.#endpoint?.isOnlyWay) await this.#handover?.offer(raw);
    await this.#handle(raw);
  }

  async #handle(raw: RawInteraction): Promise<void> {
    const client = await this.#clientFor(raw);
    this.#raw.set(raw.id, raw);
    (client as unknown as InteractionMaker).actions.InteractionCreate.handle(raw);
  }

  /** The client that knows the interaction's server: its shard's, if this process runs it. */
  async #clientFor(raw: RawInteraction): Promise<Client> {
    const { guild_id: guildId } = raw;
    const chosen = chosenRoles(raw);
    if (guildId !== undefined && chosen.length > 0) void this.#servers?.tell(guildId, chosen);
    const guild = guildId === undefined ? undefined : this.#gateway?.guild(guildId);
    if (guild) return guild.client;
    if (guildId !== undefined && mayBeMember(raw))
      await this.#servers?.learn(guildId, (known) => knowsAllNamed(known, raw));
    const { client } = this.#detached;
    if (!client) throw new PlatformError('unreachable');
    return client;
  }
}

/** Whether the bot may be in the interaction's server, and it matters. */
function mayBeMember({ type, authorizing_integration_owners: owners }: RawInteraction): boolean {
  return (
    type !== InteractionType.ApplicationCommandAutocomplete &&
    ApplicationIntegrationType.GuildInstall in owners
  );
}
