import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import type { ShrunkImage } from './tasks.ts';

const qualities = [90, 80];
/** Each try has so much of the sides of the one before. */
const step = 0.75;
const smallestSide = 64;

/** Encodes an image as WebP of at most `limit` bytes: first at its own size, then smaller and smaller. */
export async function shrinkImage(bytes: Uint8Array, limit: number): Promise<ShrunkImage | undefined> {
  const image = await loadImage(bytes).catch(() => undefined);
  if (!image) return undefined;
  for (
    let scale = 1;
    image.width * scale >= smallestSide && image.height * scale >= smallestSide;
    scale *= step
  ) {
    const encoded = await encodeWithin(image, scale, limit);
    if (encoded) return { bytes: encoded, contentType: 'image/webp', extension: 'webp' };
  }
  return undefined;
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
