import { type Message, MessageReferenceType } from 'discord.js';
import { areSnowflakes } from '../api/snowflakes.ts';

/**
 * How a message is meant for the bot. Without MESSAGE_CONTENT some are known to be meant for it, and not what they
 * say: those that mention its role (uncertain), replies with their ping off, replies to answers of slash commands,
 * and what is said in a thread where it takes part.
 */
export type ForBot = 'readable' | 'role' | 'unreadable';

export interface ForBotDependencies {
  /** The bot's own id. */
  readonly me: string;
  /** Whether a message of the bot's is an answer in a conversation. */
  readonly isAnswer: (message: Message, repliedTo: string) => Promise<boolean>;
  /** Whether the bot takes part in a thread's conversation. */
  readonly isConversation: (threadId: string) => Promise<boolean>;
}

/** Whether and how a message is meant for the bot; undefined where it isn't. */
export async function isForBot(
  message: Message,
  dependencies: ForBotDependencies,
): Promise<ForBot | undefined> {
  const { me, isAnswer, isConversation: isTalk } = dependencies;
  const { content, guildId, mentions, channel, channelId, stickers } = message;
  const repliedTo = repliedToIn(message);
  if (guildId === null || isNamed(content, me)) return 'readable';
  // Somebody who comments on an image with a reply asks nothing; whoever replies to an answer goes on with it.
  if (mentions.users.has(me))
    return repliedTo === undefined || (await isAnswer(message, repliedTo)) ? 'readable' : undefined;
  if (mentions.roles.some(({ tags }) => tags?.botId === me)) return content === '' ? 'role' : 'readable';
  if (content !== '' || stickers.size > 0) return undefined;
  if (repliedTo !== undefined && (await isAnswer(message, repliedTo))) return 'unreadable';
  if (!channel.isThread() || mentions.users.size > 0 || !(await isTalk(channelId))) return undefined;
  return 'unreadable';
}

/** The message that one is a reply to; a forward is none. */
export function repliedToIn({ reference }: Message): string | undefined {
  if (reference?.type !== MessageReferenceType.Default || !areSnowflakes(reference.messageId))
    return undefined;
  return reference.messageId;
}

function isNamed(content: string, me: string): boolean {
  return content.includes(`<@${me}>`) || content.includes(`<@!${me}>`);
}
