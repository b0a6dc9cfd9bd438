import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMotifs } from '../../../../src/sandbox/media/drawing/colors.ts';
import { paintMark, withoutMissing } from '../../../../src/sandbox/media/drawing/overlay.ts';
import { drawPicture } from '../../../../src/sandbox/media/drawing/picture.ts';
import { UnreadableReference } from '../../../../src/sandbox/media/sizes.ts';
import { MediaStudio } from '../../../../src/sandbox/media/studio.ts';

const size = { width: 320, height: 240 };
const draw = (prompt: string, references: string[] = []) => drawPicture({ prompt, ...size, references });

async function pixels(png: Uint8Array): Promise<Uint8ClampedArray> {
  const image: Image = await loadImage(Buffer.from(png));
  const pen = createCanvas(image.width, image.height).getContext('2d');
  pen.drawImage(image, 0, 0);
  return pen.getImageData(0, 0, image.width, image.height).data;
}

/** The share of pixels that differ clearly, inside the given part of the picture. */
function difference(
  a: Uint8ClampedArray,
  b: Uint8ClampedArray,
  left = 0,
  right = 1,
  top = 0,
  bottom = 1,
): number {
  let [differing, all] = [0, 0];
  for (let y = Math.floor(top * size.height); y < bottom * size.height; y++) {
    for (let x = Math.floor(left * size.width); x < right * size.width; x++) {
      const at = 4 * (y * size.width + x);
      const distance = [0, 1, 2].reduce(
        (sum, channel) => sum + Math.abs(a[at + channel]! - b[at + channel]!),
        0,
      );
      differing += distance > 30 ? 1 : 0;
      all++;
    }
  }
  return differing / all;
}

function squarePng(color: string): string {
  const pen = createCanvas(40, 40).getContext('2d');
  pen.fillStyle = color;
  pen.fillRect(0, 0, 40, 40);
  return `data:image/png;base64,${pen.canvas.toBuffer('image/png').toString('base64')}`;
}

