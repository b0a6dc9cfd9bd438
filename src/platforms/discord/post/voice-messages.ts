import { DiscordAPIError } from '@discordjs/rest';
import { MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { SoundConverter } from '../../../media/index.ts';
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
  refusalOf,
} from '../../../port/index.ts';
import { discordFeatures, errorCode } from '../api/errors.ts';
import { asReplyTo, channelIdOf, isHistoryMissing, nonceOf } from '../api/messages.ts';
import type { MediaProcessor } from '../media/upload-limits.ts';
import type { GatewayCache } from '../servers/gateway-cache.ts';
import type { PostedMessages } from './posted-messages.ts';

interface VoiceMessagesDependencies {
  readonly postedMessages: PostedMessages;
  readonly media: MediaProcessor;
  readonly sounds: SoundConverter;
  readonly capabilities: Capabilities;
  readonly gateway: Pick<GatewayCache, 'missingPermissions' | 'knowsPermissions'>;
}

/** The voice clip among a message's files. */
export function voiceClipIn({ files = [] }: Message): OutgoingFile | undefined {
  return files.find(({ kind }) => kind === 'voice');
}

/** The key under which a clip is posted as a voice message: its own, or that of the message it's part of. */
export function voiceKey({ id }: OutgoingFile, key = ''): string {
  return `voice:${id ?? key}`;
}

/** The rest of a message whose clip is posted as a voice message. */
export function withoutVoiceClip(message: Message, clip: OutgoingFile): Message {
  const { text = clip.description, files = [] } = message;
  return { ...message, text, files: files.filter((file) => file !== clip) };
}

/**
 * Posts voice messages. Only the bot's own messages can be one: neither a response to an interaction nor an edit
 * (resources/message, voice messages).
 */
export class VoiceMessages {
  readonly #dependencies: VoiceMessagesDependencies;

  constructor(dependencies: VoiceMessagesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Opus for a voice message; MP3 for a file, because iPhones don't play Ogg. */
  async clipFormat(address: Address | undefined): Promise<ClipFormat> {
    return (await this.#isPossible(address)) ? 'opus' : 'mp3';
  }

  /**
   * Posts a clip as a voice message, once; as a reply to `answered`, if that's known and allowed. Undefined if the clip or the channel doesn't allow one; the clip is then
   * posted as a file. A refusal that the permissions didn't predict is remembered.
   * @throws {PlatformError} `unreachable` if nobody can tell whether it's there.
   */
  async post(
    address: Address | undefined,
    clip: OutgoingFile,
    key: string,
    answered?: () => Promise<string | undefined>,
  ): Promise<MessageAddress | undefined> {
    if (!address || !(await this.#isPossible(address))) return undefined;
    const { postedMessages, media, capabilities, gateway } = this.#dependencies;
    const data = Buffer.from(await bytesOf(clip));
    const metadata = await media.voiceMetadata(data);
    if (!metadata) return undefined;
    const id = voiceKey(clip, key);
    // People don't see the name; it tells clips of the same size apart when one is searched for.
    const name = `voice-message-${nonceOf(id)}.ogg`;
    const { seconds, waveform } = metadata;
    const body = {
      flags: MessageFlags.IsVoiceMessage,
      attachments: [{ id: '0', filename: name, duration_secs: seconds, waveform }],
    };
    // Without the content type the library would call the file `application/ogg`.
    const files = [{ name, data, contentType: 'audio/ogg' }];
    const channel = channelIdOf(address);
    const post = (reply?: object) =>
      postedMessages.postOnce(channel, id, { body: { ...body, ...reply }, files });
    const mayReply = gateway.missingPermissions(channel, ['Read Message History']).length === 0;
    const repliesTo = mayReply ? await answered?.() : undefined;
    try {
      const message = await (repliesTo === undefined ? post() : asReplyTo(repliesTo, post, mayBeOfReply));
      return { ...address, message };
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof DiscordAPIError)) throw error;
      if (error instanceof PlatformError && error.kind === 'unreachable') {
        if (gateway.missingPermissions(channel, ['Read Message History']).length > 0) throw error;
        const message = await postedMessages.find(channel, id, { body, files });
        return message === undefined ? undefined : { ...address, message };
      }
      if (isVoiceRefused(error))
        await capabilities.note(this.#refusalScope(address), discordFeatures.voiceMessage, 'refused');
      return undefined;
    }
  }

  /** A message with its clip as a file: an MP3 if it can be converted, because iPhones don't play Ogg. */
  async withPlayableFile(message: Message): Promise<Message> {
    const clip = voiceClipIn(message);
    if (!clip) return message;
    const file = await this.#playable(clip);
    return { ...message, files: message.files?.map((each) => (each === clip ? file : each)) ?? [] };
  }

  async #playable(clip: OutgoingFile): Promise<OutgoingFile> {
    if (!clip.contentType.startsWith('audio/ogg')) return clip;
    const mp3 = await this.#dependencies.sounds.convert(await bytesOf(clip), 'mp3');
    if (!mp3) return clip;
    const { size: _, original: __, open: ___, ...about } = clip;
    const name = clip.name.replace(/\.\w+$/, '.mp3');
    return fileOf(mp3.bytes, { ...about, name, contentType: mp3.contentType });
  }

  async #isPossible(address: Address | undefined): Promise<boolean> {
    if (!address) return false;
    const { capabilities, gateway } = this.#dependencies;
    const channel = channelIdOf(address);
    if (gateway.missingPermissions(channel, ['Send Voice Messages']).length > 0) return false;
    const seen = await Promise.all(
      [address.workspace, channel].map((scope) => capabilities.find(scope, discordFeatures.voiceMessage)),
    );
    return !seen.includes('refused');
  }

  /** A refusal is remembered for the server, or for the channel alone if its permissions, which may be why, are unknown. */
  #refusalScope(address: Address): string {
    const channel = channelIdOf(address);
    return this.#dependencies.gateway.knowsPermissions(channel) ? address.workspace : channel;
  }
}

/** Whether a message may be refused for what it replies to: whether a voice message can be any reply isn't documented. */
function mayBeOfReply(error: unknown): boolean {
  return isHistoryMissing(error) || (refusalOf(error) === 'refused' && !isVoiceRefused(error));
}

/** Whether voice messages themselves are refused; other refusals are about the channel or the clip. */
function isVoiceRefused(error: unknown): boolean {
  return errorCode(error) === RESTJSONErrorCodes.YouCannotSendVoiceMessagesInThisChannel;
}
