import type { Fields } from '../http/fields.ts';
import type { Message } from '../model.ts';
import type { World } from '../world.ts';

/** A message without what needs MESSAGE_CONTENT: a poll isn't there at all (resources/message, message structure). */
function covered({ poll, ...rest }: Fields): Fields {
  return { ...rest, content: '', embeds: [], attachments: [], components: [] };
}

/**
 * A message as the bot gets it, by event and by GET: without MESSAGE_CONTENT its content is empty, except in direct
 * messages and if it mentions the bot as a user. Whether a mention of the bot's role counts, and how much of messages
 * inside a message is included, is uncertain: the readings decide.
 */
export function visible(world: World, message: Message, body: Fields, hasIntent: boolean): Fields {
  const direct = world.channel(message.channelId).guildId === undefined;
  if (hasIntent || direct) return body;
  const { referenced_message: referenced, message_snapshots: snapshots, ...rest } = body;
  const whole = isConcerned(world, message);
  return {
    ...(whole ? rest : covered(rest)),
    ...(snapshots !== undefined &&
      world.readings.snapshotText === 'works' && { message_snapshots: snapshots }),
    ...(referenced !== undefined && referencedFields(world, message, referenced)),
  };
}

function isConcerned(world: World, { authorId, mentions, mentionRoles }: Message): boolean {
  if (authorId === world.bot.id || mentions.includes(world.bot.id)) return true;
  return world.readings.roleMentionText === 'works' && mentionRoles.some((id) => world.isBotRole(id));
}

function referencedFields(world: World, { replyTo }: Message, referenced: unknown): Fields {
  const { referencedMessage } = world.readings;
  if (referencedMessage === 'absent') return {};
  const message = replyTo === undefined ? undefined : world.messages.get(replyTo);
  const concerned = referencedMessage === 'whole' && message && isConcerned(world, message);
  const whole = concerned || referencedMessage === 'uncovered';
  return {
    referenced_message: whole || referenced === null ? referenced : covered(referenced as Fields),
  };
}