describe('a picture', () => {
  it.each([
    [320, 240],
    [10, 10],
    [64, 2000],
    [2048, 2048],
  ])('is a PNG of %s x %s', async (width, height) => {
    const png = await drawPicture({ prompt: 'a cat by the sea', width, height });
    const view = new DataView(png.buffer);
    expect(Buffer.from(png.subarray(0, 8)).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([width, height]);
  });

  it('is the same for the same prompt', async () => {
    const [first, second] = [await draw('雪山'), await draw('雪山')];
    expect(Buffer.from(first).equals(second)).toBe(true);
  });

  it('is another one for another prompt', async () => {
    const prompts = [
      'a cat by the sea',
      'a city at night',
      'quarterly report',
      'quarterly report 2',
      '森林里的小屋',
    ];
    const drawn = await Promise.all(prompts.map(async (prompt) => pixels(await draw(prompt))));
    for (const [index, picture] of drawn.entries()) {
      for (const other of drawn.slice(index + 1)) expect(difference(picture, other)).toBeGreaterThan(0.4);
    }
  });

  it('is drawn of every world, time and subject the words can ask for', async () => {
    const worlds = 'sea mountain city forest meadow desert snow space underwater something'.split(' ');
    const times = 'dawn noon sunset night'.split(' ');
    const things =
      'cat dog fox bear panda penguin rabbit bird fish whale boat house lighthouse balloon rocket robot heart flower tree coffee person car'.split(
        ' ',
      );
    const weather = 'rain snowing petals fireflies aurora rainbow clouds'.split(' ');
    const prompts = things.map((thing, i) => `${thing} ${worlds[i % 10]} ${times[i % 4]} ${weather[i % 7]}`);
    const drawn = await Promise.all(prompts.map((prompt) => drawPicture({ prompt, ...size })));
    expect(new Set(drawn.map((png) => Buffer.from(png).toString('base64'))).size).toBe(prompts.length);
  });

  it('takes a prompt of 20000 characters', async () => {
    expect((await draw('海上的猫 '.repeat(4000))).length).toBeGreaterThan(1000);
  });

  it('carries the mark', async () => {
    const [width, height] = [800, 600];
    const picture = await pixels(await drawPicture({ prompt: 'a red sunset', width, height }));
    const pen = createCanvas(width, height).getContext('2d');
    paintMark(pen, height / 100);
    const mark = pen.getImageData(0, 0, width, height).data;
    const strokes = [...mark.keys()].filter((at) => at % 4 === 0 && mark[at]! > 250 && mark[at + 3]! > 250);
    expect(strokes.length).toBeGreaterThan(500);
    expect(strokes.every((at) => picture[at]! > 235)).toBe(true);
  });
});

describe('references', () => {
  it('that are data URLs are shown', async () => {
    const [none, red, blue] = await Promise.all(
      [[], [squarePng('#ff0000')], [squarePng('#0000ff')]].map(async (urls) =>
        pixels(await draw('a quiet sea', urls)),
      ),
    );
    expect(difference(none!, red!, 0.75, 1, 0, 0.3)).toBeGreaterThan(0.3);
    expect(difference(red!, blue!, 0.75, 1, 0, 0.3)).toBeGreaterThan(0.2);
    expect(difference(red!, blue!, 0, 0.7, 0.4, 1)).toBe(0);
  });

  it('that are addresses are named and not fetched', async () => {
    const [none, named] = await Promise.all(
      [[], ['https://nowhere.invalid/cat.png']].map(async (urls) => pixels(await draw('a quiet sea', urls))),
    );
    expect(difference(none!, named!, 0.75, 1, 0, 0.3)).toBeGreaterThan(0.3);
  });

  it.each([
    'data:image/png;base64,AAAA',
    'data:text/plain;base64,AAAA',
    'data:image/svg+xml;base64,PHN2Zy8+',
    'data:,x',
  ])('that hold no picture are refused with their place: %s', async (url) => {
    const references = [squarePng('#ffffff'), url];
    await expect(draw('a quiet sea', references)).rejects.toThrow(new UnreadableReference(1));
  });

  it('that hold no picture are refused with their place across threads', async () => {
    const studio = new MediaStudio();
    onTestFinished(() => studio.close());
    const references = [squarePng('#ffffff'), 'data:,x'];
    const error = await studio
      .draw({ prompt: 'sea', ...size, references })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnreadableReference);
    expect(error).toMatchObject({ index: 1 });
  });
});

describe('the words of a prompt', () => {
  it.each([
    ['a cat watching the sunset over the sea', { time: 'dusk', world: 'sea', subjects: ['cat'] }],
    ['夜晚的城市，下雨', { time: 'night', world: 'city', weather: ['rain'] }],
    ['森林里的一只狗', { world: 'forest', subjects: ['dog'] }],
    ['a fox in a meadow', { world: 'meadow' }],
    ['an astronaut on the beach', { world: 'sea', subjects: ['person'] }],
    ['草地上的狐狸', { world: 'meadow' }],
    ['a fox', { world: 'forest', subjects: ['fox'] }],
    ['熊猫', { world: 'forest', subjects: ['panda'] }],
    ['一只熊', { subjects: ['bear'] }],
    ['bunnies and penguins', { subjects: ['penguin', 'rabbit'] }],
    ['机器人', { subjects: ['robot'] }],
    ['烟花', { subjects: [] }],
    ['a category of scattered concatenation', { subjects: [] }],
    ['quarterly revenue', { subjects: [], weather: [] }],
  ])('%s', (prompt, motifs) => {
    expect(findMotifs(prompt)).toMatchObject(motifs);
  });
});

describe('a caption', () => {
  it('is without characters that no font has', () => {
    expect(withoutMissing('\u{10fffd}\n\ue001')).toBe('');
  });
});
