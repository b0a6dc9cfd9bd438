import { type APIMessage, MessageFlags, Routes } from 'discord.js';
import { silentVoiceMessage } from '../sample-files.ts';
import { type DiscordContext, deleteMessage, label } from './context.ts';

/** Deletes messages that this run doesn't know: from a run that was killed, or with a lost response. */
export async function removeLeftovers(context: DiscordContext): Promise<void> {
  const { rest, channelId, applicationId } = context;
  const query = new URLSearchParams({ limit: '100' });
  const messages = (await rest
    .get(Routes.channelMessages(channelId), { query })
    .catch(() => [])) as APIMessage[];
  const own = messages.filter(
    (message) =>
      message.author.id === applicationId &&
      (message.content.startsWith(label) || isCheckVoiceMessage(message)),
  );
  for (const { id } of own) await deleteMessage(context, id);
}

/** Whether a message is the check's voice message, which has no text to recognise it by. */
function isCheckVoiceMessage({ flags, attachments }: APIMessage): boolean {
  const isVoice = ((flags ?? 0) & MessageFlags.IsVoiceMessage) !== 0;
  return isVoice && attachments.length === 1 && attachments[0]?.size === silentVoiceMessage.bytes.byteLength;
}
