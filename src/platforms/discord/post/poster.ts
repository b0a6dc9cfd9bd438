import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import {
  type Address,
  type Message,
  type MessageAddress,
  type OnPosted,
  PlatformError,
  type PlatformErrorKind,
  refusalOf,
} from '../../../port/index.ts';
import { errorCode, isThreadClosed, UnconfirmedError, withMissingPermissions } from '../api/errors.ts';
import {
  channelIdOf,
  type InteractionToken,
  isDirectMessage,
  splitText,
  tokenOfAddress,
} from '../api/messages.ts';
import { anyDirectMessages, inRequest, retryWithLowerLimits } from '../media/upload-limits.ts';
import { discordWords } from '../words.ts';
import {
  type MessageRequest,
  messageRequests,
  mostMessagesAt,
  requestKey,
  sendPlainerIfRefused,
} from './message-access.ts';
import { withHeader } from './message-header.ts';
import { isThreadPublic } from './places.ts';
import type { DiscordServices } from './services.ts';
import { voiceClipIn, withoutVoiceClip } from './voice-messages.ts';

/** Why direct messages accept nothing at all; a message refused for its content may be accepted in a plainer form. */
const closedKinds: readonly PlatformErrorKind[] = [
  'not-a-member',
  'gone',
  'deleted',
  'no-permission',
  'expired',
];

/** Why a channel may take a text and not its file. */
const filelessKinds: readonly (PlatformErrorKind | undefined)[] = [
  'no-permission',
  'file-not-allowed',
  'too-large',
  'refused',
];

/** What's posted, and the key under which that's done once. */
export interface Post {
  readonly message: Message;
  readonly key: string;
  /** Told of each message that it takes. */
  readonly onPosted?: OnPosted | undefined;
}

/**
 * Posts a message at an address, each key once: as the bot where it's a member, else by an interaction's token. What that
 * can't show any more its person gets as a direct message.
 */
export class Poster {
  readonly #services: DiscordServices;

  constructor(services: DiscordServices) {
    this.#services = services;
  }

