import type { Clock } from '../../lib/clock.ts';
import { ConcurrencyLimit, MediaWorkError, runInWorker } from '../../media/index.ts';
import { speech } from '../../service-rules/limits.ts';

const worker = new URL('./worker.ts', import.meta.url);
/** Clips that are measured at once. */
const limit = new ConcurrencyLimit(2);

/**
 * No format packs a second of speech into fewer bytes (Opus needs over 30 for silence). A clip that claims to be
 * longer has a corrupt count, which would use up every budget.
 */
const leastBytesPerSecond = 16;

/**
 * The true length of a clip in seconds; undefined if it can't be determined. Rounded to a ten-thousandth, because a
 * container counts whole samples, which must not add a second. Unusual formats are measured in a worker thread.
 */
export async function clipSeconds(bytes: Uint8Array, clock?: Clock): Promise<number | undefined> {
  const seconds =
    mp3Seconds(bytes) ?? oggSeconds(bytes) ?? wavSeconds(bytes) ?? (await counted(bytes, clock));
  const isTrue = seconds !== undefined && seconds <= bytes.length / leastBytesPerSecond;
  return isTrue ? Math.round(seconds * 10_000) / 10_000 : undefined;
}

async function counted(bytes: Uint8Array, clock: Clock | undefined): Promise<number | undefined> {
  try {
    return await limit.run(() => runInWorker<number | undefined>(worker, { bytes }, { clock }));
  } catch (error) {
    if (error instanceof MediaWorkError) return undefined;
    throw error;
  }
}

/** Sample rates by MPEG version (the header's two bits) and index; zero if undefined by the standard. */
const sampleRates: Readonly<Record<number, readonly number[]>> = {
  0: [11_025, 12_000, 8_000],
  2: [22_050, 24_000, 16_000],
  3: [44_100, 48_000, 32_000],
};
const mpeg1 = 3;
const layer3 = 1;
/** Optional fields between `Xing` or `Info` with its flags and the encoder's tag: flag bits, lengths in bytes. */
const fields = [
  [1, 4],
  [2, 4],
  [4, 100],
  [8, 4],
] as const;
/** Offset in an encoder's tag of the amount of silence it added. */
const silenceAt = 21;

/**
 * The length of an MP3 whose first frame has a frame count: the recording without the silence that encoders add
 * before and after it. Undefined if it isn't an MP3 or has no count.
 */
export function mp3Seconds(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = afterId3(view);
  const frame = frameAt(view, start);
  if (!frame) return undefined;
  const count = start + frame.countAt;
  if (count + 12 > view.byteLength) return undefined;
  const word = String.fromCharCode(...bytes.subarray(count, count + 4));
  const hasCount = (view.getUint32(count + 4) & 1) === 1;
  const frames = view.getUint32(count + 8);
  // Zero was never filled in: what's streamed is sent before its end.
  if ((word !== 'Xing' && word !== 'Info') || !hasCount || frames === 0) return undefined;
  const samples = frames * frame.samples - addedSilence(view, count);
  return Math.max(0, samples) / frame.rate;
}

function frameAt(view: DataView, start: number) {
  if (start + 4 > view.byteLength) return undefined;
  const header = view.getUint32(start);
  const version = (header >>> 19) & 3;
  const rate = sampleRates[version]?.[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== layer3 || rate === undefined) return undefined;
  const mono = ((header >>> 6) & 3) === 3;
  const sideInfo = version === mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return { rate, samples: version === mpeg1 ? 1_152 : 576, countAt: 4 + sideInfo };
}

function addedSilence(view: DataView, count: number): number {
  const flags = view.getUint32(count + 4);
  const tag = fields.reduce((end, [bit, bytes]) => end + (flags & bit ? bytes : 0), count + 8);
  const at = tag + silenceAt;
  if (at + 3 > view.byteLength || view.getUint8(tag) === 0) return 0;
  const both = (view.getUint8(at) << 16) | (view.getUint8(at + 1) << 8) | view.getUint8(at + 2);
  return (both >>> 12) + (both & 0xfff);
}

/** Start of the audio: after a tag with title and artist, if present. */
function afterId3(view: DataView): number {
  if (view.byteLength < 10 || view.getUint16(0) !== 0x4944 || view.getUint8(2) !== 0x33) return 0;
  const length = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | (view.getUint8(at) & 0x7f), 0);
  return 10 + length;
}

/** Opus samples are counted at this rate, regardless of the recording's (RFC 7845, section 4). */
const rate = 48_000;
const pageHead = 27;
/** The largest possible page: its header, its segment table, and 255 segments of 255 bytes. */
const maxPage = pageHead + 255 + 255 * 255;

/**
 * The length of an Ogg Opus clip, from the sample count on its last page (RFC 7845, section 4.3) minus the samples
 * that aren't played. Undefined if it isn't Ogg Opus, or has more than one stream.
 */
export function oggSeconds(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = pageHead + 1;
  const isOpus =
    file.length > head + 12 && isPage(file, 0) && file.toString('latin1', head, head + 8) === 'OpusHead';
  if (!isOpus) return undefined;
  const last = lastPage(file);
  if (last === undefined) return undefined;
  const isOne = file.readUInt32LE(last + 14) === file.readUInt32LE(14);
  const samples = Number(file.readBigInt64LE(last + 6)) - file.readUInt16LE(head + 10);
  return isOne && samples > 0 ? samples / rate : undefined;
}

