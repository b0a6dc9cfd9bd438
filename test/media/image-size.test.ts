import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { hasTooManyPixels, imageSize } from '../../src/media/index.ts';
import { blankPng, gif, heifHead, jpegHead, lyingJpeg } from './images.ts';

const drawn = (type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/avif', width = 37, height = 21) =>
  createCanvas(width, height).toBuffer(type as 'image/png');

describe('the header of an image', () => {
  it.each(['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const)('states its size: %s', (type) => {
    expect(imageSize(drawn(type))).toEqual({ type, width: 37, height: 21 });
    expect(imageSize(drawn(type, 1_500, 3))).toEqual({ type, width: 1_500, height: 3 });
  });

  it.each([
    ['a blank PNG', blankPng(16_000, 16_000), 'image/png', 16_000, 16_000],
    ['a GIF', gif([320, 200], [320, 200]), 'image/gif', 320, 200],
    [
      'a GIF whose picture is larger than its screen',
      gif([1, 1], [60_000, 50_000]),
      'image/gif',
      60_000,
      50_000,
    ],
    ['a JPEG with a preview in it', jpegHead(16_000, 12_000, 0xc0), 'image/jpeg', 16_000, 12_000],
    ['a progressive JPEG', jpegHead(16_000, 12_000, 0xc2), 'image/jpeg', 16_000, 12_000],
    ['a lossless JPEG', jpegHead(16_000, 12_000, 0xc3), 'image/jpeg', 16_000, 12_000],
    ['an arithmetic JPEG', jpegHead(16_000, 12_000, 0xc9), 'image/jpeg', 16_000, 12_000],
    ['an AVIF of tiles', heifHead('avif', 20_000, 10_000), 'image/avif', 20_000, 10_000],
    ['a HEIC of tiles', heifHead('heic', 4_032, 3_024), 'image/heic', 4_032, 3_024],
  ])('is the size of %s', (_, bytes, type, width, height) => {
    expect(imageSize(bytes)).toEqual({ type, width, height });
  });

  it.each([0x01, 0xd0, 0xd7, 0x00])(
    'is never smaller than what a decoder makes of a JPEG: marker %i has no length',
    async (marker) => {
      const lie = lyingJpeg(drawn('image/jpeg', 300, 200), marker);
      expect(await loadImage(lie)).toMatchObject({ width: 300, height: 200 });
      expect(imageSize(lie)).toEqual({ type: 'image/jpeg', width: 300, height: 200 });
    },
  );

  it.each([
    ['markers', 'ffd8ff', 'd0ff', 'c000110800090007'],
    ['segments', 'ffd8', 'ffe00002', 'ffc000110800090007'],
    ['extensions', Buffer.from('GIF89a\0\0\0\0\0\0\0').toString('hex'), '21ff00', '2c0000000007000900'],
  ])('is given up after thousands of %s, which no real file has', (_, start, piece, frame) => {
    const sizeAfter = (count: number) => imageSize(Buffer.from(start + piece.repeat(count) + frame, 'hex'));
    expect(sizeAfter(100)).toMatchObject({ width: 7, height: 9 });
    expect(sizeAfter(5_000)).toBeUndefined();
  });

  it('is undefined if it ends too early, anywhere, and never an error', () => {
    const whole = [drawn('image/png'), drawn('image/jpeg'), drawn('image/webp'), drawn('image/avif')];
    for (const bytes of [...whole, gif([9, 9], [9, 9]), jpegHead(9, 9, 0xc2), heifHead('heic', 9, 9)]) {
      const told = imageSize(bytes);
      for (let end = 0; end < bytes.length; end++) {
        expect([undefined, told]).toContainEqual(imageSize(bytes.subarray(0, end)));
      }
    }
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"/>')],
    ['a page', Buffer.from('<!doctype html>')],
    ['a film', Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom')],
    ['nothing', Buffer.alloc(0)],
    [
      'a PNG whose head is not first',
      Buffer.concat([blankPng(1, 1).subarray(0, 8), blankPng(1, 1).subarray(33)]),
    ],
    ['an image without pixels', jpegHead(0, 0, 0xc0)],
  ])('is nothing for %s', (_, bytes) => {
    expect(imageSize(bytes)).toBeUndefined();
  });

  it('says which images are not decoded', () => {
    expect(hasTooManyPixels({ type: 'image/png', width: 10_000, height: 5_000 })).toBe(false);
    expect(hasTooManyPixels({ type: 'image/png', width: 10_000, height: 5_001 })).toBe(true);
    expect(hasTooManyPixels({ type: 'image/png', width: 2 ** 32 - 1, height: 2 ** 32 - 1 })).toBe(true);
  });
});
