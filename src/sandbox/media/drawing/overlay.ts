import { createCanvas, type Image, loadImage, Path2D } from '@napi-rs/canvas';
import { memoize } from '../../../lib/bounded-map.ts';
import { imageSize } from '../../../media/index.ts';
import { type Size, tooManyPixels, UnreadableReference } from '../sizes.ts';
import { type Pen, vertical } from './stage.ts';

/** A reference to show: an image, or the name of a URL that is never fetched. */
export type Reference = Image | { readonly host: string; readonly name: string };

/** Reads the references of a request. @throws UnreadableReference for the first unreadable or too large one */
export function readReferences(urls: readonly string[]): Promise<Reference[]> {
  return Promise.all(
    urls.map((url, index) => {
      if (url.startsWith('data:')) return decode(url, index);
      const { hostname, pathname } = URL.parse(url) ?? { hostname: '', pathname: url };
      return { host: hostname, name: pathname.split('/').findLast((part) => part !== '') ?? '' };
    }),
  );
}

async function decode(url: string, index: number): Promise<Image> {
  const [, data] = /^data:image\/(?:png|jpe?g|webp|gif);base64,([A-Za-z0-9+/=_-]+)$/.exec(url) ?? [];
  const bytes = Buffer.from(data ?? '', 'base64');
  const size = imageSize(bytes);
  if (!size || tooManyPixels(size)) throw new UnreadableReference(index);
  return loadImage(bytes).catch(() => {
    throw new UnreadableReference(index);
  });
}

interface Top extends Size {
  readonly prompt: string;
  readonly references: readonly Reference[];
}

/** Paints what lies over every image and frame: vignette, caption, references, and the word SANDBOX. */
export function paintTop(pen: Pen, { prompt, width, height, references }: Top): void {
  const unit = Math.min(width, height) / 100;
  const radius = Math.hypot(width, height) / 2;
  const [x, y] = [width / 2, height / 2];
  const vignette = pen.createRadialGradient(x, y, radius * 0.62, x, y, radius);
  vignette.addColorStop(0, 'rgba(0, 0, 0, 0)');
  vignette.addColorStop(1, 'rgba(0, 0, 0, 0.28)');
  pen.fillStyle = vignette;
  pen.fillRect(0, 0, width, height);
  const caption = withoutMissing(prompt.slice(0, longestCaption));
  if (caption !== '') paintCaption(pen, caption, width, height, unit);
  paintReferences(pen, references, width, unit);
  paintMark(pen, unit);
}

/** Preferred fonts; the canvas falls back to any installed font that has a character. */
const fonts = '"Inter", "Helvetica Neue", "Liberation Sans", "DejaVu Sans", "Noto Sans", sans-serif';
const captionLines = 2;
/** Characters of the prompt considered; more than two lines can hold. */
const longestCaption = 400;

/** Writes the prompt at the bottom of the image, on a dark band. */
function paintCaption(pen: Pen, text: string, width: number, height: number, unit: number): void {
  const size = unit * 3.5;
  pen.font = `600 ${size}px ${fonts}`;
  const lines = wrap(text, (line) => pen.measureText(line).width <= width - unit * 8);
  const top = height - unit * 3.6 - size * 1.3 * lines.length;
  const shades = ['rgba(4, 6, 14, 0)', 'rgba(4, 6, 14, 0.42)', 'rgba(4, 6, 14, 0.62)'];
  pen.fillStyle = vertical(pen, top - unit * 9, height, shades);
  pen.fillRect(0, top - unit * 9, width, height - top + unit * 9);
  pen.fillStyle = '#ffffff';
  for (const [index, line] of lines.entries()) pen.fillText(line, unit * 4, top + size * (1.3 * index + 1));
}

/** Wraps at words or between Chinese characters; text that doesn't fit ends in an ellipsis. */
function wrap(text: string, fits: (line: string) => boolean): string[] {
  const lines = [''];
  for (const { segment } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)) {
    const line = lines.at(-1) ?? '';
    if (line === '' || fits(line + segment.trimEnd())) lines.splice(-1, 1, line + segment);
    else lines.push(segment.trimStart());
  }
  return lines.slice(0, captionLines).map((line, index) => {
    const isCut = index === captionLines - 1 && lines.length > captionLines;
    return isCut || !fits(line.trimEnd()) ? shortened(line, fits) : line.trimEnd();
  });
}

function shortened(line: string, fits: (line: string) => boolean): string {
  const characters = [...line];
  while (characters.length > 0 && !fits(`${characters.join('')}…`)) characters.pop();
  return `${characters.join('').replace(/(?<![\s,.;:，。；：、])[\s,.;:，。；：、]+$/u, '')}…`;
}

