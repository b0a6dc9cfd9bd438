import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { inject } from 'vitest';
import type { Studio } from '../../../src/sandbox/index.ts';
import { readReferences } from '../../../src/sandbox/media/drawing/overlay.ts';
import type { Size } from '../../../src/sandbox/media/sizes.ts';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';

/** One for all sandboxes of a process; its threads don't keep the process alive. */
const studio = new MediaStudio();

/** What a clip of a sentence or two says instead. */
const fewWords = { text: 'Good morning, everybody.', voice: 'zh_female_vv_uranus_bigtts', language: 'zh-CN' };
const fewCharacters = 80;

/**
 * A studio for tests that don't look at the media, only at what becomes of them. What it makes is real, and made once
 * for all tests of a run: all images of a size are the same one, of a few kilobytes, all videos of a length are the same
 * small one, and all short clips of a format say the same. References must be readable, and aren't shown.
 */
export const sampleStudio: Studio = {
  speak: async ({ text, voice, language, ...sound }) => {
    const words = text.length > fewCharacters ? { text, voice, ...(language && { language }) } : fewWords;
    const order = { ...words, ...sound };
    const json = await sample({ kind: 'clip', ...order }, async () => {
      const { bytes, ...about } = await studio.speak(order);
      return Buffer.from(JSON.stringify({ ...about, base64: Buffer.from(bytes).toString('base64') }));
    });
    const { base64, ...about } = JSON.parse(json.toString()) as {
      base64: string;
      contentType: string;
      seconds: number;
    };
    return { ...about, bytes: Buffer.from(base64, 'base64') };
  },
  draw: async ({ width, height, references = [] }) => {
    await readReferences(references);
    return sample({ kind: 'image', width, height }, () => coarse({ width, height }));
  },
  film: async ({ seconds, width, height, generateAudio, references = [] }) => {
    await readReferences(references);
    const order = { prompt: 'a lighthouse', seed: 1, seconds, ...small({ width, height }), generateAudio };
    return sample({ kind: 'video', ...order }, () => studio.film(order));
  },
  close: () => {},
};

/** An image of large squares: of a few kilobytes, in whatever size. */
async function coarse(size: Size): Promise<Uint8Array> {
  const small = await loadImage(await studio.draw({ prompt: 'a lighthouse', width: 32, height: 32 }));
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, size.width, size.height);
  return canvas.toBuffer('image/png');
}

/** Pixels of a video of the same shape whose longer side is about 160. */
function small({ width, height }: Size): Size {
  const scale = Math.max(width, height) / 160;
  const even = (pixels: number) => 2 * Math.round(pixels / scale / 2);
  return { width: even(width), height: even(height) };
}

/** What is being made in this process, by name: many may ask for the same at once. */
const making = new Map<string, Promise<Buffer>>();

/** What was made of an order in this run, else what `make` makes of it now. */
function sample(order: object, make: () => Promise<Uint8Array>): Promise<Buffer> {
  const name = createHash('sha256').update(JSON.stringify(order)).digest('hex');
  const made = making.get(name) ?? madeOnce(name, make).finally(() => making.delete(name));
  making.set(name, made);
  return made;
}

async function madeOnce(name: string, make: () => Promise<Uint8Array>): Promise<Buffer> {
  const path = join(inject('samplesFolder'), name);
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const bytes = await make();
  const mine = `${path}-${randomUUID()}`;
  await writeFile(mine, bytes);
  await rename(mine, path);
  return Buffer.from(bytes);
}
