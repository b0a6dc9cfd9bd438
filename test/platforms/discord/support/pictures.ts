import { createCanvas } from '@napi-rs/canvas';

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
