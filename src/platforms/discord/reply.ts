import type { RawFile } from 'discord.js';
import type {
  ClipFormat,
  LiveAnswer,
  Message,
  MessageAddress,
  Reply,
  StreamOptions,
} from '../../port/index.ts';
import type { Media } from './media/index.ts';
import { bodyOf, type MessageBody, textsOf } from './payload.ts';
import type { Seat } from './seat.ts';
import { uploadsOf } from './uploads.ts';
import { type VoiceMessages, voiceIn } from './voice-message.ts';

export interface ReplyParts {
  readonly voices: VoiceMessages;
  readonly media: Media;
  /** Opens an answer that grows. */
  readonly stream: (seat: Seat, options: StreamOptions) => LiveAnswer;
}

/** Answers at a seat. */
export class DiscordReply implements Reply {
  readonly #parts: ReplyParts;
  readonly #seat: Seat;
  #said = 0;

  constructor(parts: ReplyParts, seat: Seat) {
    this.#parts = parts;
    this.#seat = seat;
  }

  async say(message: Message): Promise<MessageAddress> {
    const requests = await this.#requests(await this.#spoken(message));
    let last: MessageAddress | undefined;
    for (const { body, files } of requests) last = await this.#seat.write(`say ${this.#said++}`, body, files);
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
    return this.#parts.stream(this.#seat, options);
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
