import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { hasTooManyPixels, imageSize, markedBytes, serve } from '../../../media/index.ts';

/** The worker's order: plain data that can be sent to its thread. */
export type ShrinkTask = { readonly bytes: Uint8Array; readonly limit: number };

/** A re-encoded image. */
export type ShrunkImage = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly extension: string;
};

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
async function shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
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
    // An encoder keeps nothing but the pixels.
    const encoded = await markedBytes(await canvas.encode('webp', quality));
    if (encoded.byteLength <= limit) return new Uint8Array(encoded);
  }
  return undefined;
}

serve(({ bytes, limit }: ShrinkTask) => shrinkImage(bytes, limit));