function isPage(file: Buffer, at: number): boolean {
  return file.toString('latin1', at, at + 4) === 'OggS';
}

/** Start of the page that is marked as the last and ends the file. */
function lastPage(file: Buffer): number | undefined {
  for (
    let at = file.lastIndexOf('OggS');
    at > 0 && at > file.length - maxPage;
    at = file.lastIndexOf('OggS', at - 1)
  ) {
    if (at + pageHead > file.length) continue;
    const segments = file.subarray(at + pageHead, at + pageHead + file.readUInt8(at + 26));
    const content = segments.reduce((sum, length) => sum + length, 0);
    const isLast = (file.readUInt8(at + 5) & 4) !== 0;
    if (at + pageHead + segments.length + content === file.length) return isLast ? at : undefined;
  }
  return undefined;
}

/** Bytes of a file's head, and of a chunk's: its name and its size. */
const fileHead = 12;
const chunkHead = 8;
/** Most chunks before the sound that are looked at here: a file may consist of empty ones. */
const mostChunks = 1_000;
/** Bytes of `fmt ` up to the byte rate. */
const rateEnd = 12;

/**
 * The length of a WAV from its byte rate and the size of its sound; where that's zero in a file that is longer than it
 * says, it was streamed, and sounds to its end. Undefined if it isn't a WAV, or is one whose sizes don't fit the file.
 */
export function wavSeconds(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nameAt = (at: number) => file.toString('latin1', at, at + 4);
  if (nameAt(0) !== 'RIFF' || nameAt(8) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let [at, chunks] = [fileHead, 0]; at + chunkHead <= file.length && chunks < mostChunks; chunks++) {
    const size = file.readUInt32LE(at + 4);
    const content = at + chunkHead;
    if (content + size > file.length) return undefined;
    if (nameAt(at) === 'fmt ' && size >= rateEnd) bytesPerSecond = file.readUInt32LE(content + 8);
    if (nameAt(at) === 'data') {
      const isStreamed = size === 0 && file.readUInt32LE(4) + chunkHead < file.length;
      const sound = isStreamed ? file.length - content : size;
      return bytesPerSecond > 0 && sound > 0 ? sound / bytesPerSecond : undefined;
    }
    // Chunks begin at even offsets.
    at = content + size + (size % 2);
  }
  return undefined;
}

/** Minimum and maximum expected length, in seconds. */
export interface SecondsRange {
  readonly low: number;
  readonly high: number;
}

/** Characters per second at speed 1, from measured narration: ideographs are syllables, letters aren't. */
const rates = { ideographs: { slow: 3, fast: 6 }, letters: { slow: 9, fast: 20 } };
/** Letters that a spoken digit counts as; in Chinese it is a syllable. */
const lettersOfDigit = 5;

/** A word that is spelled out, like "www", "W" and "USA"; a letter's name takes as long as a digit. */
const spelled =
  /(?<!\p{L})(?:\p{L}|[bcdfghjklmnpqrstvwxz]+|[BCDFGHJKLMNPQRSTVWXZ]+|[A-Z]{2,6}|[Ａ-Ｚａ-ｚ]+)(?!\p{L})/gu;
/** Symbols that are spoken by name, such as "%", an emoji or 𝕳, and the number of letters they count as. */
const sign = /[\p{Symbol}\u{1D400}-\u{1D7FF}%&@#*/\\§]/gu;
const lettersOfSign = 15;
/** Pauses in speech, and the number of letters they count as; a dot within a word is spoken. */
const pause = /(?:[.!?:;。！？：；…]|\n)+/gu;
const lettersOfPause = 6;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const digit = /\p{Number}/u;

/**
 * Estimates how long a text's narration will be, from its length, its scripts, the speed and the language. The
 * service bills the actual seconds; until then this is all there is. Budgets check the upper end, so it must also
 * hold for texts that are short to write and long to say.
 */
export function speechSeconds(
  text: string,
  {
    speed = speech.speed.default,
    language,
  }: { readonly speed?: number | undefined; readonly language?: string | undefined } = {},
): SecondsRange {
  let ideographs = 0;
  let letters = 0;
  const digitsAreSyllables = language === undefined ? ideograph.test(text) : language.startsWith('zh');
  for (const character of text) {
    if (ideograph.test(character)) ideographs++;
    else if (!digit.test(character)) letters++;
    else if (digitsAreSyllables) ideographs++;
    else letters += lettersOfDigit;
  }
  const at = (pace: 'slow' | 'fast', more: number) =>
    (ideographs / rates.ideographs[pace] + (letters + more) / rates.letters[pace]) / speed;
  return { low: at('fast', 0), high: at('slow', unwritten(text)) };
}

/** Maximum number of letters that are spoken but not written. */
function unwritten(text: string): number {
  const spelledLetters = text.match(spelled)?.reduce((sum, word) => sum + word.length, 0) ?? 0;
  const signs = text.match(sign)?.length ?? 0;
  const pauses = text.match(pause)?.length ?? 0;
  return spelledLetters * (lettersOfDigit - 1) + signs * lettersOfSign + pauses * lettersOfPause;
}
