import { type Image, loadImage } from '@napi-rs/canvas';
import { maxReferencePixels, pictureSize } from '../image-size.ts';
import { UnreadableReference } from '../unreadable-reference.ts';
import { captionFont } from './caption.ts';
import type { Glyphs } from './glyphs.ts';
import type { Pen } from './stage.ts';

/** A reference to show: an image, or the name of a URL that is never fetched. */
export type Reference =
  | { readonly kind: 'picture'; readonly image: Image }
  | { readonly kind: 'link'; readonly host: string; readonly name: string };

/** Reads the references of a request. @throws UnreadableReference for the first unreadable or too large one */
export async function readReferences(urls: readonly string[]): Promise<Reference[]> {
  const references: Reference[] = [];
  for (const [index, url] of urls.entries()) {
    references.push(url.startsWith('data:') ? await decode(url, index) : link(url));
  }
  return references;
}

async function decode(url: string, index: number): Promise<Reference> {
  const [, data] = /^data:image\/(?:png|jpe?g|webp|gif);base64,([A-Za-z0-9+/=_-]+)$/.exec(url) ?? [];
  if (data === undefined) throw new UnreadableReference(index);
  const bytes = Buffer.from(data, 'base64');
  const size = pictureSize(bytes);
  if (!size || size.width * size.height > maxReferencePixels) throw new UnreadableReference(index);
  try {
    return { kind: 'picture', image: await loadImage(bytes) };
  } catch {
    throw new UnreadableReference(index);
  }
}

function link(url: string): Reference {
  const { hostname, pathname } = URL.parse(url) ?? { hostname: '', pathname: url };
  return { kind: 'link', host: hostname, name: pathname.split('/').findLast((part) => part !== '') ?? '' };
}

/** Draws the references as small framed cards in the upper right. */
export function paintReferences(
  pen: Pen,
  glyphs: Glyphs,
  references: readonly Reference[],
  width: number,
  unit: number,
): void {
  const size = unit * 16;
  const pitch = size + unit * 2.4;
  const perRow = Math.max(1, Math.floor((width - unit * 30) / pitch));
  for (const [index, reference] of references.entries()) {
    const row = Math.floor(index / perRow);
    const inRow = Math.min(perRow, references.length - row * perRow);
    const column = inRow - 1 - (index % perRow);
    pen.save();
    pen.translate(width - unit * 3.4 - size / 2 - column * pitch, unit * 3.4 + size / 2 + row * pitch);
    pen.rotate((((index * 7) % 5) - 2) * 0.018);
    paintCard(pen, glyphs, reference, size, unit);
    pen.restore();
  }
}

function paintCard(pen: Pen, glyphs: Glyphs, reference: Reference, size: number, unit: number): void {
  const inner = size - unit * 1.6;
  pen.save();
  pen.shadowColor = 'rgba(0, 0, 0, 0.45)';
  pen.shadowBlur = unit * 2;
  pen.shadowOffsetY = unit * 0.6;
  pen.fillStyle = '#fbfaf6';
  pen.beginPath();
  pen.roundRect(-size / 2, -size / 2, size, size, unit * 0.7);
  pen.fill();
  pen.restore();
  pen.beginPath();
  pen.rect(-inner / 2, -inner / 2, inner, inner);
  pen.clip();
  if (reference.kind === 'picture') paintCovering(pen, reference.image, inner);
  else paintLink(pen, glyphs, reference, inner, unit);
}

/** Fills the square with the center of the image. */
function paintCovering(pen: Pen, image: Image, side: number): void {
  const scale = side / Math.min(image.width, image.height);
  const [wide, tall] = [image.width * scale, image.height * scale];
  pen.drawImage(image, -wide / 2, -tall / 2, wide, tall);
}

function paintLink(
  pen: Pen,
  glyphs: Glyphs,
  { host, name }: { host: string; name: string },
  side: number,
  unit: number,
): void {
  pen.fillStyle = '#e4e8ef';
  pen.fillRect(-side / 2, -side / 2, side, side);
  pen.strokeStyle = '#5b6b86';
  pen.lineWidth = unit * 0.7;
  for (const shift of [-1, 1]) {
    pen.beginPath();
    pen.roundRect(shift * unit * 1.5 - unit * 2.1, -unit * 4.2, unit * 4.2, unit * 2.4, unit * 1.2);
    pen.stroke();
  }
  pen.fillStyle = '#3a475e';
  pen.textAlign = 'center';
  pen.font = `600 ${unit * 1.7}px ${captionFont}`;
  for (const [index, text] of [host, name].entries()) {
    if (glyphs.has(text)) pen.fillText(fitting(pen, text, side - unit), 0, unit * (1.6 + 2.6 * index));
  }
}

function fitting(pen: Pen, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  const characters = [...text].slice(0, 40);
  while (characters.length > 1 && pen.measureText(`${characters.join('')}…`).width > width) characters.pop();
  return `${characters.join('')}…`;
}
