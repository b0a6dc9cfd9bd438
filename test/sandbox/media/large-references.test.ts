import { describe, expect, it } from 'vitest';
import { UnreadableReference } from '../../../src/sandbox/media/sizes.ts';
import { MediaStudio } from '../../../src/sandbox/media/studio.ts';
import { blankPng } from '../../media/images.ts';
import { startService } from '../support/service.ts';

/** The head of a PNG that says it has these sides; there is nothing behind it. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x06\0\0\0', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

const dataUrl = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;

describe('a reference with too many pixels', () => {
  it('is refused before anything is made, by its size', async () => {
    const service = await startService();
    const ask = (reference: string, more: object = {}) =>
      service.post('/images/generations', {
        prompt: 'a cat',
        reference_images: ['https://a.example/b.png', reference],
        ...more,
      });
    for (const more of [{}, { async: true }]) {
      const { status, body } = await ask(dataUrl(pngHead(30_000, 30_000)), more);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({
        code: 'invalid_parameter',
        param: 'reference_images[1]',
        message:
          'Invalid value for \'reference_images[1]\': "30000 x 30000 pixels". Allowed: a PNG, JPEG, WebP or GIF image of at most 64 megapixels.',
      });
    }
    expect((await ask(dataUrl(pngHead(8_000, 8_001)))).status).toBe(400);
    expect((await ask(dataUrl(pngHead(8_000, 8_000)))).status).toBe(200);
    expect(service.studio.drawn).toHaveLength(1);
  });

  it('is not decoded by the renderer either, nor is an image without a readable size', async () => {
    const studio = new MediaStudio();
    const draw = (reference: string) =>
      studio.draw({ prompt: 'a cat', width: 64, height: 64, references: [reference] });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const reference of [dataUrl(blankPng(8_001, 8_001)), dataUrl(svg)])
      await expect(draw(reference)).rejects.toBeInstanceOf(UnreadableReference);
    await expect(draw(dataUrl(blankPng(800, 800)))).resolves.toBeInstanceOf(Uint8Array);
    await studio.close();
  });
});
