import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteractionDataResolved,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  type APIUser,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  ComponentType,
  type GatewayMessageCreateDispatchData,
  InteractionContextType,
  InteractionType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import {
  type Address,
  type Locale,
  localeOf,
  type MessageAddress,
  parseActionId,
  type Person,
  type PostingLimits,
} from '../../../port/index.ts';
import { interactionToken, serializeToken, tokenLifetime } from '../api/messages.ts';
import { liveCheckCommand } from '../commands/registration.ts';
import type { RawInteraction } from '../connection/connections.ts';
import type { Identity } from '../connection/own-application.ts';
import type { DiscordServices } from '../post/services.ts';
import type { AcknowledgedInteraction } from '../reply/interaction-reply-target.ts';
import { isPublicThread } from '../servers/gateway-cache.ts';
import {
  isAdministrator,
  isThreadType,
  isTimedOut,
  isVisibleTo,
  isVoiceType,
  limitsForFiles,
  missingPermissions,
  rolesOf,
  seenWhere,
  usablePermissions,
} from '../servers/server.ts';
import type { Servers } from '../servers/servers.ts';
import { discordWords } from '../words.ts';
import { changeProse } from './code-in-text.ts';

const { SendMessages, SendMessagesInThreads } = PermissionFlagsBits;

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
  const { member, guild_id: serverId, context } = interaction;
  const now = clock.now();
  const user = userOf(interaction);
  const locale = localeOf('locale' in interaction ? interaction.locale : undefined);
  const address = addressOfInteraction(interaction);
  const server = servers.server(serverId ?? '');
  const permissions = usablePermissions(BigInt(interaction.app_permissions), server, now);
  const isInstalled = ApplicationIntegrationType.GuildInstall in interaction.authorizing_integration_owners;
  const isBotDirectMessage = context === InteractionContextType.BotDM;
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
    uploadLimit: interaction.attachment_size_limit,
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
  if (context.botCanPost) return context.address;
  return {
    ...context.address,
    platformData: serializeToken(interactionToken({ ...context, hidden: false })),
  };
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
  { channel }: RawInteraction,
  { thread }: Address,
  permissions: bigint,
  gateway: Pick<DiscordServices['gateway'], 'isInThread'>,
): boolean {
  const canManageThreads = (permissions & PermissionFlagsBits.ManageThreads) !== 0n;
  const isLocked = channel && 'thread_metadata' in channel && channel.thread_metadata?.locked === true;
  if (isLocked && !canManageThreads) return false;
  const isPrivateThread = channel?.type === ChannelType.PrivateThread;
  if (isPrivateThread && !canManageThreads && !gateway.isInThread(channel.id)) return false;
  const send = thread === undefined ? 'Send Messages' : 'Send Messages in Threads';
  const voice = isVoiceType(channel?.type) ? (['Connect'] as const) : [];
  return missingPermissions(permissions, ['View Channels', ...voice, send]).length === 0;
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

/** The address at which an interaction is answered; it says itself which channel it's from. */
function addressOfInteraction({ guild_id: serverId, channel, channel_id }: RawInteraction): Address {
  const parentId = channel && 'parent_id' in channel ? (channel.parent_id ?? undefined) : undefined;
  return addressOf({ serverId, channelId: channel?.id ?? channel_id ?? '', type: channel?.type, parentId });
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

/** Looks up the names behind ids; undefined if a name isn't known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

/**
 * Discord's notation for mentions, emoji, commands, pages of servers and timestamps (reference, message formatting). Every part has a
 * maximum length, so that matching a hostile text takes time in proportion to its length only.
 */
const reference =
  /(?<!\\)<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,32}):\d{1,20}|\/(?<command>[^:<>\n]{1,64}):\d{1,20}|id:(?<page>[a-z-]{1,32})(?::\d{1,20})?|t:(?<timestamp>-?\d{1,11})(?::[a-zA-Z])?)>/g;

/**
 * A text as its author sees it: with names instead of ids, and a neutral word for a name that isn't known. Code stays as it's
 * written.
 */
