import {
  bytesOf,
  type ClipFormat,
  fileOf,
  type Message,
  type MessageAddress,
  type OutgoingFile,
  PlatformError,
  type PlatformErrorKind,
} from '../port/index.ts';

/** Converts a clip to another format; undefined if that can't be done. */
export type ConvertSound = (
  bytes: Uint8Array,
  to: ClipFormat,
) => Promise<{ readonly bytes: Uint8Array; readonly contentType: string } | undefined>;

/** The note that a clip was too large in one format and is posted in another. */
export type TooLargeAs = (asked: string, given: string) => string;

/** Clip formats with their file extensions, best first. */
const soundFormats: Readonly<Record<ClipFormat, readonly string[]>> = {
  mp3: ['mp3'],
  opus: ['ogg', 'opus'],
  wav: ['wav'],
};

/** Refusals that another format of the file may avoid. */
export const byFormat: readonly PlatformErrorKind[] = ['file-not-allowed', 'too-large'];

/**
 * Posts a message's clip in one format after another: its own first, then others if the channel rejects the format or
 * the size.
 */
export class Formats {
  readonly #message: Message;
  readonly #convert: ConvertSound;
  readonly #say: TooLargeAs;
  /** Size of the smallest file that was too large, in bytes. */
  #tooLarge = Number.POSITIVE_INFINITY;

  constructor(message: Message, convert: ConvertSound, say: TooLargeAs) {
    this.#message = message;
    this.#convert = convert;
    this.#say = say;
  }

  /** The other formats; empty if the message has no clip. */
  get others(): readonly ClipFormat[] {
    const clip = this.#clip;
    if (!clip) return [];
    const ending = endingOf(clip);
    return (Object.keys(soundFormats) as ClipFormat[]).filter(
      (format) => !soundFormats[format].includes(ending),
    );
  }

  /** Posts the message as it is. */
  send(post: (message: Message) => Promise<MessageAddress>): Promise<MessageAddress> {
    return this.#noting(this.#message, post);
  }

  /** Posts the message, with its clip in another format if the first isn't accepted. */
  async sendAny(post: (message: Message) => Promise<MessageAddress>): Promise<MessageAddress> {
    let refusal: unknown;
    for (const format of [undefined, ...this.others]) {
      try {
        return await (format === undefined ? this.send(post) : this.sendAs(format, post));
      } catch (error) {
        if (!(error instanceof PlatformError) || !byFormat.includes(error.kind)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  /** Posts the message with its clip in another format, which must be smaller if an earlier one was too large. */
  async sendAs(
    format: ClipFormat,
    post: (message: Message) => Promise<MessageAddress>,
  ): Promise<MessageAddress> {
    const { text, unquoted } = this.#message;
    const clip = this.#clip;
    const made = clip && (await inFormat(clip, format, this.#convert));
    const wasTooLarge = this.#tooLarge < Number.POSITIVE_INFINITY;
    if (!made || made.size >= this.#tooLarge)
      throw new PlatformError(wasTooLarge ? 'too-large' : 'file-not-allowed', undefined);
    const note = wasTooLarge ? this.#say(endingOf(clip).toUpperCase(), endingOf(made).toUpperCase()) : '';
    const noted = (words: string) => [words, note].filter(Boolean).join('\n\n');
    const message = {
      ...this.#message,
      ...((text !== undefined || note) && { text: noted(text ?? '') }),
      ...(unquoted !== undefined && { unquoted: noted(unquoted) }),
      files: [made],
    };
    return this.#noting(message, post);
  }

  async #noting(message: Message, post: (message: Message) => Promise<MessageAddress>) {
    try {
      return await post(message);
    } catch (error) {
      const size = message.files?.[0]?.size;
      const isTooLarge = error instanceof PlatformError && error.kind === 'too-large';
      if (isTooLarge && size !== undefined) this.#tooLarge = Math.min(this.#tooLarge, size);
      throw error;
    }
  }

  get #clip(): OutgoingFile | undefined {
    const [file] = this.#message.files ?? [];
    return file?.kind === 'voice' || file?.kind === 'audio' ? file : undefined;
  }
}

async function inFormat(
  clip: OutgoingFile,
  format: ClipFormat,
  convert: ConvertSound,
): Promise<OutgoingFile | undefined> {
  const made = await convert(await bytesOf(clip), format);
  if (!made) return undefined;
  const { original: _, size: __, open: ___, ...about } = clip;
  const name = `${clip.name.slice(0, -endingOf(clip).length)}${soundFormats[format][0]}`;
  return fileOf(made.bytes, { ...about, name, contentType: made.contentType, kind: 'audio' });
}

const endingOf = ({ name }: OutgoingFile) => name.slice(name.lastIndexOf('.') + 1);
