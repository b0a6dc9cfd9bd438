import type { Message } from 'discord.js';
import { PlatformError, parseActionId } from '../../../port/index.ts';
import type { DiscordServices } from '../post/services.ts';

/**
 * Whether the message that another one replies to is an answer of the bot's in a conversation: by what is remembered,
 * or by its buttons for one that is older than that.
 */
export async function isAnswer(
  { api, gateway, rememberedMessages }: Pick<DiscordServices, 'api' | 'gateway' | 'rememberedMessages'>,
  { channelId, mentions, client }: Message,
  repliedTo: string,
): Promise<boolean> {
  const remembered = await rememberedMessages.find(repliedTo);
  if (remembered) return remembered.answer === true;
  const me = client.user.id;
  if (mentions.repliedUser?.id !== me && !mentions.users.has(me)) return false;
  if (gateway.missingPermissions(channelId, ['Read Message History']).length > 0) return false;
  try {
    const { components = [] } = await api.message(channelId, repliedTo);
    const buttons = components.flatMap((row): readonly object[] =>
      'components' in row ? row.components : [],
    );
    return buttons.some((button) => 'custom_id' in button && isAskButton(String(button.custom_id)));
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

function isAskButton(customId: string): boolean {
  return parseActionId(customId)?.command === 'ask';
}