/** A text on one line without the characters that no installed font has. */
export function withoutMissing(text: string): string {
  const pen = createCanvas(48, 48).getContext('2d');
  pen.font = `24px ${fonts}`;
  const drawn = (character: string) => {
    pen.clearRect(0, 0, 48, 48);
    pen.fillText(character, 12, 36);
    return Buffer.from(pen.getImageData(0, 0, 48, 48).data.buffer);
  };
  const blank = drawn(' ');
  // A code point that no font has shows how a missing character is drawn.
  const missing = drawn('\u{10fffe}');
  const isShown = memoize(longestCaption, (character) => {
    const picture = drawn(character);
    return !picture.equals(missing) && !picture.equals(blank);
  });
  // Spaces, accents and joiners have no picture of their own.
  const has = (character: string) => /[\s\p{M}\p{Cf}]/u.test(character) || isShown(character);
  const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    text.replace(/[\s\p{Cc}]+/gu, ' '),
  );
  const shown = [...clusters].filter(({ segment }) => [...segment].every(has));
  return shown
    .map(({ segment }) => segment)
    .join('')
    .replace(/ +/g, ' ')
    .trim();
}

/** Draws the references as small cards in the upper right, row by row. */
function paintReferences(pen: Pen, references: readonly Reference[], width: number, unit: number): void {
  const size = unit * 17;
  const pitch = size + unit * 2;
  const perRow = Math.max(1, Math.floor((width - unit * 30) / pitch));
  for (const [index, reference] of references.entries()) {
    pen.save();
    const x = width - unit * 3 - size - (index % perRow) * pitch;
    pen.translate(x, unit * 3 + Math.floor(index / perRow) * pitch);
    const card = new Path2D();
    card.roundRect(0, 0, size, size, unit * 1.4);
    pen.fillStyle = '#e4e8ef';
    pen.fill(card);
    pen.save();
    pen.clip(card);
    if ('host' in reference) paintLink(pen, reference, size, unit);
    else {
      const scale = size / Math.min(reference.width, reference.height);
      const [wide, tall] = [reference.width * scale, reference.height * scale];
      pen.drawImage(reference, (size - wide) / 2, (size - tall) / 2, wide, tall);
    }
    pen.restore();
    pen.lineWidth = unit * 0.9;
    pen.strokeStyle = '#fbfaf6';
    pen.stroke(card);
    pen.restore();
  }
}

/** Two links of a chain, and below them host and name. */
function paintLink(pen: Pen, { host, name }: { host: string; name: string }, size: number, unit: number) {
  pen.lineWidth = unit * 0.7;
  pen.strokeStyle = '#5b6b86';
  for (const left of [4.9, 7.9]) {
    pen.beginPath();
    pen.roundRect(unit * left, unit * 4, unit * 4.2, unit * 2.4, unit * 1.2);
    pen.stroke();
  }
  pen.fillStyle = '#3a475e';
  pen.textAlign = 'center';
  pen.font = `600 ${unit * 1.7}px ${fonts}`;
  for (const [index, text] of [host, name].entries())
    pen.fillText(withoutMissing(text).slice(0, 24), size / 2, unit * (9.6 + 2.6 * index), size - unit * 2);
}

/** The word SANDBOX as strokes on a grid six high, for machines without fonts. */
const mark = new Path2D(
  'M4 .6 3.2 0H.8L0 .8V2.1L.8 3H3.2L4 3.9V5.2L3.2 6H.8L0 5.4' +
    'M6 6 8 0 10 6M6.8 4H9.2' +
    'M12 6V0L16 6V0' +
    'M18 0V6H20.4L22 4.6V1.4L20.4 0Z' +
    'M24 3V0H26.8L27.8 .8V2.2L26.8 3H24V6H27L28 5.1V3.9L27 3' +
    'M31 0H33L34 1.2V4.8L33 6H31L30 4.8V1.2Z' +
    'M36 0 40 6M40 0 36 6',
);
const markWidth = 40;

/** Draws the mark in the upper left corner; `unit` is 1 % of the shorter side. */
export function paintMark(pen: Pen, unit: number): void {
  const scale = unit * 0.44;
  pen.save();
  pen.translate(unit * 3, unit * 3);
  pen.beginPath();
  pen.roundRect(0, 0, markWidth * scale + unit * 3.8, 6 * scale + unit * 3, unit * 1.4);
  pen.fillStyle = 'rgba(8, 10, 18, 0.62)';
  pen.fill();
  pen.translate(unit * 1.9, unit * 1.5);
  pen.scale(scale, scale);
  pen.lineWidth = 1.05;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.strokeStyle = '#ffffff';
  pen.stroke(mark);
  pen.restore();
}
