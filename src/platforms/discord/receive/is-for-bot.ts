import type { Message } from 'discord.js';
import { repliedMessageId } from './referenced-message.ts';

/**
 * How a message is for the bot. Without the intent MESSAGE_CONTENT the bot knows of some that they are for it, but not
 * what they say: mentions of its role (uncertain), replies with the ping turned off, replies to answers of slash
 * commands, and messages in a thread where it takes part.
 */
export type ForBot = 'readable' | 'role' | 'unreadable';

export interface ForBotDependencies {
  /** The bot's own id. */
  readonly me: string;
  /** Whether a message of the bot's is an answer in a conversation. */
  readonly isAnswer: (message: Message, repliedTo: string) => Promise<boolean>;
  /** Whether the bot takes part in a thread. */
  readonly isConversation: (threadId: string) => Promise<boolean>;
}

/** Whether a message is for the bot, and how; false if it isn't. */
export async function isForBot(message: Message, dependencies: ForBotDependencies): Promise<ForBot | false> {
  const { me, isAnswer, isConversation } = dependencies;
  const { content, guildId, mentions, channel, channelId, stickers } = message;
  const repliedTo = repliedMessageId(message);
  if (guildId === null || mentionsInText(content, me)) return 'readable';
  // A reply to an image is a comment on it, not a question; a reply to an answer continues the conversation.
  if (mentions.users.has(me))
    return repliedTo === undefined || (await isAnswer(message, repliedTo)) ? 'readable' : false;
  if (mentions.roles.some(({ tags }) => tags?.botId === me)) return content === '' ? 'role' : 'readable';
  if (content !== '' || stickers.size > 0) return false;
  if (repliedTo !== undefined && (await isAnswer(message, repliedTo))) return 'unreadable';
  if (!channel.isThread() || mentions.users.size > 0 || !(await isConversation(channelId))) return false;
  return 'unreadable';
}

function mentionsInText(content: string, me: string): boolean {
  return content.includes(`<@${me}>`) || content.includes(`<@!${me}>`);
}
