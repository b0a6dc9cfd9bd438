import { fileOf } from '../../../../src/port/index.ts';
import { greyPng } from '../../../media/images.ts';

/** A PNG image: a slope from dark to light, 320 × 200. */
export const picture = fileOf(png(320, 200), {
  name: 'slope.png',
  contentType: 'image/png',
  kind: 'image',
  description: 'a slope from dark to light',
});

/** A WAV clip of two seconds: a tone that swells and fades. */
export const clip = fileOf(wav(2), {
  name: 'tone.wav',
  contentType: 'audio/wav',
  kind: 'voice',
  description: 'a tone that swells and fades',
});

function png(width: number, height: number): Uint8Array {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = Math.floor((255 * x) / width);
  }
  return greyPng(width, height, 8, rows);
}

function wav(seconds: number): Uint8Array {
  const rate = 8_000;
  const count = seconds * rate;
  const file = Buffer.alloc(44 + 2 * count);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + 2 * count, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * count, 40);
  for (let at = 0; at < count; at++) {
    const swell = Math.sin((Math.PI * at) / count);
    file.writeInt16LE(Math.round(20_000 * swell * Math.sin((2 * Math.PI * 330 * at) / rate)), 44 + 2 * at);
  }
  return file;
}
