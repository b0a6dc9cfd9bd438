import { createCanvas } from '@napi-rs/canvas';
import { pngChunk } from '../../../media/marks/parts.ts';

/** A picture that compresses badly, as a PNG. */
export function noise(side: number): Uint8Array {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const image = context.createImageData(side, side);
  let state = 1;
  for (let at = 0; at < image.data.length; at++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at;
    image.data[at] = at % 4 === 3 ? 255 : (state >>> 13) & 255;
  }
  context.putImageData(image, 0, 0);
  return new Uint8Array(canvas.toBuffer('image/png'));
}

/** A small picture of at least so many bytes, most of them in chunks that no viewer shows: quick to decode and encode. */
export function heavyPicture(bytes: number): Uint8Array {
  const png = Buffer.from(noise(64));
  const end = png.length - pngChunk('IEND', Buffer.alloc(0)).length;
  const hidden = pngChunk('trPe', Buffer.alloc(1024 ** 2));
  const chunks = Array<Buffer>(Math.ceil(bytes / hidden.length)).fill(hidden);
  return new Uint8Array(Buffer.concat([png.subarray(0, end), ...chunks, png.subarray(end)]));
}
