import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteractionResponse,
  type APIMessage,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUser,
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  type GatewayMessageCreateDispatchData,
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
  type Snowflake,
} from 'discord-api-types/v10';
import type { CommandDispatcher } from '../../../engine/index.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { type Clock, KeyedQueue } from '../../../lib/clock.ts';
import type { Meter } from '../../../lib/telemetry.ts';
import {
  type Address,
  type Locale,
  localeOf,
  type MessageAddress,
  parseActionId,
  type Person,
  type PostingLimits,
} from '../../../port/index.ts';
import type { FirstTime, Records } from '../../../store/index.ts';
import type { DiscordApi } from '../api/api.ts';
import { interactionToken, serializeToken, tokenLifetime } from '../api/messages.ts';
import { liveCheckCommand } from '../commands/registration.ts';
import { isOfInstall, type RawInteraction } from '../connection/connections.ts';
import type { Log } from '../connection/own-application.ts';
import { defaultUploadLimit } from '../media/upload-limits.ts';
import { isLoading } from '../post/message-access.ts';
import type { DiscordServices } from '../post/services.ts';
import type { AcknowledgedInteraction } from '../reply/interaction-reply-target.ts';
import type { LiveDependencies } from '../reply/live-answer.ts';
import { isPublicThread } from '../servers/gateway-cache.ts';
import {
  inviteBits,
  isAdministrator,
  isThreadType,
  isTimedOut,
  isVoiceType,
  limitsForFiles,
  missingPermissions,
  nameOf,
  rolesOf,
  usablePermissions,
} from '../servers/server.ts';
import type { Servers } from '../servers/servers.ts';
import { discordWords } from '../words.ts';
import type { AllowedServers } from './new-servers.ts';

const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;
const { BotDM, PrivateChannel } = InteractionContextType;

/** Who caused an interaction, where, and what the bot may do there. */
export interface InteractionContext extends Omit<AcknowledgedInteraction, 'hidden' | 'deferred'> {
  readonly requester: Person;
  readonly postingLimits: PostingLimits;
}

/** Who caused an interaction: a member of a server, or a user elsewhere. */
function userOf({ member, user = member?.user }: RawInteraction): APIUser {
  if (!user) throw new TypeError('an interaction of nobody');
  return user;
}

/** Reads the context of an interaction. Its locale is that of the person's own client. */
export function interactionContext(
  interaction: RawInteraction,
  { clock, servers, gateway }: Pick<DiscordServices, 'clock' | 'servers' | 'gateway'>,
): InteractionContext {
  const { member, guild_id: serverId, attachment_size_limit: uploadLimit = defaultUploadLimit } = interaction;
  const now = clock.now();
  const user = userOf(interaction);
  const locale = localeOf('locale' in interaction ? interaction.locale : undefined);
  const address = addressOfInteraction(interaction, servers);
  const server = servers.server(serverId ?? '');
  const { app_permissions: granted = inviteBits } = interaction;
  const permissions = usablePermissions(BigInt(granted), server, now);
  const isInstalled = isOfInstall(interaction);
  // Of private channels only these are where a server's installation counts (authorizing integration owners object).
  const { context = isInstalled ? BotDM : PrivateChannel } = interaction;
  const isBotDirectMessage = serverId === undefined && context === BotDM;
  const botCanPost =
    serverId === undefined
      ? isBotDirectMessage
      : mayPost(interaction, address, permissions, gateway) && isMember(serverId, isInstalled, servers);
  // Only the bot's own messages can be voice messages.
  const ofToken = botCanPost ? 0n : PermissionFlagsBits.SendVoiceMessages;
  return {
    id: interaction.id,
    token: interaction.token,
    receivedAt: now,
    aliveUntil: clock.steady() + tokenLifetime,
    address,
    userId: user.id,
    locale,
    botCanPost,
    uploadLimit,
    permissions,
    // Whether files in an answer to an interaction need Attach Files is uncertain; results that come later certainly do.
    postingLimits: isTimedOut(server, now)
      ? { shut: discordWords(locale).filesTimedOut }
      : limitsForFiles((names) => missingPermissions(permissions & ~ofToken, names)),
    requester: personOf({
      user,
      member,
      serverId,
      permissions: member && BigInt(member.permissions),
      toWrite: address.thread === undefined ? SendMessages : SendMessagesInThreads,
      direct: isBotDirectMessage,
      inGroup: serverId === undefined && !isBotDirectMessage,
      byOwnApp: serverId !== undefined && !isInstalled && !servers.isMember(serverId),
      locale,
    }),
  };
}

