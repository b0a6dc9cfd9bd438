import type { Message } from 'discord.js';
import { repliedMessageId } from './text/referenced-message.ts';

/**
 * How a message is for the bot. `unmentioned`: without a mention, in its own thread or in reply to one of its answers;
 * it's readable with the intent MESSAGE_CONTENT only. Without that, the bot knows of some messages that they are for it,
 * but not what they say: mentions of its role (uncertain), replies with the ping turned off, replies to answers of slash
 * commands, and messages in a thread where it takes part.
 */
export type ForBot = 'readable' | 'unmentioned' | 'role' | 'unreadable';

export interface ForBotDependencies {
  /** The bot's own id. */
  readonly me: string;
  /** Whether Discord shows the bot what messages say that don't mention it. */
  readonly readsAll: boolean;
  /** Whether a message of the bot's is an answer in a conversation. */
  readonly isAnswer: (message: Message, repliedTo: string) => Promise<boolean>;
  /** Whether the bot takes part in a thread. */
  readonly isConversation: (threadId: string) => Promise<boolean>;
  readonly ownThreads: OwnThreads;
}

/** Threads that were opened for a conversation with the bot, and whom people talk to there. */
interface OwnThreads {
  isOwnThread(threadId: string): Promise<boolean>;
  talkIn(threadId: string): Promise<'bot' | 'people'>;
  noteTalk(threadId: string, whom: 'bot' | 'people'): Promise<void>;
}

/** Whether a message is for the bot, and how; false if it isn't. */
export async function isForBot(message: Message, dependencies: ForBotDependencies): Promise<ForBot | false> {
  const { me, readsAll, isAnswer, isConversation, ownThreads } = dependencies;
  const { content, guildId, mentions, channel, channelId, stickers } = message;
  const repliedTo = repliedMessageId(message);
  if (guildId === null) return 'readable';
  if (mentionsInText(content, me)) {
    if (readsAll && channel.isThread()) await ownThreads.noteTalk(channelId, 'bot');
    return 'readable';
  }
  // A reply to an image is a comment on it, not a question; a reply to an answer continues the conversation.
  if (mentions.users.has(me)) {
    if (repliedTo === undefined || (await isAnswer(message, repliedTo))) return 'readable';
    // In its own thread it's a question all the same.
    return readsAll ? isForBotUnmentioned(message, repliedTo, dependencies) : false;
  }
  if (mentions.roles.some(({ tags }) => tags?.botId === me)) return content === '' ? 'role' : 'readable';
  if (readsAll) return isForBotUnmentioned(message, repliedTo, dependencies);
  if (content !== '' || stickers.size > 0) return false;
  if (repliedTo !== undefined && (await isAnswer(message, repliedTo))) return 'unreadable';
  if (!channel.isThread() || mentions.users.size > 0 || !(await isConversation(channelId))) return false;
  return 'unreadable';
}

/**
 * Whether a message without a mention of the bot is for it. One that's aimed at somebody else never is; where people turned
 * to one another in the bot's own thread, it stays out until it's mentioned again.
 */
async function isForBotUnmentioned(
  message: Message,
  repliedTo: string | undefined,
  { me, isAnswer, ownThreads }: ForBotDependencies,
): Promise<'unmentioned' | false> {
  const { content, attachments, channel, channelId } = message;
  const saysNothing = content === '' && attachments.size === 0;
  const isOwnThread = channel.isThread() && (await ownThreads.isOwnThread(channelId));
  const isReply = repliedTo !== undefined && (await isAnswer(message, repliedTo));
  const repliesToOthers = repliedTo !== undefined && !isReply && !repliesToBotOrSelf(message, me);
  if (mentionsOthers(message, me) || repliesToOthers) {
    if (isOwnThread) await ownThreads.noteTalk(channelId, 'people');
    return false;
  }
  if (saysNothing) return false;
  if (isReply) return 'unmentioned';
  return isOwnThread && (await ownThreads.talkIn(channelId)) === 'bot' ? 'unmentioned' : false;
}

/** Whether a message mentions anybody but its author and the bot. */
function mentionsOthers({ mentions, author }: Message, me: string): boolean {
  const { everyone, users, roles } = mentions;
  return everyone || roles.size > 0 || users.some(({ id }) => id !== me && id !== author.id);
}

/** Whether a message replies to one of the bot's or of its own author's. */
function repliesToBotOrSelf({ mentions: { repliedUser }, author }: Message, me: string): boolean {
  return repliedUser?.id === me || repliedUser?.id === author.id;
}

/** Whether a message is for the bot, whatever is on record. */
export function isCertainlyForBot({ content, guildId }: Message, me: string): boolean {
  return guildId === null || mentionsInText(content, me);
}

function mentionsInText(content: string, me: string): boolean {
  return content.includes(`<@${me}>`) || content.includes(`<@!${me}>`);
}
