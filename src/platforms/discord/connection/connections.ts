import { DiscordSnowflake } from '@sapphire/snowflake';
import {
  type APIInteraction,
  type APIInteractionResponse,
  ApplicationIntegrationType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatchData,
  type GatewayReadyDispatchData,
  InteractionType,
} from 'discord-api-types/v10';
import type { Hono } from 'hono';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Address, type DeletedMessages, eventsComeWithin, PlatformError } from '../../../port/index.ts';
import { isDirectMessage } from '../api/address.ts';
import type { DiscordApi } from '../api/api.ts';
import { tokenOfAddress } from '../api/interaction-token.ts';
import { shardOf } from '../servers/known-servers.ts';
import type { Server } from '../servers/server.ts';
import { Servers, type ServersDependencies } from '../servers/servers.ts';
import { Gateway, type GatewayDependencies } from './gateway.ts';
import { Handover, type HandoverDependencies } from './http/handover.ts';
import { InteractionsEndpoint } from './http/interactions-endpoint.ts';
import { OwnApplication } from './http/own-application.ts';
import type { Identity } from './identity.ts';
import { KeptSessions, type KeptSessionsDependencies } from './kept-sessions.ts';
import { chosenRoles, knowsAllNamed } from './named-in-interaction.ts';
import { hasAllServers, usesGateway } from './shards.ts';

/** Milliseconds for which a command that came while no process ran is answered, by a message. Later it's been repeated. */
const answeredLate = 60_000;

/** An interaction that isn't Discord's test of the endpoint. */
export type RawInteraction = Exclude<APIInteraction, { type: InteractionType.Ping }>;

export interface ConnectionsDependencies
  extends Omit<GatewayDependencies, 'onDispatch' | 'onTakenUp' | 'sessions' | 'api'> {
  readonly api: DiscordApi;
  /** Receives interactions over HTTP, signed with this key. */
  readonly publicKey?: string;
  readonly records: HandoverDependencies<never>['records'] & KeptSessionsDependencies['records'];
  /** With the other processes of the bot. */
  readonly coordination: HandoverDependencies<never>['coordination'] &
    GatewayDependencies['coordination'] &
    KeptSessionsDependencies['coordination'];
  /** Called once, with the application's id. */
  readonly onReady: (applicationId: string) => void;
  /** The bot is in a server: at the start, after an outage, or because it was invited. */
  readonly onServer: (server: Server) => void;
  /**
   * Throws where an interaction can't be read. `isLeft`: an earlier process may have begun to handle it. Resolves once
   * it's on record, or nothing comes of it.
   */
  readonly onInteraction: (interaction: RawInteraction, isLeft: boolean) => Promise<void>;
  /** As {@link onInteraction}, for a message. */
  readonly onMessage: (message: GatewayMessageCreateDispatchData, isLeft: boolean) => Promise<void>;
  /** Messages, a thread or a channel were deleted, or the bot was taken out of a server. Resolves once that's on record. */
  readonly onDeleted: (deleted: DeletedMessages) => Promise<void>;
}

/**
 * How this process hears from Discord: over the gateway, over HTTP, or both. With a public key interactions come over
 * HTTP, to any process; the gateway brings mentions and direct messages.
 */
export class Connections {
  readonly servers: Servers;
  readonly #dependencies: ConnectionsDependencies;
  readonly #gateway: Gateway | undefined;
  readonly #endpoint: InteractionsEndpoint | undefined;
  /** Undefined where the gateway tells who the bot is. */
  readonly #application: OwnApplication | undefined;
  readonly #handover: Handover<RawInteraction> | undefined;
  #identity: Identity | undefined;
  /** What came over HTTP and is being handled, by id. */
  readonly #raw = new BoundedMap<string, RawInteraction>({ most: 2_000 });
  #isLeaving = false;
  #gatewayClosed: Promise<void> | undefined;

