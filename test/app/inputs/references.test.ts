import { text } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/app/faults/explain.ts';
import { addressesOrData } from '../../../src/app/inputs/media-options.ts';
import type { IncomingFile, PlatformAdapter } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { blankPng, heifHead } from '../../media/images.ts';

const png = createCanvas(4, 4).toBuffer('image/png');

/** What becomes of a private file that somebody gives as `reference_1`. */
async function given(bytes: Uint8Array, contentType = 'image/png'): Promise<readonly string[] | string> {
  const file: IncomingFile = { source: 'x', name: 'x', contentType, size: bytes.length };
  const adapter = { readFile: async () => bytes } as unknown as PlatformAdapter;
  try {
    const references = await addressesOrData({ reference_1: file }, 'reference', adapter);
    return Promise.all(
      references.map(async (reference) => {
        if (typeof reference === 'string') return reference;
        const address = await text(reference.read());
        expect(Buffer.byteLength(address)).toBe(reference.bytes);
        return address;
      }),
    );
  } catch (error) {
    if (error instanceof InputError) return error.sentence(words('en'));
    throw error;
  }
}

describe('an image of a person’s own', () => {
  it('goes along under the type it is of, whatever it was said to be', async () => {
    const address = `data:image/png;base64,${png.toString('base64')}`;
    expect(await given(png)).toEqual([address]);
    expect(await given(png, 'text/html')).toEqual([address]);
    expect((await given(heifHead('heic', 4_000, 3_000)))[0]).toMatch(/^data:image\/heic;base64,/);
  });

  it.each([
    ['a page', Buffer.from('<!doctype html><script>'), /isn’t an image/],
    ['an SVG', Buffer.from('<svg width="9" height="9"/>'), /isn’t an image/],
    ['nothing', Buffer.alloc(0), /isn’t an image/],
    ['an image of 256 megapixels', blankPng(16_000, 16_000), /more than 50 megapixels/],
  ])('is refused in words where it is %s', async (_, bytes, sentence) => {
    expect(await given(bytes)).toMatch(sentence);
  });
});
