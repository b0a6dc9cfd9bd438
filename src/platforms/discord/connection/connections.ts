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
  MessageFlags,
} from 'discord-api-types/v10';
import type { Hono } from 'hono';
import type { Coordination } from '../../../coordination/index.ts';
import { inTime, untilDone, type Waits } from '../../../lib/clock.ts';
import { unlessLocal } from '../../../lib/local-faults.ts';
import { withoutNulls } from '../../../lib/text.ts';
import { type Address, type DeletedMessages, type Places, PlatformError } from '../../../port/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { deletedMessages, isDirectMessage, tokenOfAddress, withLists } from '../api/messages.ts';
import { shardOf } from '../servers/known-servers.ts';
import { nameOf, type Server } from '../servers/server.ts';
import { Servers, type ServersDependencies } from '../servers/servers.ts';
import { Gateway, type GatewayDependencies, hasShard, usesGateway } from './gateway.ts';
import { HeardShards } from './heard-shards.ts';
import { InteractionsEndpoint } from './interactions-endpoint.ts';
import { type Identity, OwnApplication } from './own-application.ts';

/** Milliseconds for which a command that came while no process had its shard is answered, by a message. Later it's been repeated. */
const answeredLate = 60_000;
/** Milliseconds that an interaction over HTTP waits until it's known who the bot is: Discord waits for three seconds. */
const patience = 2_000;
/** Between tries to put on record where the bot is, in milliseconds. */
const recordWaits: Waits = { first: 1_000, longest: 60_000 };

/** An interaction that isn't Discord's test of the endpoint. */
export type RawInteraction = Exclude<APIInteraction, { type: InteractionType.Ping }>;

interface ConnectionsDependencies extends Omit<
  GatewayDependencies,
  'onDispatch' | 'onTakenUp' | 'onMoved' | 'identity' | 'api'
> {
  readonly api: DiscordApi;
  /** Receives interactions over HTTP, signed with this key. */
  readonly publicKey?: string;
  /** With the other processes of the bot. */
  readonly coordination: Coordination;
  /** Called once, with the application's id. */
  readonly onReady: (applicationId: string) => void;
  /** The bot is in a server: at the start, after an outage, or because it was invited. */
  readonly onServer: (server: Server) => void;
  /** The bot was invited to a server. */
  readonly onInvited: (serverId: string) => void;
  /**
   * Throws where an interaction can't be read. `isLeft`: another process may have begun to handle it. Resolves once it's
   * on record, or nothing comes of it.
   */
  readonly onInteraction: (interaction: RawInteraction, isLeft: boolean) => Promise<void>;
  /** As {@link onInteraction}, for a message, and one that was edited. */
  readonly onMessage: (message: GatewayMessageCreateDispatchData, isLeft: boolean) => Promise<void>;
  /** Where the bot is, as it's told. */
  readonly places: Places;
  /** Messages, a thread or a channel were deleted, or the bot was taken out of a server. Resolves once that's on record. */
  readonly onDeleted: (deleted: DeletedMessages) => Promise<void>;
  /** Administrators changed who may use the commands in a server. */
  readonly onCommandPermissions: (serverId: string) => void;
}

/**
 * How this process hears from Discord: over the gateway, over HTTP, or both. With a public key interactions come over
 * HTTP, to any process; the gateway brings mentions and direct messages, to the process that has their shard.
 */
