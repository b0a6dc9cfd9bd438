import type { RawFile } from '@discordjs/rest';
import type { Clock } from '../../../lib/clock.ts';
import { ConcurrencyLimit, runInWorker } from '../../../media/index.ts';
import {
  type Address,
  bytesOf,
  type Capabilities,
  type Message,
  type OutgoingFile,
  PlatformError,
} from '../../../port/index.ts';
import { bytesInWords } from '../../../words/index.ts';
import { discordFeatures } from '../api/errors.ts';
import { attachmentFields, type MessageBody } from '../api/messages.ts';
import { hiddenName } from './attached-files.ts';
import type { ShrinkTask, ShrunkImage } from './shrink-image.ts';
import type { VoiceMetadata } from './voice-metadata.ts';

/** The documented limit since September 2026; the API still refused it then (discord-api-docs#8572). */
const documentedUploadLimit = 20 * 1024 ** 2;
/**
 * The name in `Capabilities` of files as large as a server's boosts allow: the boosts may have ended. The live check can't
 * try it.
 */
const uploadAsBoosted = 'upload-as-boosted';
/** Direct messages all have the same limit: a refusal in one is remembered for all. */
const directMessages = 'direct messages';

/** A server, or direct messages. */
type UploadPlace = Pick<Address, 'workspace' | 'channel'>;

/** Direct messages with any person. */
export const anyDirectMessages: UploadPlace = { workspace: directMessages, channel: directMessages };

interface Limit {
  readonly bytes: number;
  /** What is remembered as refused if Discord doesn't accept that much; absent for what it accepts everywhere. */
  readonly feature?: string;
}

/**
 * How large files may be where no interaction states a limit: as a server's boosts allow, else as documented. If Discord
 * refuses (40005; nothing was posted), that is remembered, and the next lower limit is tried.
 */
export class UploadLimits {
  readonly #byBoosts: (guildId: string) => number;
  readonly #capabilities: Capabilities;

  /** `byBoosts` is a server's limit in bytes; that of direct messages for any other id. */
  constructor(byBoosts: (guildId: string) => number, capabilities: Capabilities) {
    this.#byBoosts = byBoosts;
    this.#capabilities = capabilities;
  }