  async post(address: Address, post: Post): Promise<MessageAddress> {
    const { onlyFor } = address;
    const token = tokenOfAddress(address);
    if (!token && onlyFor !== undefined && !isDirectMessage(address)) {
      const locale = await this.#services.knownLocales.of(onlyFor, post.message.text ?? '');
      return this.postDirectly({ user: onlyFor, locale, hidden: true }, post);
    }
    try {
      return await this.postAt(address, post);
    } catch (error) {
      if (!token || refusalOf(error) !== 'expired') throw error;
      return this.#postElsewhere(token, post).catch((second: unknown) => {
        // A refusal of the content leads to a plainer form; otherwise the channel's refusal is what matters.
        throw second instanceof PlatformError && closedKinds.includes(second.kind) ? error : second;
      });
    }
  }

  /** Whether a message was posted to a person directly under a key, or was about to be. */
  async isStartedDirectly(person: string, key: string): Promise<boolean> {
    const { directMessages, postedMessages } = this.#services;
    const channel = await directMessages.known(person);
    return channel !== undefined && postedMessages.isStarted(channel, key);
  }

  async directMessages(person: string): Promise<Address> {
    const channel = await this.#services.directMessages.open(person);
    return { platform: 'discord', workspace: channel, channel };
  }

  /** Bytes that one file may have at an address now. */
  async uploadLimit(address: Address): Promise<number> {
    const token = this.#liveToken(address);
    if (token) return inRequest(token.uploadLimit);
    await this.#services.gateway.learn(address);
    return this.#services.uploadLimits.limitAt(whereUploaded(address));
  }

  /** The same in anybody's direct messages. */
  directUploadLimit(): Promise<number> {
    return this.#services.uploadLimits.limitAt(anyDirectMessages);
  }

  /** Does work that uploads files at an address, with the limit for one file; again with less if Discord refuses. */
  async uploadWithin<T>(address: Address, work: (limit: number) => Promise<T>): Promise<T> {
    const token = this.#liveToken(address);
    if (token) return retryWithLowerLimits(token.uploadLimit, work);
    await this.#services.gateway.learn(address);
    return this.#services.uploadLimits.retryWithLowerLimits(whereUploaded(address), work);
  }

  /** Posts a follow-up by a token; returns its id. */
  followUp({ token, hidden }: InteractionToken, request: MessageRequest, key: string): Promise<string> {
    const { followUps } = this.#services;
    return sendPlainerIfRefused(request, (form) => followUps.post({ ...form, token, key, hidden }));
  }

  /** An error with the permissions that the bot lacks at an address. */
  withMissingPermissions(error: unknown, address: Address, { files = [] }: Message): unknown {
    if (tokenOfAddress(address)) return error;
    const { gateway } = this.#services;
    return withMissingPermissions(error, () => gateway.missingToPost(channelIdOf(address), files.length > 0));
  }

  /** Posts at an address, or in the channel of a public thread that takes no messages, which is linked then. */
  async postAt(address: Address, post: Post): Promise<MessageAddress> {
    try {
      return await this.postThere(address, post);
    } catch (error) {
      if (!isThreadClosed(error) || !this.#mayPostInParent(address)) throw error;
      const { thread, threadIsPublic: _, ...channel } = address;
      return this.#postAsBot(channel, { ...post, message: withHeader(`-# <#${thread}>`, post.message) });
    }
  }

  /**
   * Posts at an address and nowhere else: as the bot, or by its token.
   * @throws {PlatformError} `expired` where only a token could hide it from others.
   */
  async postThere(address: Address, post: Post): Promise<MessageAddress> {
    await this.#services.gateway.learn(address);
    const token = tokenOfAddress(address);
    if (token) return this.#postByToken(address, token, post);
    if (address.onlyFor !== undefined && !isDirectMessage(address)) throw new PlatformError('expired');
    try {
      return await this.#postAsBot(address, post);
    } catch (error) {
      throw this.withMissingPermissions(error, address, post.message);
    }
  }

  /** Whether a message for a thread may be posted in its channel: only if the thread is known to be public. */
  #mayPostInParent(address: Address): boolean {
    if (tokenOfAddress(address) || address.thread === undefined) return false;
    return !this.#services.gateway.isThreadOnly(address.channel) && isThreadPublic(this.#services, address);
  }

  /** A clip is posted as a voice message where those are possible, followed by its text; else as a file. */
  async #postAsBot(address: Address, post: Post): Promise<MessageAddress> {
    const { message, key, onPosted } = post;
    const { voiceMessages, postedMessages } = this.#services;
    const clip = voiceClipIn(message);
    // The clip is recorded under a key of its own.
    if (clip && isDirectMessage(address)) await postedMessages.markStarted(channelIdOf(address), key);
    const voiceMessage = clip && (await voiceMessages.post(address, clip, key));
    if (!clip || !voiceMessage)
      return this.#postParts(address, { ...post, message: await voiceMessages.withPlayableFile(message) });
    await onPosted?.(voiceMessage);
    try {
      const rest = { ...post, message: withoutVoiceClip(message, clip) };
      const { message: text, parts = [] } = await this.#postParts(address, rest);
      return { ...voiceMessage, parts: [...parts, text] };
    } catch (error) {
      // The clip, which was asked for, is there.
      if (!refusalOf(error)) throw error;
    }
    return voiceMessage;
  }

  /** The whole of a text that takes too many messages is a file; where that's refused, it takes as many as it needs. */
  async #postParts(address: Address, post: Post): Promise<MessageAddress> {
    const channel = channelIdOf(address);
    const postIn = (most: number) =>
      this.#postEach(address, post, most, (request, key) =>
        sendPlainerIfRefused(request, (form) => this.#services.postedMessages.postOnce(channel, key, form)),
      );
    const most = mostMessagesAt(address);
    try {
      return await postIn(most);
    } catch (error) {
      const { message } = post;
      const isForFile = splitText(message).length > most && !message.files?.length;
      if (!isForFile || !filelessKinds.includes(refusalOf(error))) throw error;
      return postIn(Number.POSITIVE_INFINITY);
    }
  }

  /** In at most so many messages, each as `send` does it. The last has the buttons. */
  #postEach(
    address: Address,
    { message, key, onPosted }: Post,
    most: number,
    send: (request: MessageRequest, key: string) => Promise<string>,
  ): Promise<MessageAddress> {
    return this.uploadWithin(address, async (limit) => {
      const ids: string[] = [];
      const requests = await messageRequests(message, limit, this.#services.media, { most });
      for (const [index, request] of requests.entries()) {
        const id = await send(request, requestKey(key, request, index));
        await onPosted?.({ ...address, message: id });
        ids.push(id);
      }
      const parts = ids.slice(0, -1);
      return { ...address, message: ids.at(-1) ?? '', ...(parts.length > 0 && { parts }) };
    });
  }

  /** @throws {PlatformError} `expired` if it's over, if Discord takes no follow-ups any more (10008), or it may be there. */
  async #postByToken(address: Address, token: InteractionToken, post: Post): Promise<MessageAddress> {
    if (!this.#liveToken(address)) throw new PlatformError('expired');
    const message = await this.#services.voiceMessages.withPlayableFile(post.message);
    try {
      return await this.#postEach(address, { ...post, message }, mostMessagesAt(address), (request, key) =>
        this.followUp(token, request, key),
      );
    } catch (error) {
      if (!(error instanceof UnconfirmedError) && refusalOf(error) !== 'gone') throw error;
      throw new PlatformError('expired', undefined, { cause: error });
    }
  }

  /** Posts to somebody directly what they look for elsewhere. */
  #postElsewhere(
    person: Pick<InteractionToken, 'user' | 'locale' | 'hidden'>,
    post: Post,
  ): Promise<MessageAddress> {
    const { message } = post;
    const note = person.hidden ? undefined : discordWords(person.locale).fromElsewhere;
    const text = [note, message.text].filter(Boolean).join('\n');
    return this.postDirectly(person, { ...post, message: { ...message, text } });
  }

  /** Posts to somebody directly; what they asked for privately says so. */
  async postDirectly(
    { user, locale, hidden }: Pick<InteractionToken, 'user' | 'locale' | 'hidden'>,
    post: Post,
  ): Promise<MessageAddress> {
    const { message } = post;
    const address = await this.directMessages(user);
    const note = hidden ? discordWords(locale).fromHidden : undefined;
    const text = [note, message.text].filter(Boolean).join('\n');
    const said = { ...message, ...(text !== '' && { text }) };
    try {
      return await this.#postAsBot(address, { ...post, message: said });
    } catch (error) {
      if (errorCode(error) === RESTJSONErrorCodes.CannotSendMessagesToThisUser)
        throw new PlatformError('expired');
      throw error;
    }
  }

  /** The token of an address, if it's still valid. */
  #liveToken(address: Address): InteractionToken | undefined {
    const token = tokenOfAddress(address);
    return token && this.#services.clock.now() < token.until ? token : undefined;
  }
}

/** Where the files of an address go if not by its token: an address with a token ends in direct messages. */
function whereUploaded(address: Address): Pick<Address, 'workspace' | 'channel'> {
  return tokenOfAddress(address) ? anyDirectMessages : address;
}