export class Connections {
  readonly servers: Servers;
  readonly #dependencies: ConnectionsDependencies;
  readonly #gateway: Gateway | undefined;
  /** Undefined where nobody hears anything: this process is alone, and has no gateway. */
  readonly #heardShards: HeardShards | undefined;
  readonly #endpoint: InteractionsEndpoint | undefined;
  /** Undefined where the gateway is certain to tell who the bot is. */
  readonly #application: OwnApplication | undefined;
  /** Who the bot is: the application says it, a new session of a shard, or the one that a process goes on with. */
  #identity: Identity | undefined;
  readonly #identified = Promise.withResolvers<void>();
  #gatewayClosed: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(dependencies: ConnectionsDependencies) {
    this.#dependencies = dependencies;
    const { shards, publicKey, coordination } = dependencies;
    const known: Pick<ServersDependencies, 'me' | 'isTold'> = {
      me: () => this.#identity?.id,
      isTold: (id) => this.#gateway?.tellsOf(id) === true,
    };
    this.servers = new Servers({ ...dependencies, ...known });
    if (usesGateway(shards) || coordination.slots) this.#heardShards = new HeardShards(dependencies);
    if (usesGateway(shards))
      this.#gateway = new Gateway({
        ...dependencies,
        identity: () => this.#identity,
        onDispatch: (event, isLeft) => this.#onDispatch(event, isLeft),
        onTakenUp: (identity) => this.#ready(identity),
        onMoved: (id, count) => this.servers.forgetShard(id, count),
      });
    if (publicKey !== undefined || !hasShard(shards, coordination.slots !== undefined))
      this.#application = new OwnApplication({
        ...dependencies,
        publicKey,
        onReady: ({ id, bot }) =>
          this.#ready({ id: bot?.id ?? id, name: bot ? nameOf(bot) : '', applicationId: id }),
      });
    if (publicKey === undefined) return;
    this.#endpoint = new InteractionsEndpoint({
      ...dependencies,
      publicKey,
      receive: (raw) => this.#receive(withoutNulls(raw)),
    });
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

  /** Why this process can't serve what it receives; undefined if it can. */
  notReady(): string | undefined {
    const ofApplication = this.#endpoint || !this.#identity ? this.#application?.notReady() : undefined;
    return ofApplication ?? this.#gateway?.notReady();
  }

  /** Resolves once it's on record what this process, an earlier or another one missed on the gateway. */
  async caughtUp(): Promise<void> {
    await this.#gateway?.caughtUp();
    await this.#heardShards?.all();
  }

  /** Whether what happens at an address now, and what was missed there, is heard by this process or another. */
  async hears(address: Address): Promise<boolean> {
    // Direct messages come to the first shard (events/gateway, sharding).
    const serverId = isDirectMessage(address) ? '0' : address.workspace;
    return this.#gateway?.hears(serverId) || !this.#heardShards || this.#heardShards.hears(serverId);
  }

  /** How many of this process's shards are ready, and how many it holds. */
  get shards(): { readonly ready: number; readonly wanted: number } {
    return this.#gateway?.shards ?? { ready: 0, wanted: 0 };
  }

  /** Sends an interaction's first response; returns what {@link DiscordApi.acknowledge} does. */
  acknowledge(id: string, token: string, response: APIInteractionResponse): Promise<string | undefined> {
    return (this.#endpoint ?? this.#dependencies.api).acknowledge(id, token, response);
  }

  /** Nothing more is done about an interaction. */
  end(interactionId: string): void {
    this.#endpoint?.end(interactionId);
  }

  /** Other processes go on with this one's shards; what comes over HTTP is handled here still. */
  leaveToOthers(): void {
    void this.#closeGateway();
  }

  /** Whether other processes, or the next one, go on with this one's shards. */
  get isLeaving(): boolean {
    return this.#gatewayClosed !== undefined;
  }

  /** Receives nothing more, for good; requests that wait are answered. */
  async close(): Promise<void> {
    this.#closed.abort();
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
    this.#identified.resolve();
    this.#dependencies.onReady(identity.applicationId);
  }

  /** An event that can't be read is skipped: nothing would catch what it throws, and the process would end. */
  #onDispatch(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { log } = this.#dependencies;
    const skip = (error: unknown) => log.warn({ error }, `an event (${String(event.t)}) cannot be read`);
    try {
      return this.#read(withoutNulls(event), isLeft)?.catch(skip);
    } catch (error) {
      return void skip(error);
    }
  }

  #read(event: GatewayDispatchPayload, isLeft: boolean): Promise<void> | undefined {
    const { onMessage, onDeleted, onInvited, onCommandPermissions, places } = this.#dependencies;
    const { t, d } = event;
    if (t === GatewayDispatchEvents.Ready)
      this.#ready({ id: d.user.id, name: nameOf(d.user), applicationId: d.application.id });
    const left = this.servers.leftBy(event);
    const deleted = deletedIn(event, this.#dependencies.clock.now(), (id) => this.servers.threadsOf(id));
    const isInvited = t === GatewayDispatchEvents.GuildCreate && !this.servers.isMember(d.id);
    this.servers.apply(event);
    if (t === GatewayDispatchEvents.Ready)
      return Promise.all([this.#leave(left, d), this.#list(d)]).then(() => {});
    if (isInvited) {
      onInvited(d.id);
      return this.#onRecord(() => places.joined(serverOf(d.id), this.identity.applicationId));
    }
    if (t === GatewayDispatchEvents.GuildDelete && deleted)
      return Promise.all([onDeleted(deleted), this.#onRecord(() => places.left(serverOf(d.id)))]).then(
        () => {},
      );
    if (t === GatewayDispatchEvents.ApplicationCommandPermissionsUpdate) onCommandPermissions(d.guild_id);
    if (t === GatewayDispatchEvents.MessageCreate) return onMessage(withLists(d), isLeft);
    if (deleted) return onDeleted(deleted);
    // Without the time of an edit only something around the words has changed: a preview is there, or a pin.
    if (t === GatewayDispatchEvents.MessageUpdate)
      return d.edited_timestamp ? onMessage(withLists(d), isLeft) : undefined;
    if (t !== GatewayDispatchEvents.InteractionCreate || d.type === InteractionType.Ping) return undefined;
    if (isLeft && !this.#isWorthAnswering(d)) return undefined;
    return this.#handle(d, isLeft);
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

  /** A new session lists all servers of its shard, those in an outage, too: others were left meanwhile. */
  #list({ guilds, shard, application }: GatewayReadyDispatchData): Promise<void> {
    const [id, count] = shard ?? [0, 1];
    const list = {
      platform: 'discord',
      account: application.id,
      workspaces: guilds.map((guild) => guild.id),
      isListed: (server: string) => shardOf(server, count) === id,
    } as const;
    return this.#onRecord(() => this.#dependencies.places.are(list));
  }

  /** Resolves once it's on record, however long the database is away; never if the process stops first: the event comes again. */
  #onRecord(work: () => Promise<void>): Promise<void> {
    const { clock } = this.#dependencies;
    const persistence = { clock, waits: recordWaits, signal: this.#closed.signal, failed: unlessLocal };
    return untilDone(work, persistence).catch((error: unknown) => {
      if (this.#closed.signal.aborted) return new Promise<never>(() => {});
      throw error;
    });
  }

  /** Whether somebody still waits for it though it came while no process ran: Discord has said that nothing responds. */
  #isWorthAnswering({ id, type }: RawInteraction): boolean {
    const age = this.#dependencies.clock.now() - DiscordSnowflake.timestampFrom(id);
    return type !== InteractionType.ApplicationCommandAutocomplete && age < answeredLate;
  }

  async #receive(raw: RawInteraction): Promise<void> {
    if (!this.#identity)
      await inTime(this.#dependencies.clock, patience, this.#identified.promise, undefined);
    if (!this.#identity) throw new PlatformError('unreachable');
    await this.#handle(raw, false);
  }

  /** However an interaction came, it's the same. Resolves once it's on record, or nothing comes of it. */
  async #handle(raw: RawInteraction, isLeft: boolean): Promise<void> {
    await this.#learnOf(raw);
    await this.#dependencies.onInteraction(raw, isLeft);
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
 * its id. The copy of a published message stays where that is deleted, and says no more than this (resources/message, message
 * flags). A server in an outage isn't taken from the bot.
 */
function deletedIn(
  { t, d }: GatewayDispatchPayload,
  now: number,
  threadsOf: (channelId: string) => readonly string[],
): DeletedMessages | undefined {
  const { MessageDelete, MessageDeleteBulk, MessageUpdate, ThreadDelete, ChannelDelete, GuildDelete } =
    GatewayDispatchEvents;
  const all = { platform: 'discord', messages: [] } as const;
  if (t === ThreadDelete)
    return { ...all, place: { workspace: d.guild_id, channel: d.parent_id, thread: d.id } };
  if (t === ChannelDelete && 'guild_id' in d && d.guild_id !== undefined)
    return { ...all, place: { workspace: d.guild_id, channel: d.id }, threads: threadsOf(d.id) };
  if (t === GuildDelete && !d.unavailable) return { ...all, place: { workspace: d.id } };
  const isEmptied = t === MessageUpdate && ((d.flags ?? 0) & MessageFlags.SourceMessageDeleted) !== 0;
  if (t === MessageDelete || isEmptied) return deletedMessages([d.id], now);
  return t === MessageDeleteBulk ? deletedMessages(d.ids, now) : undefined;
}

function serverOf(workspace: string) {
  return { platform: 'discord', workspace } as const;
}

/** The roles that somebody chose in a form or an option. */
function chosenRoles(raw: RawInteraction): readonly string[] {
  const hasChoice =
    raw.type === InteractionType.ModalSubmit || raw.type === InteractionType.ApplicationCommand;
  const resolved = hasChoice && 'resolved' in raw.data ? raw.data.resolved : undefined;
  return resolved && 'roles' in resolved ? Object.keys(resolved.roles ?? {}) : [];
}

/** Whether a server, as it's known, has the channel and the roles that an interaction names. */
function knowsAllNamed({ channels, roles }: Server, raw: RawInteraction): boolean {
  const { channel, member } = raw;
  // Not all threads are listed, and they have the permissions of their channels.
  const isThread = channel !== undefined && 'thread_metadata' in channel;
  const listed = (isThread ? channel.parent_id : channel?.id) ?? undefined;
  const isChannelKnown = listed === undefined || channels.has(listed);
  return isChannelKnown && [...(member?.roles ?? []), ...chosenRoles(raw)].every((role) => roles.has(role));
}

/** Whether the bot may be in the interaction's server, and it matters. */
function mayBeMember(interaction: RawInteraction): boolean {
  return interaction.type !== InteractionType.ApplicationCommandAutocomplete && isOfInstall(interaction);
}

/** Whether an interaction is of an installation in its server, or in direct messages with the bot: so is one that doesn't say. */
export function isOfInstall({
  authorizing_integration_owners: owners,
}: Partial<Pick<RawInteraction, 'authorizing_integration_owners'>>): boolean {
  return owners === undefined || ApplicationIntegrationType.GuildInstall in owners;
}