  /** Bytes that one file may have there. */
  async limitAt(place: UploadPlace): Promise<number> {
    return inRequest((await this.#limitIn(place)).bytes);
  }

  /** Does work that uploads files; if they are too large for Discord, again with the next lower limit. */
  async retryWithLowerLimits<T>(place: UploadPlace, work: (limit: number) => Promise<T>): Promise<T> {
    // Read before the work: another upload may find out about the refusal meanwhile.
    const { bytes, feature } = await this.#limitIn(place);
    try {
      return await work(inRequest(bytes));
    } catch (error) {
      if (!isTooLargeForDiscord(error) || feature === undefined) throw error;
      await this.#capabilities.note(scopeOf(place), feature, 'refused');
      return this.retryWithLowerLimits(place, work);
    }
  }

  async #limitIn(place: UploadPlace): Promise<Limit> {
    const byBoosts = this.#byBoosts(place.workspace);
    if (byBoosts > defaultUploadLimit && !(await this.#isRefused(place, uploadAsBoosted)))
      return { bytes: byBoosts, feature: uploadAsBoosted };
    if (!(await this.#isRefused(place, discordFeatures.uploadOver10MiB)))
      return { bytes: documentedUploadLimit, feature: discordFeatures.uploadOver10MiB };
    return { bytes: defaultUploadLimit };
  }

  async #isRefused(place: UploadPlace, feature: string): Promise<boolean> {
    return (await this.#capabilities.find(scopeOf(place), feature)) === 'refused';
  }
}

/**
 * Does work that uploads files where an interaction states a limit; if Discord doesn't accept that much (413, 40005;
 * nothing was posted), again with the next lower documented limit. That holds for this interaction only, so it isn't
 * remembered.
 */
export async function retryWithLowerLimits<T>(
  stated: number,
  work: (limit: number) => Promise<T>,
): Promise<T> {
  try {
    return await work(inRequest(stated));
  } catch (error) {
    const lower = [documentedUploadLimit, defaultUploadLimit].find((limit) => limit < stated);
    if (!isTooLargeForDiscord(error) || lower === undefined) throw error;
    return retryWithLowerLimits(lower, work);
  }
}

/** A limit of one file, as far as a request has room for that. */
export function inRequest(limit: number): number {
  return Math.min(limit, maxRequestBytes);
}

function scopeOf({ workspace, channel }: UploadPlace): string {
  return workspace === channel ? directMessages : workspace;
}

/** Whether Discord refused a file: an error of the bot's own check has no cause. */
function isTooLargeForDiscord(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'too-large' && error.cause !== undefined;
}

/** Bytes of a file, if nothing else is known (reference, uploading files). */
export const defaultUploadLimit = 10 * 1024 ** 2;
/** Bytes of a request's files: a request may have 25 MiB, and some of it isn't files. */
const maxRequestBytes = 25 * 1024 ** 2 - 64 * 1024;
/** Bytes of an image that is re-encoded to fit. */
export const maxImageBytes = 64 * 1024 ** 2;

/** Files as a request sends them. */
interface Uploads {
  readonly raw: readonly RawFile[];
  readonly attachments: NonNullable<MessageBody['attachments']>;
  /** Lines for the end of the text: links to the originals of images that were re-encoded. */
  readonly notes: readonly string[];
}

/**
 * Reads the files of a message. An image over `limit` bytes is re-encoded, and so are several that are too large together.
 * @throws {PlatformError} `too-large` if a file doesn't fit; its detail is the limit.
 */
export async function uploadsOf(
  { files = [], spoiler }: Message,
  limit: number,
  media: MediaProcessor,
): Promise<Uploads> {
  const raw: RawFile[] = [];
  const notes: string[] = [];
  let total = 0;
  const isTooMuch = files.reduce((sum, { size }) => sum + size, 0) > maxRequestBytes;
  const share = isTooMuch ? Math.min(limit, Math.floor(maxRequestBytes / files.length)) : limit;
  for (const file of files) {
    const most = file.kind === 'image' ? share : limit;
    const fitted = file.size > most ? await shrunk(file, most, media) : undefined;
    const upload = fitted ?? { name: file.name, contentType: file.contentType, data: await bytesOf(file) };
    total += upload.data.byteLength;
    if (upload.data.byteLength > limit || total > maxRequestBytes) throw tooLarge(limit);
    if (fitted && file.original !== undefined)
      notes.push(`-# ${bytesInWords(file.size)}: <${file.original}>`);
    // Older clients know a hidden file only by its name.
    const name = spoiler && !upload.name.startsWith(hiddenName) ? `${hiddenName}${upload.name}` : upload.name;
    raw.push({ ...upload, name, data: Buffer.from(upload.data) });
  }
  const described = files.map(({ description }, index) => ({ name: raw[index]?.name ?? '', description }));
  return { raw, attachments: attachmentFields(described, spoiler), notes };
}

async function shrunk(file: OutgoingFile, limit: number, media: MediaProcessor) {
  if (file.kind !== 'image' || file.size > maxImageBytes) throw tooLarge(limit);
  const image = await media.shrinkImage(() => bytesOf(file), limit);
  if (!image) throw tooLarge(limit);
  const name = `${file.name.replace(/\.[^.]*$/, '')}.${image.extension}`;
  return { name, contentType: image.contentType, data: image.bytes };
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('too-large', bytesInWords(limit));
}

// A thread loads only what its work needs.
const shrinkScript = new URL('./shrink-image.ts', import.meta.url);
const voiceScript = new URL('./voice-metadata.ts', import.meta.url);

interface MediaProcessorDependencies {
  /** The system clock by default. */
  readonly clock?: Clock;
  readonly log: { warn(data: object, message: string): void };
  /** Files that are processed at once; 2 by default. */
  readonly limit?: number;
}

/**
 * Processes images and sound in worker threads, a few at a time and with a time limit. A file is read only when its
 * turn comes, so that waiting ones take no memory.
 */
export class MediaProcessor {
  readonly #dependencies: MediaProcessorDependencies;
  readonly #limit: ConcurrencyLimit;

  constructor(dependencies: MediaProcessorDependencies) {
    this.#dependencies = dependencies;
    this.#limit = new ConcurrencyLimit(dependencies.limit ?? 2);
  }

  /** Re-encodes an image to at most `limit` bytes; undefined if that isn't possible. */
  shrinkImage(read: () => Promise<Uint8Array>, limit: number): Promise<ShrunkImage | undefined> {
    // The memory of a large image is freed at once.
    const prepare = async (): Promise<ShrinkTask> => ({ bytes: await read(), limit });
    return this.#process(shrinkScript, prepare, { isKept: false });
  }

  /** Length and waveform of an Ogg Opus clip; undefined if it isn't one or can't be read. */
  voiceMetadata(bytes: Uint8Array): Promise<VoiceMetadata | undefined> {
    return this.#process(voiceScript, async () => ({ bytes }), { isKept: true });
  }

  #process<T>(
    script: URL,
    prepare: () => Promise<{ readonly bytes: Uint8Array }>,
    { isKept }: { readonly isKept: boolean },
  ): Promise<T | undefined> {
    const { clock, log } = this.#dependencies;
    return this.#limit.run(async () => {
      const task = await prepare();
      return runInWorker<T | undefined>(script, task, { clock, isKept }).catch((error: unknown) => {
        log.warn({ error, bytes: task.bytes.byteLength }, 'a file could not be processed');
        return undefined;
      });
    });
  }
}
