import { DiscordSnowflake } from '@sapphire/snowflake';
import type { GatewayMessageCreateDispatchData } from 'discord-api-types/v10';
import { type Locale, parseActionId, undefinedIfFailed } from '../../../port/index.ts';
import { jobLife, type Records } from '../../../store/index.ts';
import { messageBody, nonceOf } from '../api/messages.ts';
import { isOwnMessage } from '../connection/own-application.ts';
import type { DiscordServices, RememberedMessages } from '../post/services.ts';
import { discordWords } from '../words.ts';
import type { ReceiverDependencies } from './event-context.ts';
import { repliedMessageId } from './quoted-messages.ts';
import { proseIn } from './readable-text.ts';

/**
 * How a message is for the bot. `unmentioned`: without a mention, in its own thread or in reply to one of its answers;
 * it's readable with the intent MESSAGE_CONTENT only. Without that, the bot knows of some messages that they are for it,
 * but not what they say: mentions of its role (uncertain), replies with the ping turned off, replies to answers of slash
 * commands, and messages in a thread where it takes part.
 */
export type ForBot = 'readable' | 'unmentioned' | 'role' | 'unreadable';

type IncomingMessage = GatewayMessageCreateDispatchData;

interface ForBotDependencies {
  /** The bot's own id. */
  readonly me: string;
  /** Whether a message was written in a thread. */
  readonly isInThread: boolean;
  /** Whether a role is the bot's own. */
  readonly isBotRole: (id: string) => boolean;
  /** Whether Discord shows the bot what messages say that don't mention it. */
  readonly readsAll: boolean;
  /** Whether a message of the bot's is an answer in a conversation. */
  readonly isAnswer: (message: IncomingMessage, repliedTo: string) => Promise<boolean>;
  readonly rememberedMessages: RememberedMessages;
}

/** Whether a message is for the bot, and how; false if it isn't. */
export async function isForBot(
  message: IncomingMessage,
  dependencies: ForBotDependencies,
): Promise<ForBot | false> {
  const { me, readsAll, isInThread, isBotRole, isAnswer, rememberedMessages } = dependencies;
  const { content, mentions, mention_roles: roles, channel_id: channelId, sticker_items: stickers } = message;
  const repliedTo = repliedMessageId(message);
  if (message.guild_id === undefined) return 'readable';
  if (mentionsInText(message, me)) {
    if (readsAll && isInThread) await rememberedMessages.noteTalk(channelId, 'bot');
    return 'readable';
  }
  // A reply to an image is a comment on it, not a question; a reply to an answer continues the conversation.
  if (mentions.some(({ id }) => id === me)) {
    if (repliedTo === undefined || (await isAnswer(message, repliedTo))) return 'readable';
    // In its own thread it's a question all the same.
    return readsAll ? isForBotUnmentioned(message, repliedTo, dependencies) : false;
  }
  if (roles.some(isBotRole)) return content === '' ? 'role' : 'readable';
  if (readsAll) return isForBotUnmentioned(message, repliedTo, dependencies);
  if (content !== '' || (stickers ?? []).length > 0) return false;
  if (repliedTo !== undefined && (await isAnswer(message, repliedTo))) return 'unreadable';
  // A reply to anything else is aimed at somebody else, too, or a comment.
  if (!isInThread || repliedTo !== undefined || mentionsOthers(message, me)) return false;
  return (await rememberedMessages.isConversation(channelId)) && 'unreadable';
}

/**
 * Whether a message without a mention of the bot is for it. One that's aimed at somebody else never is; where people turned
 * to one another in the bot's own thread, it stays out until it's mentioned again.
 */
async function isForBotUnmentioned(
  message: IncomingMessage,
  repliedTo: string | undefined,
  { me, isInThread, isAnswer, rememberedMessages }: ForBotDependencies,
): Promise<'unmentioned' | false> {
  const { content, attachments, message_snapshots: forwarded = [], channel_id: channelId } = message;
  const saysNothing = content === '' && attachments.length + forwarded.length === 0;
  const isOwnThread = isInThread && (await rememberedMessages.isOwnThread(channelId));
  const isReply = repliedTo !== undefined && (await isAnswer(message, repliedTo));
  const repliesToOthers = repliedTo !== undefined && !isReply && !repliesToBotOrSelf(message, me);
  if (mentionsOthers(message, me) || repliesToOthers) {
    if (isOwnThread) await rememberedMessages.noteTalk(channelId, 'people');
    return false;
  }
  if (saysNothing) return false;
  if (isReply) return 'unmentioned';
  return isOwnThread && (await rememberedMessages.talkIn(channelId)) === 'bot' ? 'unmentioned' : false;
}

/** Whether a message mentions anybody but its author and the bot. */
function mentionsOthers(message: IncomingMessage, me: string): boolean {
  const { mentions, mention_everyone: everyone, mention_roles: roles, author } = message;
  return everyone || roles.length > 0 || mentions.some(({ id }) => id !== me && id !== author.id);
}

/** Whether a message replies to one of the bot's or of its own author's. */
function repliesToBotOrSelf({ referenced_message: replied, author }: IncomingMessage, me: string): boolean {
  return replied?.author.id === me || replied?.author.id === author.id;
}

/** Whether a message is for the bot, whatever is on record. */
export function isCertainlyForBot(message: IncomingMessage, me: string): boolean {
  return message.guild_id === undefined || mentionsInText(message, me);
}

/** By its text, which a reply may not: in code it mentions nobody, as Discord tells. */
function mentionsInText({ content, mentions }: IncomingMessage, me: string): boolean {
  if (!mentions.some(({ id }) => id === me)) return false;
  const prose = proseIn(content);
  return prose.includes(`<@${me}>`) || prose.includes(`<@!${me}>`);
}