/** Where an interaction's job posts later. Where only the token can post, the address carries it. */
export function postingAddress(context: InteractionContext): Address {
  return context.botCanPost ? context.address : { ...context.address, platformData: ownToken(context) };
}

/** An interaction's token as it's stored. */
export function ownToken(context: InteractionContext): Readonly<Record<string, string>> {
  return serializeToken(interactionToken({ ...context, hidden: false }));
}

/**
 * The message with the button that was pressed. If the bot can't post there, or only one person sees the message, it's
 * edited by the press's token, which knows it as `@original` if the press is acknowledged as an update.
 */
export function pressedMessage(
  context: InteractionContext,
  message: string,
  hidden: boolean,
): MessageAddress {
  if (context.botCanPost && !hidden) return { ...context.address, message };
  const platformData = serializeToken(interactionToken({ ...context, hidden }));
  const access = { message: '@original', ownId: message };
  return { ...context.address, message: '@original', access, platformData };
}

/** A server that isn't known yet is the bot's if it's installed there, unless Discord has said that the bot isn't there. */
function isMember(
  serverId: string,
  isInstalled: boolean,
  servers: Pick<DiscordServices['servers'], 'isMember' | 'isOutside'>,
): boolean {
  return servers.isMember(serverId) || (isInstalled && !servers.isOutside(serverId));
}

/**
 * A member that can't see the channel or write in it can't post as itself: such a bot uses the token only. Commands are
 * offered in private threads that it isn't in, too, with the permissions of their channel.
 */
function mayPost(
  { channel }: Pick<RawInteraction, 'channel'>,
  { thread }: Address,
  permissions: bigint,
  gateway: Pick<DiscordServices['gateway'], 'isInThread'>,
): boolean {
  const canManageThreads = (permissions & PermissionFlagsBits.ManageThreads) !== 0n;
  if (isInLockedThread(channel) && !canManageThreads) return false;
  const isPrivateThread = channel?.type === ChannelType.PrivateThread;
  if (isPrivateThread && !canManageThreads && !gateway.isInThread(channel.id)) return false;
  const send = thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
  const voice = isVoiceType(channel?.type) ? (['Connect'] as const) : [];
  return missingPermissions(permissions, ['View Channels', ...voice, send]).length === 0;
}

/** Whether it's a thread that a moderator has locked. */
export function isInLockedThread(channel: RawInteraction['channel']): boolean {
  return channel !== undefined && 'thread_metadata' in channel && channel.thread_metadata?.locked === true;
}

/** Where an event happened. */
interface EventPlace {
  /** Undefined in direct messages. */
  readonly serverId: string | undefined;
  readonly channelId: string;
  readonly type: ChannelType | undefined;
  readonly parentId: string | undefined;
}

/** The address at which a message is answered. */
export function addressOfMessage(
  message: GatewayMessageCreateDispatchData,
  servers: Pick<Servers, 'channel'>,
): Address {
  const { guild_id: serverId, channel_id: channelId } = message;
  const known = servers.channel(channelId);
  return addressOf({ serverId, channelId, type: known?.type, parentId: known?.parentId });
}

/** The address at which an interaction is answered. It may say itself which channel it's from. */
function addressOfInteraction(
  { guild_id: serverId, channel, channel_id: id }: RawInteraction,
  servers: Pick<Servers, 'channel'>,
): Address {
  const channelId = channel?.id ?? id ?? '';
  const known = channel ? undefined : servers.channel(channelId);
  const { type, parentId } = known ?? { type: channel?.type, parentId: undefined };
  const parent = channel && 'parent_id' in channel ? (channel.parent_id ?? undefined) : parentId;
  return addressOf({ serverId, channelId, type, parentId: parent });
}

/** It records whether its thread is public: once a thread is deleted, that can't be found out any more. */
function addressOf({ serverId, channelId: id, type, parentId }: EventPlace): Address {
  const workspace = serverId ?? id;
  if (!isThreadType(type) || parentId === undefined) return { platform: 'discord', workspace, channel: id };
  const inThread: Address = { platform: 'discord', workspace, channel: parentId, thread: id };
  return isPublicThread(type) ? { ...inThread, threadIsPublic: true } : inThread;
}

