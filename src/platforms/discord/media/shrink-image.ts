import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { hasTooManyPixels, imageSize } from '../../../media/index.ts';
import type { ShrunkImage } from './media-tasks.ts';

const qualities = [90, 80];
/** Each try has so much of the sides of the one before. */
const step = 0.75;
const smallestSide = 64;
/** What is encoded has at most so many pixels, as many as the largest image of the service: 4096². */
const maxEncodedPixels = 2 ** 24;
/** A side of a WebP has at most so many pixels (its container specification). */
const maxWebpSide = 16_383;
/** What an AVIF says of its size need not be what its decoder makes of it. */
const decoded = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * Encodes an image as WebP of at most `limit` bytes: first at its own size, then smaller and smaller. Undefined
 * where it is no PNG, JPEG, GIF or WebP, has over 50 megapixels, or cannot be made so small.
 */
export async function shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
  const size = imageSize(bytes);
  if (!size || !decoded.includes(size.type) || hasTooManyPixels(size)) return undefined;
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
