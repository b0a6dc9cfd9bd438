import { DiscordAPIError, MessageFlags } from 'discord.js';
import {
  type Address,
  bytesOf,
  type Capabilities,
  type ClipFormat,
  type Message,
  type OutgoingFile,
  OutletError,
} from '../../port/index.ts';
import type { DiscordApi } from './api.ts';
import { discordFeatures } from './capabilities.ts';
import type { Media } from './media/index.ts';
import { nonceOf } from './nonce.ts';
import { channelOf } from './ticket.ts';

export interface VoiceParts {
  readonly api: DiscordApi;
  readonly media: Media;
  readonly capabilities: Capabilities;
  /** Whether the bot's permissions in a channel allow voice messages, as far as they are known. */
  readonly mayPostVoice: (channelId: string) => boolean;
}

/** The voice clip among a message's files. */
export function voiceIn({ files = [] }: Message): OutgoingFile | undefined {
  return files.find(({ kind }) => kind === 'voice');
}

/**
 * Voice messages. Only a message of the bot's own can be one: neither a reply to an interaction nor an edit
 * (resources/message, voice messages).
 */
export class VoiceMessages {
  readonly #parts: VoiceParts;

  constructor(parts: VoiceParts) {
    this.#parts = parts;
  }

  /** Opus for a voice message; mp3 for a file, because phones by Apple don't play Ogg. */
  async formatAt(place: Address | undefined): Promise<ClipFormat> {
    return (await this.#possibleAt(place)) ? 'opus' : 'mp3';
  }

  /**
   * Posts a clip as a voice message. False where the clip or the place does not allow it; it is then posted as a
   * file. What the permissions did not tell is remembered.
   */
  async post(place: Address | undefined, file: OutgoingFile, key: string): Promise<boolean> {
    if (!place || !(await this.#possibleAt(place))) return false;
    const { api, media, capabilities } = this.#parts;
    const data = Buffer.from(await bytesOf(file));
    const shape = await media.voiceShape(data);
    if (!shape) return false;
    const name = 'voice-message.ogg';
    const body = {
      flags: MessageFlags.IsVoiceMessage,
      attachments: [{ id: '0', filename: name, duration_secs: shape.seconds, waveform: shape.waveform }],
    };
    // The content type has to be said: the library would take the file for `application/ogg`.
    const files = [{ name, data, contentType: 'audio/ogg' }];
    try {
      await api.createMessage(channelOf(place), body, files, nonceOf(key, 'voice'));
      return true;
    } catch (error) {
      if (!(error instanceof OutletError || error instanceof DiscordAPIError)) throw error;
      if (isRefusal(error)) await capabilities.note(place.workspace, discordFeatures.voiceMessage, 'refused');
      return false;
    }
  }

  async #possibleAt(place: Address | undefined): Promise<boolean> {
    if (!place || !this.#parts.mayPostVoice(channelOf(place))) return false;
    return (await this.#parts.capabilities.find(place.workspace, discordFeatures.voiceMessage)) !== 'refused';
  }
}

/** A refusal of voice messages themselves: Discord being away or the clip too large says nothing about them. */
function isRefusal(error: OutletError | DiscordAPIError): boolean {
  return !(error instanceof OutletError) || error.kind === 'no-permission' || error.kind === 'refused';
}