/** A person as an event tells of them. */
interface PersonData {
  readonly user: APIUser;
  readonly member: { readonly nick?: string | null; readonly roles: readonly string[] } | undefined;
  /** Undefined outside of servers. */
  readonly serverId: string | undefined;
  /** Their permissions in a server's channel; undefined if unknown. */
  readonly permissions: bigint | undefined;
  /** What they'd need of those to write where they did something; undefined where they wrote. */
  readonly toWrite?: bigint;
  /** Whether they are alone with the bot: a direct message has no administrators. */
  readonly direct: boolean;
  /** In a group of people with no server around it. */
  readonly inGroup?: boolean;
  /** Only they installed the app that they use here, not the server. */
  readonly byOwnApp?: boolean;
  readonly locale: Locale;
}

/** A Discord user as a person of the port. */
export function personOf(data: PersonData): Person {
  const { user, member, serverId, permissions = 0n, toWrite, direct, inGroup, byOwnApp, locale } = data;
  const may = (bit: bigint) => !direct && (isAdministrator(permissions) || (permissions & bit) !== 0n);
  return {
    id: user.id,
    name: member?.nick ?? nameOf(user),
    locale,
    administrator: may(PermissionFlagsBits.ManageGuild),
    moderator: may(PermissionFlagsBits.ManageMessages),
    ...(user.bot && { bot: true }),
    ...(direct && { direct: true }),
    ...(inGroup && { unmoderated: true }),
    ...(member && toWrite !== undefined && !may(toWrite) && { readsOnly: true }),
    ...(byOwnApp && !may(PermissionFlagsBits.UseExternalApps) && { unseen: true }),
    ...(member && { roles: rolesOf(member, serverId) }),
  };
}

/** One that waits for a response and may begin something. */
export type Begun = Exclude<RawInteraction, APIApplicationCommandAutocompleteInteraction>;
/** A press of a button, or a form that was opened by one. */
export type Press = APIMessageComponentInteraction | APIModalSubmitInteraction;

/** Whether it's the bot's own: the live check has buttons and a command, too. */
export function isOwn(interaction: Begun): boolean {
  if (interaction.type === InteractionType.ApplicationCommand)
    return interaction.data.name !== liveCheckCommand;
  return parseActionId(openedBy(interaction)) !== undefined;
}

/** The id of a form that's opened by a button, which has no space in its own: each opening is a form of its own. */
export function openedFormId(actionId: string, { id }: Begun): string {
  return `${actionId} ${id}`;
}

/** The id of a button, or of what opened a form: forms of former versions have only that. */
export function openedBy({ type, data: { custom_id: id } }: Press): string {
  const [action = id] = type === InteractionType.ModalSubmit ? id.split(' ', 1) : [id];
  return action;
}

/** Whether somebody typed a command. */
export function isTyped(interaction: Begun): interaction is APIChatInputApplicationCommandInteraction {
  return (
    interaction.type === InteractionType.ApplicationCommand &&
    interaction.data.type === ApplicationCommandType.ChatInput
  );
}

/** Whether somebody chose a command in a message's menu. */
export function isChosenInMenu(interaction: Begun): interaction is APIMessageApplicationCommandInteraction {
  return (
    interaction.type === InteractionType.ApplicationCommand &&
    interaction.data.type === ApplicationCommandType.Message
  );
}

/** Whether somebody pressed a button, or sent a form. */
export function isPress(interaction: Begun): interaction is Press {
  if (interaction.type === InteractionType.MessageComponent)
    return interaction.data.component_type === ComponentType.Button;
  return interaction.type === InteractionType.ModalSubmit;
}

/** Milliseconds within which the same, said again while nobody answered, is one request. */
const saidAgainWithin = 120_000;
/** Messages after a left one that are looked at: a resumed session goes back some minutes. */
const newerMessages = 100;

interface LeftEventsDependencies {
  readonly api: Pick<DiscordApi, 'messagesAfter' | 'messageByToken'>;
  readonly identity: () => { readonly id: Snowflake; readonly applicationId: Snowflake };
  readonly clock: Clock;
}

