import { DiscordAPIError, MessageFlags, RESTJSONErrorCodes } from 'discord.js';
import type { Sounds } from '../../../media/index.ts';
import {
  type Address,
  bytesOf,
  type Capabilities,
  type ClipFormat,
  fileOf,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  PlatformError,
} from '../../../port/index.ts';
import { errorCode } from '../api/errors.ts';
import { discordFeatures } from '../api/features.ts';
import { nonceOf } from '../api/nonce.ts';
import type { MediaProcessor } from '../media/media-processor.ts';
import { channelIdOf } from '../reply/interaction-token.ts';
import type { PostedMessages } from './posted-messages.ts';

export interface VoiceDependencies {
  readonly posts: PostedMessages;
  readonly media: MediaProcessor;
  readonly sounds: Sounds;
  readonly capabilities: Capabilities;
  /** Whether the bot's permissions in a channel allow voice messages, as far as they are known. */
  readonly mayPostVoice: (channelId: string) => boolean;
  /** Whether they are known. */
  readonly isKnown: (channelId: string) => boolean;
  /** Whether they let the bot look for a message that it may have posted. */
  readonly mayLook: (channelId: string) => boolean;
}

/** The voice clip among a message's files. */
export function voiceClipIn({ files = [] }: Message): OutgoingFile | undefined {
  return files.find(({ kind }) => kind === 'voice');
}

/** The key under which a clip is posted as a voice message: its own, or that of the message it's part of. */
export function voiceKey({ id }: OutgoingFile, key = ''): string {
  return `voice:${id ?? key}`;
}

/** What is left to be said of a message whose clip is a voice message of its own. */
export function withoutVoiceClip(message: Message, voice: OutgoingFile): Message {
  const { text = voice.description, files = [] } = message;
  return { ...message, text, files: files.filter((file) => file !== voice) };
}

/**
 * Voice messages. Only a message of the bot's own can be one: neither a reply to an interaction nor an edit
 * (resources/message, voice messages).
 */
export class VoiceMessages {
  readonly #dependencies: VoiceDependencies;

  constructor(dependencies: VoiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Opus for a voice message; mp3 for a file, because phones by Apple don't play Ogg. */
  async clipFormat(place: Address | undefined): Promise<ClipFormat> {
    return (await this.#possibleAt(place)) ? 'opus' : 'mp3';
  }

  /**
   * Posts a clip as a voice message, once. Undefined where the clip or the place does not allow it; it is then posted
   * as a file. What the permissions did not tell is remembered.
   * @throws {PlatformError} `unreachable` where nobody can tell whether it stands there.
   */
  async post(
    place: Address | undefined,
    file: OutgoingFile,
    key: string,
  ): Promise<MessageAddress | undefined> {
    if (!place || !(await this.#possibleAt(place))) return undefined;
    const { posts, media, capabilities } = this.#dependencies;
    const data = Buffer.from(await bytesOf(file));
    const shape = await media.voiceMetadata(data);
    if (!shape) return undefined;
    const id = voiceKey(file, key);
    // Nobody is shown the name; it tells clips of one size apart where one of them is looked for.
    const name = `voice-message-${nonceOf(id)}.ogg`;
    const body = {
      flags: MessageFlags.IsVoiceMessage,
      attachments: [{ id: '0', filename: name, duration_secs: shape.seconds, waveform: shape.waveform }],
    };
    // The content type has to be said: the library would take the file for `application/ogg`.
    const files = [{ name, data, contentType: 'audio/ogg' }];
    const post = [channelIdOf(place), id, body, files] as const;
    try {
      return { ...place, message: await posts.postOnce(...post) };
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof DiscordAPIError)) throw error;
      if (error instanceof PlatformError && error.kind === 'unreachable') {
        if (!this.#dependencies.mayLook(channelIdOf(place))) throw error;
        const message = await posts.find(...post);
        return message === undefined ? undefined : { ...place, message };
      }
      if (isRefusal(error))
        await capabilities.note(this.#scopeOf(place), discordFeatures.voiceMessage, 'refused');
      return undefined;
    }
  }

  /** The clip as a file: an mp3 where it can be made one, because phones by Apple don't play Ogg. */
  async playable(voice: OutgoingFile): Promise<OutgoingFile> {
    if (!voice.contentType.startsWith('audio/ogg')) return voice;
    const mp3 = await this.#dependencies.sounds.convert(await bytesOf(voice), 'mp3');
    if (!mp3) return voice;
    const { size: _, original: __, open: ___, ...about } = voice;
    const name = voice.name.replace(/\.\w+$/, '.mp3');
    return fileOf(mp3.bytes, { ...about, name, contentType: mp3.contentType });
  }

  /** A message with its clip as a file. */
  async withPlayableFile(message: Message): Promise<Message> {
    const voice = voiceClipIn(message);
    if (!voice) return message;
    const file = await this.playable(voice);
    return { ...message, files: message.files?.map((one) => (one === voice ? file : one)) ?? [] };
  }

  async #possibleAt(place: Address | undefined): Promise<boolean> {
    if (!place || !this.#dependencies.mayPostVoice(channelIdOf(place))) return false;
    const { capabilities } = this.#dependencies;
    const scopes = [place.workspace, channelIdOf(place)];
    const seen = await Promise.all(
      scopes.map((scope) => capabilities.find(scope, discordFeatures.voiceMessage)),
    );
    return !seen.includes('refused');
  }

  /** What a refusal is about: where the permissions in a channel aren't known, those may be why it refuses, and it alone. */
  #scopeOf(place: Address): string {
    const channel = channelIdOf(place);
    return this.#dependencies.isKnown(channel) ? place.workspace : channel;
  }
}

/** A refusal of voice messages themselves: a channel that takes nothing and a clip that isn't taken say nothing about them. */
function isRefusal(error: unknown): boolean {
  return errorCode(error) === RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel;
}
