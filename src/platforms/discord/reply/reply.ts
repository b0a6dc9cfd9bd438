import {
  answerKey,
  type ClipFormat,
  directKey,
  type LiveAnswer,
  type Locale,
  type Message,
  type MessageAddress,
  type Reply,
  type StreamOptions,
} from '../../../port/index.ts';
import { withHeader } from '../api/message-body.ts';
import { type MessageRequest, messageRequests, sendPlainerIfRefused } from '../api/message-requests.ts';
import type { MediaProcessor } from '../media/media-processor.ts';
import { partKey } from '../post/posted-messages.ts';
import type { RememberedMessages } from '../post/remembered-messages.ts';
import { type VoiceMessages, voiceClipIn, withoutVoiceClip } from '../post/voice-messages.ts';
import type { AnswerHeaders } from './header.ts';
import { type LiveDependencies, openLiveAnswer } from './live-answer.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface ReplyDependencies {
  readonly voices: VoiceMessages;
  readonly media: MediaProcessor;
  readonly notes: RememberedMessages;
  readonly live: LiveDependencies;
}

/** Where and how an answer is given. */
export interface ReplyContext extends AnswerHeaders {
  readonly target: ReplyTarget;
  readonly locale: Locale;
}

/** Answers at a seat. */
export class DiscordReply implements Reply {
  readonly #dependencies: ReplyDependencies;
  readonly #target: ReplyTarget;
  readonly #locale: Locale;
  #header: string | undefined;
  readonly #detachedHeader: string | undefined;
  #said = 0;

  constructor(dependencies: ReplyDependencies, { target, locale, header, detachedHeader }: ReplyContext) {
    this.#dependencies = dependencies;
    this.#target = target;
    this.#locale = locale;
    this.#header = header;
    this.#detachedHeader = detachedHeader;
  }

  async say(message: Message): Promise<MessageAddress> {
    const spoken = withHeader(this.#header, await this.#spoken(message));
    const index = this.#said++;
    const sent = await this.#each(spoken, async (draft, part) => {
      const at = await this.#write(draft, index, part);
      // People have it: that this can't be written down must not look as if they hadn't.
      if (this.#header !== undefined)
        await this.#dependencies.notes.remember(at.message, { header: this.#header }).catch(() => {});
      this.#header = undefined;
      return at;
    });
    return sent.at(-1) ?? sent[0];
  }

  async whisper(message: Message): Promise<void> {
    // It takes the place of the message that Discord shows under the command.
    if (this.#said === 0) this.#header ??= this.#detachedHeader;
    const whispered = ({ body, files }: MessageRequest) => this.#target.whisper(body, files);
    await this.#each(message, (draft) => sendPlainerIfRefused(draft, whispered));
  }

  clipFormat(): Promise<ClipFormat> {
    return this.#dependencies.voices.clipFormat(this.#target.voiceAddress);
  }

  stream(options: StreamOptions): LiveAnswer {
    const header = this.#header;
    this.#header = undefined;
    return openLiveAnswer(this.#dependencies.live, this.#target, options, { locale: this.#locale, header });
  }

  /** Sends a message's drafts in order, each once; answers what `send` answered. */
  #each<T>(
    message: Message,
    send: (draft: MessageRequest, index: number) => Promise<T>,
  ): Promise<readonly [T, ...T[]]> {
    const sent: T[] = [];
    return this.#target.uploadWithin(async (limit) => {
      const [first, ...more] = await messageRequests(message, limit, this.#dependencies.media);
      for (const draft of [first, ...more].slice(sent.length)) sent.push(await send(draft, sent.length));
      const [head, ...tail] = sent as [T, ...T[]];
      return [head, ...tail] as const;
    });
  }

  /** Under the keys by which a late delivery goes on with it: what was on its way then comes once. */
  #write(draft: MessageRequest, index: number, part: number): Promise<MessageAddress> {
    const { key: eventId } = this.#target;
    const name = {
      key: partKey(answerKey(eventId, index), part),
      directKey: partKey(directKey(eventId, index), part),
    };
    return sendPlainerIfRefused(draft, ({ body, files }) => this.#target.write(name, body, files));
  }

  /** Posts a clip as a voice message where the place has those; answers what is left to be said. */
  async #spoken(message: Message): Promise<Message> {
    const { voices } = this.#dependencies;
    const voice = voiceClipIn(message);
    if (!voice) return message;
    const posted = await voices.post(this.#target.voiceAddress, voice, this.#target.key);
    return posted ? withoutVoiceClip(message, voice) : voices.withPlayableFile(message);
  }
}