/** Milliseconds for which an edit counts: previews and pins tell of the same edit again, those at any time. */
const editCountsFor = 10 * 60_000;

/**
 * Whether a message was just edited by its author, who is certain to mean the bot. Other bots edit while they write; and whether
 * something came of a message isn't known for longer than commands are kept.
 */
export function mayBeNewlySaid(message: IncomingMessage, me: string, now: number): boolean {
  const { author, edited_timestamp: editedAt } = message;
  const isJustEdited = now - Date.parse(editedAt ?? '') < editCountsFor;
  return isJustEdited && !author.bot && now - writtenAt(message) < jobLife && isCertainlyForBot(message, me);
}

/** Whether nothing came of an edited message before, nor of the same edit. `isLeft`: an earlier process may have looked. */
export async function isNewlySaid(
  message: IncomingMessage,
  { dispatcher, firstTime }: Pick<ReceiverDependencies, 'dispatcher' | 'firstTime'>,
  isLeft: boolean,
): Promise<boolean> {
  const { id, edited_timestamp: editedAt } = message;
  if (await dispatcher.isHandled(id, writtenAt(message))) return false;
  return isLeft || firstTime(`edit ${id} ${editedAt}`, editCountsFor);
}

/** When a message was written, in milliseconds since the epoch. */
export function writtenAt({ id }: Pick<IncomingMessage, 'id'>): number {
  return DiscordSnowflake.timestampFrom(id);
}

type Services = Pick<DiscordServices, 'api' | 'gateway' | 'identity' | 'rememberedMessages'>;

/**
 * Whether the message that another one replies to is an answer of the bot's in a conversation: by what is remembered,
 * or by its buttons for one that is older than that.
 */
export async function isAnswer(
  { api, gateway, identity, rememberedMessages }: Services,
  { channel_id: channelId, mentions, referenced_message: replied }: GatewayMessageCreateDispatchData,
  repliedTo: string,
): Promise<boolean> {
  const me = identity();
  const isMentioned = mentions.some(({ id }) => id === me.id);
  const isOwn = replied && isOwnMessage(replied, me);
  // Every reply to anybody comes by here: most say by themselves that they aren't to the bot.
  if (replied && !isOwn && !isMentioned) return false;
  const remembered = await rememberedMessages.find(repliedTo);
  if (remembered) return remembered.answer === true;
  if (!isOwn && !isMentioned) return false;
  if (gateway.missingPermissions(channelId, ['Read Message History']).length > 0) return false;
  const { components = [] } = (await undefinedIfFailed(api.message(channelId, repliedTo))) ?? {};
  const buttons = components.flatMap((row): readonly object[] => ('components' in row ? row.components : []));
  return buttons.some((button) => 'custom_id' in button && isAskButton(String(button.custom_id)));
}

function isAskButton(customId: string): boolean {
  return parseActionId(customId)?.command === 'ask';
}

/** Why the bot can't write in a channel, as a sentence for elsewhere; checked before anything is paid for. */
export async function obstacleIn(
  channelId: string,
  locale: Locale,
  dependencies: Pick<DiscordServices, 'api' | 'gateway'>,
): Promise<string | undefined> {
  const { gateway } = dependencies;
  const say = discordWords(locale);
  if (gateway.isTimedOut(channelId)) return say.timedOut;
  const missing = await missingPermissions(channelId, dependencies);
  if (missing.length > 0) return say.permissionMissing(`<#${channelId}>`, missing.join(', '));
  return gateway.isLocked(channelId) ? say.threadLocked : undefined;
}

/**
 * The permissions the bot lacks to write. Whether the chat of a voice channel needs Connect is uncertain; if only that is
 * missing, the typing indicator, which needs the same permissions, decides.
 */
async function missingPermissions(
  channelId: string,
  { api, gateway }: Pick<DiscordServices, 'api' | 'gateway'>,
): Promise<readonly string[]> {
  const missing = gateway.missingToPost(channelId);
  if (missing.length !== 1 || missing[0] !== 'Connect') return missing;
  return (await undefinedIfFailed(api.typing(channelId).then(() => []))) ?? missing;
}

const hour = 3_600_000;
const day = 24 * hour;
/** Milliseconds before the same person is told again that the bot can't write in a channel. */
const repeatAfter = 6 * hour;

/** Tells somebody directly why nothing comes where they gave an event, once in a while; nobody if they don't accept that. */
export async function tellDirectly(
  { api, firstTime }: Pick<ReceiverDependencies, 'api' | 'firstTime'>,
  { event, person, channel }: Readonly<Record<'event' | 'person' | 'channel', string>>,
  text: string,
): Promise<void> {
  if (!(await firstTime(`no permission ${person} ${channel}`, repeatAfter))) return;
  const told = api
    .directChannel(person)
    .then((direct) => api.createMessage(direct, { body: messageBody(text) }, nonceOf(event, 'obstacle')));
  await undefinedIfFailed(told);
}

/** Hints in a channel within an hour, whomever they're for. */
const mostAnHour = 4;

/**
 * Whether somebody is told now how to mention the bot, since Discord withholds what they wrote; counts as told then. Each person is
 * once a day in a channel, and a few of them an hour.
 */
export async function isHintDue(
  records: Pick<Records, 'add' | 'has'>,
  person: string,
  channel: string,
  what: string,
): Promise<boolean> {
  const told = `hint ${what} ${channel} ${person}`;
  if (await records.has(told)) return false;
  for (let slot = 0; slot < mostAnHour; slot++)
    if (await records.add(`hint in ${channel} ${slot}`, true, hour)) return records.add(told, true, day);
  return false;
}
