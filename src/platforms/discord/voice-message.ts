import { DiscordAPIError, MessageFlags } from 'discord.js';
import { bytesOf, type Message, type OutgoingFile, OutletError } from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import type { Media } from './media/index.ts';
import { nonceOf } from './nonce.ts';

/** The voice clip among a message's files. */
export function voiceIn({ files = [] }: Message): OutgoingFile | undefined {
  return files.find(({ kind }) => kind === 'voice');
}

/**
 * Posts a clip as a voice message. Only a message of the bot's own can be one: neither a reply to an interaction
 * nor an edit. False where the clip or the place does not allow it; it is then posted as a file.
 */
export async function postVoice(
  { api, media }: { readonly api: DiscordApi; readonly media: Media },
  channel: string,
  file: OutgoingFile,
  key: string,
): Promise<boolean> {
  const data = Buffer.from(await bytesOf(file));
  const shape = await media.voiceShape(data);
  if (!shape) return false;
  const name = 'voice-message.ogg';
  const body = {
    flags: MessageFlags.IsVoiceMessage,
    attachments: [{ id: '0', filename: name, duration_secs: shape.seconds, waveform: shape.waveform }],
  };
  try {
    // The content type has to be said: the library would take the file for `application/ogg`.
    await api.createMessage(channel, body, [{ name, data, contentType: 'audio/ogg' }], nonceOf(key, 'voice'));
    return true;
  } catch (error) {
    if (error instanceof OutletError || error instanceof DiscordAPIError) return false;
    throw error;
  }
}