/**
 * What a resumed session brings that an earlier process left: it may have answered or refused it without putting that on
 * record, where its database was away or it died. What people see decides: what they've been told is final. And who gets
 * no answer says the same again, and wants it once. What can't be looked up now is handled like anything new: it would be
 * lost otherwise.
 */
export class LeftEvents {
  readonly #dependencies: LeftEventsDependencies;
  readonly #inTurn = new KeyedQueue();
  /** Commands that are carried out, by who typed what where. */
  readonly #carriedOut: BoundedMap<string, true>;

  constructor(dependencies: LeftEventsDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#carriedOut = new BoundedMap({ most: 2_000, lifetime: { milliseconds: saidAgainWithin, clock } });
  }

  /** Whether nothing more comes of a message: the bot has replied to it as it reads, or its author has said it again. */
  async isMessageOver(message: GatewayMessageCreateDispatchData): Promise<boolean> {
    const { api, identity } = this.#dependencies;
    const { id, channel_id: channelId, timestamp, edited_timestamp: edited } = message;
    // Where the bot may not read messages there are none.
    const newer = await api.messagesAfter(channelId, id, newerMessages).catch(() => []);
    const me = identity().id;
    const said = Date.parse(edited ?? timestamp);
    const isReply = (other: APIMessage) =>
      other.author.id === me &&
      other.message_reference?.message_id === id &&
      Date.parse(other.timestamp) >= said;
    return newer.some((other) => isReply(other) || isSame(message, other));
  }

  /** Whether nothing more comes of an interaction: it has a response, or the same was typed just before. */
  isInteractionOver(interaction: RawInteraction): Promise<boolean> {
    const { user = interaction.member?.user, channel } = interaction;
    // Files have ids of their own, and each press may mean another step.
    const typed = 'name' in (interaction.data ?? {}) ? JSON.stringify(interaction.data) : interaction.id;
    const key = `${user?.id} ${channel?.id} ${typed}`;
    return this.#inTurn.run(key, async () => {
      if (this.#carriedOut.has(key) || (await this.#hasResponse(interaction))) return true;
      this.#carriedOut.set(key, true);
      return false;
    });
  }

  /** A response that's still loading is of a command on record. */
  async #hasResponse({ token, message }: RawInteraction): Promise<boolean> {
    const { api, identity } = this.#dependencies;
    const first = api.messageByToken(identity().applicationId, token, '@original');
    const response = await first.catch(() => undefined);
    return response !== undefined && !isLoading(response) && response.id !== message?.id;
  }
}

/** Whether a later message says the same as an earlier one, soon after. One with files says more than its text. */
function isSame(message: GatewayMessageCreateDispatchData, later: APIMessage): boolean {
  const said = ({ author, content, message_reference: to }: GatewayMessageCreateDispatchData | APIMessage) =>
    [author.id, content, to?.message_id].join('\n');
  const hasFiles = message.attachments.length > 0 || later.attachments.length > 0;
  const apart = Date.parse(later.timestamp) - Date.parse(message.timestamp);
  return !hasFiles && apart <= saidAgainWithin && said(message) === said(later);
}

/** Dependencies of {@link Interactions} and {@link Messages}. */
export interface ReceiverDependencies extends DiscordServices {
  readonly dispatcher: CommandDispatcher;
  /** Sends an interaction's first response; returns the id of the loading message that everybody sees, where it's known. */
  readonly acknowledge: (
    id: string,
    token: string,
    response: APIInteractionResponse,
  ) => Promise<string | undefined>;
  /** Which of these ids are a server's roles, asked anew where it may have changed. */
  readonly rolesAmong: (guildId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Absent where the bot works in every server. */
  readonly allowedServers?: AllowedServers;
  readonly meter?: Meter;
  /** Whether people shouldn't wait for the database. */
  readonly isSilent: () => boolean;
  readonly leftEvents: LeftEvents;
  readonly firstTime: FirstTime;
  readonly records: Pick<Records, 'add' | 'has'>;
  readonly log: Pick<Log, 'info' | 'warn'> & LiveDependencies['log'];
  /** Whether Discord shows the bot what messages say that don't mention it. */
  readonly readsAll: () => boolean;
  /** Whether other processes, or the next one, get again what this one hasn't put on record. */
  readonly isLeaving: () => boolean;
  /** How much other people's words may add to a question, in estimated tokens. */
  readonly contextTokens: number;
}
