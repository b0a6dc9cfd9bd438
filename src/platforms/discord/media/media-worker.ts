import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { BufferSource, EncodedPacketSink, Input, type InputAudioTrack, OGG } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { hasTooManyPixels, imageSize } from '../../../media/index.ts';

/** The worker's order: plain data that can be sent to its thread. */
export type MediaTask =
  | { readonly kind: 'shrink'; readonly bytes: Uint8Array; readonly limit: number }
  | { readonly kind: 'voice'; readonly bytes: Uint8Array };

/** A re-encoded image. */
export type ShrunkImage = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly extension: string;
};

/** The metadata of a voice message. */
export interface VoiceMetadata {
  readonly seconds: number;
  /** One byte for each part of the clip, at most 256, base64. */
  readonly waveform: string;
}

const qualities = [90, 80];
/** Each try has sides of this proportion to those of the one before. */
const step = 0.75;
const smallestSide = 64;
/** Most pixels that are encoded: those of the service's largest image, 4096². */
const maxEncodedPixels = 2 ** 24;
/** Most pixels of a WebP's side (WebP container specification). */
const maxWebpSide = 16_383;
/** Types that are decoded. AVIF isn't: its header may state another size than the decoder's. */
const decodedTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * Encodes an image as WebP of at most `limit` bytes: first at its own size, then smaller and smaller. Undefined if it
 * isn't a PNG, JPEG, GIF or WebP, has over 50 megapixels, or can't be made that small.
 */
export async function shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
  const size = imageSize(bytes);
  if (!size || !decodedTypes.includes(size.type) || hasTooManyPixels(size)) return undefined;
  const image = await loadImage(bytes).catch(() => undefined);
  if (!image) return undefined;
  for (
    let scale = firstScale(image);
    image.width * scale >= smallestSide && image.height * scale >= smallestSide;
    scale *= step
  ) {
    const encoded = await encodeWithin(image, scale, limit);
    if (encoded) return { bytes: encoded, contentType: 'image/webp', extension: 'webp' };
  }
  return undefined;
}

function firstScale({ width, height }: Image): number {
  return Math.min(1, Math.sqrt(maxEncodedPixels / (width * height)), maxWebpSide / Math.max(width, height));
}

async function encodeWithin(image: Image, scale: number, limit: number): Promise<Uint8Array | undefined> {
  const canvas = createCanvas(Math.round(image.width * scale), Math.round(image.height * scale));
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  for (const quality of qualities) {
    const encoded = await canvas.encode('webp', quality);
    if (encoded.byteLength <= limit) return new Uint8Array(encoded);
  }
  return undefined;
}

/** A waveform has at most one point per 100 ms, and 256 points (resources/message). */
const pointSeconds = 0.1;
const maxPoints = 256;
/** A stated length of more seconds is wrong. */
const maxSeconds = 6 * 3_600;

/** Length and waveform of an Ogg Opus clip, decoded packet by packet; undefined if it isn't one. */
export async function voiceMetadata(bytes: Uint8Array): Promise<VoiceMetadata | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: [OGG] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (track?.codec !== 'opus') return undefined;
    const seconds = await track.computeDuration();
    if (!(seconds > 0 && seconds < maxSeconds)) return undefined;
    return { seconds, waveform: Buffer.from(await peaks(track, seconds)).toString('base64') };
  } catch {
    // Mediabunny can't read it, so it isn't Ogg; the clip is then posted as a file.
    return undefined;
  } finally {
    input.dispose();
  }
}

/** The peak of each part of the clip, in proportion to the clip's own peak, which is 255. */
async function peaks(track: InputAudioTrack, seconds: number): Promise<Uint8Array> {
  const count = Math.min(maxPoints, Math.max(1, Math.ceil(seconds / pointSeconds)));
  const loudest = new Float32Array(count);
  const decoder = new OpusDecoder();
  await decoder.ready;
  try {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const { channelData } = decoder.decodeFrame(packet.data);
      const point = Math.min(count - 1, Math.max(0, Math.floor((packet.timestamp / seconds) * count)));
      for (const sample of channelData[0] ?? []) {
        loudest[point] = Math.max(loudest[point] ?? 0, Math.abs(sample));
      }
    }
  } finally {
    decoder.free();
  }
  const top = loudest.reduce((most, value) => Math.max(most, value), 0.01);
  return Uint8Array.from(loudest, (value) => Math.round((value / top) * 255));
}

const task = workerData as MediaTask;
const result =
  task.kind === 'shrink' ? await shrinkImage(task.bytes, task.limit) : await voiceMetadata(task.bytes);
parentPort?.postMessage(result);