  constructor(dependencies: ConnectionsDependencies) {
    this.#dependencies = dependencies;
    const { shards, publicKey } = dependencies;
    const known: Pick<ServersDependencies, 'me' | 'isTold'> = {
      me: () => this.#identity?.id,
      isTold: (id) => this.#gateway?.tellsOf(id) === true,
    };
    this.servers = new Servers({ ...dependencies, ...known });
    if (usesGateway(shards))
      this.#gateway = new Gateway({
        ...dependencies,
        sessions: new KeptSessions({ ...dependencies, identity: () => this.#identity }),
        onDispatch: (event, isLeft) => this.#onDispatch(event, isLeft),
        onTakenUp: (identity) => this.#ready(identity),
      });
    if (publicKey !== undefined || !hasAllServers(shards))
      this.#application = new OwnApplication({
        ...dependencies,
        publicKey,
        onReady: ({ id, bot }) => this.#ready({ id: bot?.id ?? id, name: nameOf(bot), applicationId: id }),
      });
    if (publicKey === undefined) return;
    this.#endpoint = new InteractionsEndpoint({
      ...dependencies,
      publicKey,
      receive: (raw) => this.#receive(raw),
    });
    const handle = (raw: RawInteraction) => this.#handleRequest(raw);
    this.#handover = new Handover({ ...dependencies, take: () => (this.isTaking ? handle : undefined) });
  }

  /** Starts connecting, and reconnects by itself. */
  open(): void {
    this.#gateway?.open();
    this.#application?.open();
  }

  /** Where Discord sends interactions over HTTP; undefined if it doesn't. */
  get routes(): Hono | undefined {
    return this.#endpoint?.routes;
  }

  /** @throws {PlatformError} `unreachable` before Discord has told it. */
  get identity(): Identity {
    if (this.#identity === undefined) throw new PlatformError('unreachable');
    return this.#identity;
  }

  /** Which of these ids are a server's roles. */
  async rolesAmong(serverId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length > 0) await this.servers.learn(serverId, () => this.servers.hasRoles(serverId, ids));
    return new Set(ids.filter((id) => this.servers.hasRoles(serverId, [id])));
  }

  /** Whether Discord shows the bot what messages say that don't mention it. */
  get readsAll(): boolean {
    return this.#gateway?.readsAll === true;
  }

  /** Why this process isn't ready; undefined if it is. */
  notReady(): string | undefined {
    return (this.#endpoint && this.#application?.notReady()) ?? this.#gateway?.notReady();
  }

  /** How many of this process's shards are ready, and how many there should be. */
  get shards(): { readonly ready: number; readonly wanted: number } {
    return this.#gateway?.shards ?? { ready: 0, wanted: 0 };
  }

  /** Sends an interaction's first response. @returns whether Discord certainly took this one. */
  acknowledge(id: string, token: string, response: APIInteractionResponse): Promise<boolean> {
    return (this.#endpoint ?? this.#dependencies.api).acknowledge(id, token, response);
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
    await Promise.all(raws.map((raw) => raw.type !== InteractionType.Ping && this.#handleRequest(raw)));
  }

  /** Whether this process handles what comes over HTTP. */
  get isTaking(): boolean {
    return !this.#isLeaving && this.#identity !== undefined;
  }

  /** Other processes receive the same: what still comes over HTTP is offered to them. */
  leaveToOthers(): void {
    this.#isLeaving = true;
    void this.#closeGateway();
  }

  /** Receives nothing more, for good; requests that wait are answered. */
  async close(): Promise<void> {
    this.#handover?.close();
    this.servers.close();
    this.#application?.close();
    await this.#endpoint?.close();
    await this.#closeGateway();
  }

  #closeGateway(): Promise<void> | undefined {
    this.#gatewayClosed ??= this.#gateway?.close();
    return this.#gatewayClosed;
  }

  #ready(identity: Identity): void {
    if (this.#identity !== undefined) return;
    this.#identity = identity;
    this.#dependencies.onReady(identity.applicationId);
  }

  /** An event that can't be read is skipped: nothing would catch what it throws, and the process would end. */
  #onDispatch(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { log } = this.#dependencies;
    const skip = (error: unknown) => log.warn({ error }, `an event (${String(event.t)}) cannot be read`);
    try {
      return this.#read(event, isLeft)?.catch(skip);
    } catch (error) {
      return void skip(error);
    }
  }

  #read(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { onMessage, onDeleted } = this.#dependencies;
    const { t, d } = event;
    if (t === GatewayDispatchEvents.Ready)
      this.#ready({ id: d.user.id, name: nameOf(d.user), applicationId: d.application.id });
    const left = this.servers.leftBy(event);
    this.servers.apply(event);
    if (t === GatewayDispatchEvents.Ready) return this.#leave(left, d);
    if (t === GatewayDispatchEvents.MessageCreate) return onMessage(d, isLeft);
    const deleted = deletedIn(event, this.#dependencies.clock.now());
    if (deleted) return onDeleted(deleted);
    if (t !== GatewayDispatchEvents.InteractionCreate || d.type === InteractionType.Ping) return undefined;
    if (isLeft && !this.#isWorthAnswering(d)) return undefined;
    return this.#handle(d, isLeft).then(({ recorded }) => recorded);
  }

  /**
   * The bot isn't in these servers any more, nor in those that a new session of their shard doesn't list: what an earlier
   * process left under way there names them.
   */
  async #leave(servers: readonly string[], { guilds, shard }: GatewayReadyDispatchData): Promise<void> {
    const { onDeleted } = this.#dependencies;
    const all = { platform: 'discord', messages: [] } as const;
    for (const workspace of servers) await onDeleted({ ...all, place: { workspace } });
    const [id, count] = shard ?? [0, 1];
    const listed = new Set(guilds.map((guild) => guild.id));
    const isGone = (address: Address) =>
      // Where only a token could post, the bot may never have been.
      !(isDirectMessage(address) || tokenOfAddress(address)) &&
      shardOf(address.workspace, count) === id &&
      !listed.has(address.workspace) &&
      // It may have been invited since.
      !this.servers.isMember(address.workspace);
    await onDeleted({ ...all, isGone });
  }

  /** Whether somebody still waits for it though it came while no process ran: Discord has said that nothing responds. */
  #isWorthAnswering({ id, type }: RawInteraction): boolean {
    const age = this.#dependencies.clock.now() - DiscordSnowflake.timestampFrom(id);
    return type !== InteractionType.ApplicationCommandAutocomplete && age < answeredLate;
  }

  async #receive(raw: RawInteraction): Promise<void> {
    // Suggestions are in the memory of every process.
    const isQuick = raw.type === InteractionType.ApplicationCommandAutocomplete && this.#identity;
    if (!this.isTaking && !isQuick && !this.#endpoint?.isOnlyWay) await this.#handover?.offer(raw);
    await this.#handleRequest(raw);
  }

  async #handleRequest(raw: RawInteraction): Promise<void> {
    this.#raw.set(raw.id, raw);
    await this.#handle(raw);
  }

  /** However an interaction came, it's the same. */
  async #handle(raw: RawInteraction, isLeft = false): Promise<{ readonly recorded: Promise<void> }> {
    if (!this.#identity) throw new PlatformError('unreachable');
    await this.#learnOf(raw);
    return { recorded: this.#dependencies.onInteraction(raw, isLeft) };
  }

  /** Finds out about an interaction's server, if it isn't known. */
  async #learnOf(raw: RawInteraction): Promise<void> {
    const { guild_id: serverId } = raw;
    if (serverId === undefined) return;
    const chosen = chosenRoles(raw);
    if (this.#endpoint && chosen.length > 0) void this.servers.tell(serverId, chosen);
    if (mayBeMember(raw)) await this.servers.learn(serverId, (known) => knowsAllNamed(known, raw));
  }
}