export function readableText(text: string, names: Names, locale: Locale): string {
  return changeProse(text, (prose) => readableProse(prose, names, locale));
}

function readableProse(text: string, names: Names, locale: Locale): string {
  const unknown = () => discordWords(locale);
  return text.replace(reference, (whole, ...matched) => {
    const { user, role, channel, emoji, command, page, timestamp } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (user) return `@${names.user(user) ?? unknown().someone}`;
    if (role) return `@${names.role(role) ?? unknown().someRole}`;
    if (channel) return `#${names.channel(channel) ?? unknown().someChannel}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    if (page) return `#${page}`;
    return timestamp ? timestampText(Number(timestamp)) : whole;
  });
}

/** Seconds since the epoch as a date and time in UTC. */
function timestampText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What people see of a user who has no name of their own in a server. */
export function nameOf({ global_name, username }: Pick<APIUser, 'global_name' | 'username'>): string {
  return global_name ?? username;
}

/** Who knows names: of the bot itself, and of a server's roles and channels. */
export interface NameSources {
  readonly identity: () => Identity;
  readonly servers: Pick<Servers, 'server'>;
}

/**
 * Names that are known without asking; other people's are not. `writer`: who names channels by their ids. Nobody learns the name
 * of one that's hidden from them, neither who writes nor who reads it there.
 */
function knownNames(
  { identity, servers }: NameSources,
  { serverId, channelId }: Pick<EventPlace, 'serverId' | 'channelId'>,
  writer: { readonly id: string; readonly roles: readonly string[] },
): Names {
  const me = identity();
  const server = servers.server(serverId ?? '');
  const here = server?.channels.get(channelId);
  let isSeenByAll: ReturnType<typeof seenWhere> | undefined;
  return {
    user: (id) => (id === me.id ? (server?.me?.nick ?? me.name) : undefined),
    role: (id) => server?.roles.get(id)?.name,
    channel(id) {
      const channel = server?.channels.get(id);
      if (!channel || !here || !isVisibleTo(channel, writer)) return undefined;
      isSeenByAll ??= seenWhere(here);
      return isSeenByAll(channel) ? channel.name : undefined;
    },
  };
}

/** Names for a message: from its mentions and its author, else those that are known. */
export function namesInMessage(message: GatewayMessageCreateDispatchData, sources: NameSources): Names {
  const { author, member, mentions, guild_id: serverId, channel_id: channelId } = message;
  const known = knownNames(sources, { serverId, channelId }, { id: author.id, roles: member?.roles ?? [] });
  return {
    ...known,
    user: (id) => {
      const mentioned = mentions.find((one) => one.id === id);
      if (mentioned) return mentioned.member?.nick ?? nameOf(mentioned);
      return id === author.id ? (member?.nick ?? nameOf(author)) : known.user(id);
    },
  };
}

/** Names for a message that another one brings along: from its own mentions, else the other's names. */
export function namesInQuoted(names: Names, mentions: readonly APIUser[]): Names {
  const nameIn = (id: string) => {
    const user = mentions.find((one) => one.id === id);
    return user && nameOf(user);
  };
  return { ...names, user: (id) => nameIn(id) ?? names.user(id) };
}

/** Names for an interaction's texts: from its resolved data (uncertain: discord.js#6728), else those that are known. */
export function namesInInteraction(
  { guild_id: serverId, channel, member, user = member?.user }: RawInteraction,
  resolved: Partial<Pick<APIInteractionDataResolved, 'users' | 'members' | 'roles'>> = {},
  sources: NameSources,
): Names {
  const place = { serverId, channelId: channel?.id ?? '' };
  const known = knownNames(sources, place, { id: user?.id ?? '', roles: member?.roles ?? [] });
  return {
    ...known,
    user: (id) => {
      const found = resolved.users?.[id] ?? (id === user?.id ? user : undefined);
      const nick = resolved.members?.[id]?.nick ?? (id === user?.id ? member?.nick : undefined);
      return nick ?? (found ? nameOf(found) : known.user(id));
    },
    role: (id) => resolved.roles?.[id]?.name ?? known.role(id),
  };
}
