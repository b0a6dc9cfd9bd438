import type { GatewayMessageCreateDispatchData } from 'discord-api-types/v10';
import { PlatformError, parseActionId } from '../../../port/index.ts';
import type { DiscordServices } from '../post/services.ts';

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
  const { id: me, applicationId } = identity();
  const isMentioned = mentions.some(({ id }) => id === me);
  const isOwn = replied && (replied.author.id === me || replied.application_id === applicationId);
  // Every reply to anybody comes by here: most say by themselves that they aren't to the bot.
  if (replied && !isOwn && !isMentioned) return false;
  const remembered = await rememberedMessages.find(repliedTo);
  if (remembered) return remembered.answer === true;
  if (!isOwn && !isMentioned) return false;
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