/**
 * What an event says is deleted, or taken from the bot. A message of a person is its own event; a thread under a message has
 * its id. A server in an outage isn't taken from the bot.
 */
function deletedIn({ t, d }: GatewayDispatchPayload, now: number): DeletedMessages | undefined {
  const { MessageDelete, MessageDeleteBulk, ThreadDelete, ChannelDelete, GuildDelete } =
    GatewayDispatchEvents;
  const all = { platform: 'discord', messages: [] } as const;
  if (t === ThreadDelete)
    return { ...all, place: { workspace: d.guild_id, channel: d.parent_id, thread: d.id } };
  if (t === ChannelDelete && 'guild_id' in d && d.guild_id !== undefined)
    return { ...all, place: { workspace: d.guild_id, channel: d.id } };
  if (t === GuildDelete && !d.unavailable) return { ...all, place: { workspace: d.id } };
  if (t !== MessageDelete && t !== MessageDeleteBulk) return undefined;
  const ids = t === MessageDelete ? [d.id] : d.ids;
  const recent = ids.filter((id) => now - DiscordSnowflake.timestampFrom(id) < eventsComeWithin);
  return { platform: 'discord', messages: ids, events: ids, recent };
}

function nameOf(
  user: { readonly username: string; readonly global_name?: string | null } | undefined,
): string {
  return user?.global_name ?? user?.username ?? '';
}

/** Whether the bot may be in the interaction's server, and it matters. */
function mayBeMember({ type, authorizing_integration_owners: owners }: RawInteraction): boolean {
  return (
    type !== InteractionType.ApplicationCommandAutocomplete &&
    ApplicationIntegrationType.GuildInstall in owners
  );
}
