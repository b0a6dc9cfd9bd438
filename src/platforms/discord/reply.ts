import type { RawFile } from 'discord.js';
import type {
  ClipFormat,
  LiveAnswer,
  Locale,
  Message,
  MessageAddress,
  Reply,
  StreamOptions,
} from '../../port/index.ts';
import { type LiveParts, openLive } from './live.ts';
import type { Media } from './media/index.ts';
import type { MessageNotes } from './message-notes.ts';
import { bodyOf, type MessageBody, textsOf, withHeader } from './payload.ts';
import type { Seat } from './seat.ts';
import { uploadsOf } from './uploads.ts';
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
    const spoken = await this.#spoken(message);
    const requests = await this.#requests({ ...spoken, text: withHeader(header, spoken.text) });
    let last: MessageAddress | undefined;
    for (const { body, files } of requests) {
      const written = await this.#seat.write(`say ${this.#said++}`, body, files);
      if (!last && header !== undefined) await this.#parts.notes.note(written.message, { header });
      this.#header = undefined;
      last = written;
    }
    if (!last) throw new Error('a message has at least one text');
    return last;
  }

  async whisper(message: Message): Promise<void> {
    for (const { body, files } of await this.#requests(message)) {
      await this.#seat.whisper(body, files);
    }
  }

  clipFormat(): Promise<ClipFormat> {
    return this.#parts.voices.formatAt(this.#seat.voicePlace);
  }

  #requests(message: Message) {
    return requestsFor(message, this.#seat.uploadLimit, this.#parts.media);
  }

  stream(options: StreamOptions): LiveAnswer {
    const header = this.#header;
    this.#header = undefined;
    return openLive(this.#parts.live, this.#seat, options, { locale: this.#locale, header });
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

/** A message as the requests that make it: texts in order, files and buttons with the last. */
export async function requestsFor(
  message: Message,
  uploadLimit: number,
  media: Media,
): Promise<readonly { readonly body: MessageBody; readonly files: readonly RawFile[] }[]> {
  const { raw, attachments, notes } = await uploadsOf(message, uploadLimit, media);
  const text = [message.text, ...notes].filter(Boolean).join('\n');
  const texts = textsOf({ ...message, text });
  return texts.map((content, index) => {
    const mentions = index === 0 ? message.mentions : [];
    if (index < texts.length - 1) return { body: bodyOf(content, [], mentions), files: [] };
    return { body: { ...bodyOf(content, message.buttons, mentions), attachments }, files: raw };
  });
}
