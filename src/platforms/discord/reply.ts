import {
  type ClipFormat,
  type LiveAnswer,
  type Locale,
  type Message,
  type MessageAddress,
  OutletError,
  type Reply,
  type StreamOptions,
} from '../../port/index.ts';
import { discordWords } from '../../words/discord.ts';
import { headed, isRefusal, reasonOf } from './direct.ts';
import { type Draft, draftsOf, inPlainerForms } from './drafts.ts';
import { isModerated } from './errors.ts';
import { type LiveParts, openLive } from './live.ts';
import type { Media } from './media/index.ts';
import type { MessageNotes } from './message-notes.ts';
import { bodyOf, headedMessage, type MessageBody, maxMessageLength } from './payload.ts';
import type { Seat } from './seat.ts';
import { type VoiceMessages, voiceIn } from './voice-message.ts';

export interface ReplyParts {
  readonly voices: VoiceMessages;
  readonly media: Media;
  readonly notes: MessageNotes;
  readonly live: LiveParts;
}

/** Where and how an answer is given. */
export interface ReplyContext {
  readonly seat: Seat;
  readonly locale: Locale;
  /** The line above the first message: who asked what, or what could not be read. */
  readonly header: string | undefined;
}

/** Answers at a seat. */
export class DiscordReply implements Reply {
  readonly #parts: ReplyParts;
  readonly #seat: Seat;
  readonly #locale: Locale;
  #header: string | undefined;
  #said = 0;

  constructor(parts: ReplyParts, { seat, locale, header }: ReplyContext) {
    this.#parts = parts;
    this.#seat = seat;
    this.#locale = locale;
    this.#header = header;
  }

  async say(message: Message): Promise<MessageAddress> {
    const header = this.#header;
    const spoken = headedMessage(header, await this.#spoken(message));
    const [first, ...more] = await this.#drafts(spoken);
    let last = await this.#write(first, message.paid);
    if (header !== undefined) await this.#parts.notes.note(last.message, { header });
    this.#header = undefined;
    for (const draft of more) last = await this.#write(draft, message.paid);
    return last;
  }

  async whisper(message: Message): Promise<void> {
    for (const draft of await this.#drafts(message))
      await inPlainerForms(draft, ({ body, files }) => this.#seat.whisper(body, files));
  }

  clipFormat(): Promise<ClipFormat> {
    return this.#parts.voices.formatAt(this.#seat.voicePlace);
  }

  stream(options: StreamOptions): LiveAnswer {
    const header = this.#header;
    this.#header = undefined;
    return openLive(this.#parts.live, this.#seat, options, { locale: this.#locale, header });
  }

  #drafts(message: Message) {
    return draftsOf(message, this.#seat.uploadLimit, this.#parts.media);
  }

  /**
   * Writes in the place. What was paid for and is refused there in every form goes to the person directly, and they
   * are told so there; where only its files may be at fault, the words stay there too.
   */
  async #write(draft: Draft, paid = false): Promise<MessageAddress> {
    const name = `say ${this.#said++}`;
    try {
      return await inPlainerForms(draft, ({ body, files }) => this.#seat.write(name, body, files));
    } catch (refusal) {
      if (!paid || !isRefusal(refusal)) throw refusal;
      const { fromElsewhere } = discordWords(this.#locale);
      const there = await this.#seat.direct(name, headed(draft, fromElsewhere)).catch((error: unknown) => {
        throw error instanceof OutletError ? refusal : error;
      });
      const left = this.#leftBehind(draft, refusal);
      return this.#seat.write(`${name} elsewhere`, left, []).catch(() => there);
    }
  }

  /** What stands in the place of what went to a person directly. */
  #leftBehind({ body, files }: Draft, refusal: unknown): MessageBody {
    const sent = discordWords(this.#locale).sentDirectly(reasonOf(refusal));
    if (files.length === 0 || isModerated(refusal)) return bodyOf(sent);
    const { attachments: _, ...words } = body;
    const content = [body.content, `-# ${sent}`].filter(Boolean).join('\n');
    return content.length > maxMessageLength ? bodyOf(sent) : { ...words, content };
  }

  /** Posts a clip as a voice message where the place has those; answers what is left to be said. */
  async #spoken(message: Message): Promise<Message> {
    const voice = voiceIn(message);
    if (!voice || !(await this.#parts.voices.post(this.#seat.voicePlace, voice, this.#seat.key)))
      return message;
    const files = (message.files ?? []).filter((file) => file !== voice);
    return { ...message, text: message.text ?? voice.description, files };
  }
}
