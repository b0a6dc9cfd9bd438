import {
  answerKey,
  type ClipFormat,
  directKey,
  type LiveAnswer,
  type LoadingRecords,
  type Locale,
  type Message,
  type MessageAddress,
  refusalOf,
  type Reply,
  type RewriteOptions,
  type StreamOptions,
} from '../../../port/index.ts';
import {
  accessTo,
  editRequest,
  type MessageRequest,
  messageRequests,
  mostMessagesAt,
  requestKey,
  sendPlainerIfRefused,
} from '../post/message-access.ts';
import { type AnswerHeaders, wholeHeader, withHeader, withSpeaker } from '../post/message-header.ts';
import type { DiscordServices } from '../post/services.ts';
import { voiceClipIn, withoutVoiceClip } from '../post/voice-messages.ts';
import { type LiveDependencies, openLiveAnswer } from './live-answer.ts';
import type { ReplyTarget } from './reply-target.ts';

interface ReplyDependencies
  extends LiveDependencies, Pick<DiscordServices, 'identity' | 'media' | 'registered' | 'voiceMessages'> {}

/** Where and how an answer is given. */
interface ReplyContext extends AnswerHeaders {
  readonly target: ReplyTarget;
  readonly locale: Locale;
}

/** The port's reply, at a Discord reply target. */
export class DiscordReply implements Reply {
  readonly #dependencies: ReplyDependencies;
  readonly #target: ReplyTarget;
  readonly #locale: Locale;
  /** The line above the next message. */
  #header: string | undefined;
  readonly #detachedHeader: string | undefined;
  #shownAbove: AnswerHeaders['shownAbove'];
  /** The lines above the messages that were said, by their ids. */
  readonly #headers = new Map<string, string>();
  /** How many messages `say` has sent. */
  #said = 0;

  constructor(dependencies: ReplyDependencies, context: ReplyContext) {
    this.#dependencies = dependencies;
    this.#target = context.target;
    this.#locale = context.locale;
    this.#header = context.header;
    this.#detachedHeader = context.detachedHeader;
    this.#shownAbove = context.shownAbove;
  }

  async say(message: Message): Promise<MessageAddress> {
    const { clip, rest: clipless } = await this.#postVoiceClip(this.#linked(message));
    this.#header = this.#headerFor(message);
    const rest = withHeader(this.#header, clipless);
    const index = this.#said++;
    this.#shownAbove = undefined;
    const sent = await this.#send(rest, async (request, part) => {
      const at = await this.#write(request, index, part);
      await this.#rememberHeader(at);
      return at;
    }).catch(async (error: unknown) => {
      // Of what somebody deleted nothing stays there.
      if (clip && refusalOf(error) === 'deleted')
        await accessTo(this.#dependencies, clip)
          .remove(clip.message)
          .catch(() => {});
      throw error;
    });
    const last = sent.at(-1) ?? sent[0];
    const others = [...(clip ? [clip] : []), ...sent.slice(0, -1)].map((at) => at.message);
    return others.length > 0 ? { ...last, parts: others } : last;
  }

  /** By what this process knows: the database may be why something else has to be said. */
  async replace(said: MessageAddress, message: Message): Promise<void> {
    const below = withHeader(this.#headers.get(said.message), this.#linked(message));
    await sendPlainerIfRefused(editRequest(below), (form) => this.#target.edit(said, form));
  }

  async whisper(message: Message): Promise<void> {
    // The whisper takes the place of the message that Discord shows as the reply to the command.
    if (this.#said === 0) this.#header ??= this.#detachedHeader;
    this.#shownAbove = undefined;
    await this.#send(this.#linked(message), (each) =>
      sendPlainerIfRefused(each, (form) => this.#target.whisper(form)),
    );
  }

  async recordLoading(records: LoadingRecords): Promise<void> {
    await this.#target.recordLoading?.(records);
  }

  async discardLoading(): Promise<void> {
    await this.#target.discard?.();
  }

  clipFormat(): Promise<ClipFormat> {
    return this.#dependencies.voiceMessages.clipFormat(this.#target.voiceAddress);
  }

  stream(options: StreamOptions): LiveAnswer {
    const unnamed = this.#header;
    const header = withSpeaker(unnamed, options.persona);
    this.#header = undefined;
    const how = { locale: this.#locale, header, unnamed };
    return openLiveAnswer(this.#dependencies, this.#target, options, how);
  }

  /** Below the line that tells who asked what, as it was. */
  async rewrite(message: MessageAddress, { isBelow, ...options }: RewriteOptions): Promise<LiveAnswer> {
    const remembered = (await this.#dependencies.rememberedMessages.find(message.message))?.header;
    const header = remembered ?? withSpeaker(undefined, options.persona);
    const target = this.#target.rewriting?.(message, isBelow === true) ?? this.#target;
    return openLiveAnswer(this.#dependencies, target, options, { locale: this.#locale, header });
  }

  #headerFor({ whose, persona }: Message): string | undefined {
    return withSpeaker((whose && wholeHeader(whose, this.#shownAbove)) ?? this.#header, persona);
  }

  #linked(message: Message): Message {
    return this.#dependencies.registered.linked(message, this.#target.address);
  }

  /** Sends a message's requests in order, each once; returns what `send` returned. */
  #send<T>(
    message: Message,
    send: (request: MessageRequest, part: number) => Promise<T>,
  ): Promise<readonly [T, ...T[]]> {
    const sent: T[] = [];
    return this.#target.uploadWithin(async (limit) => {
      const most = mostMessagesAt(this.#target.address);
      const requests = await messageRequests(message, limit, this.#dependencies.media, { most });
      for (const request of requests.slice(sent.length)) sent.push(await send(request, sent.length));
      const [first, ...more] = sent as [T, ...T[]];
      return [first, ...more] as const;
    });
  }

  /** Under the keys with which a late delivery continues, so that a message under way is posted once. */
  #write(request: MessageRequest, index: number, part: number): Promise<MessageAddress> {
    const { key: eventId } = this.#target;
    const name = {
      key: requestKey(answerKey(eventId, index), request, part),
      directKey: requestKey(directKey(eventId, index), request, part),
    };
    return sendPlainerIfRefused(request, (form) => this.#target.write(name, form));
  }

  /** The message is there: a failure to remember its header must not look as if it weren't. */
  async #rememberHeader({ message }: MessageAddress): Promise<void> {
    const header = this.#header;
    this.#header = undefined;
    if (header === undefined) return;
    this.#headers.set(message, header);
    await this.#dependencies.rememberedMessages.remember(message, { header }).catch(() => {});
  }

  /** Posts a clip as a voice message, where those are possible; returns it with the rest of the message. */
  async #postVoiceClip(
    message: Message,
  ): Promise<{ readonly clip?: MessageAddress; readonly rest: Message }> {
    const { voiceMessages } = this.#dependencies;
    const file = voiceClipIn(message);
    if (!file) return { rest: message };
    const { voiceAddress, key } = this.#target;
    const clip = await voiceMessages.post(voiceAddress, file, key, () => this.#target.answeredMessage());
    if (clip) return { clip, rest: withoutVoiceClip(message, file) };
    return { rest: await voiceMessages.withPlayableFile(message) };
  }
}
