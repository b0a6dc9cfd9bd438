import type { ImageSize } from './image-header.ts';

/** A box of an ISO file (ISO/IEC 14496-12), with its content from `start` to `end`. */
interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Boxes that are read within one box or file: real files have a few dozen. */
const maxBoxes = 1_000;

/**
 * Size of an AVIF or HEIC: that of its largest item (property `ispe`, ISO/IEC 23008-12), because an image may consist of
 * tiles.
 */
export function heifSize(file: Buffer): ImageSize | undefined {
  const [first, ...others] = boxesOf(file, 0, file.length);
  if (first?.type !== 'ftyp') return undefined;
  const brand = file.toString('latin1', first.start, first.start + 4);
  const type = typeOf(brand);
  const meta = others.find((box) => box.type === 'meta');
  if (!type || !meta) return undefined;
  // After the version and flags of a full box.
  const properties = findBox(file, { ...meta, start: meta.start + 4 }, 'iprp');
  const list = properties && findBox(file, properties, 'ipco');
  if (!list) return undefined;
  let size: ImageSize | undefined;
  for (const { type: name, start, end } of boxesOf(file, list.start, list.end)) {
    if (name !== 'ispe' || end - start < 12) continue;
    const [width, height] = [file.readUInt32BE(start + 4), file.readUInt32BE(start + 8)];
    if (!size || width * height > size.width * size.height) size = { type, width, height };
  }
  return size;
}

function typeOf(brand: string): ImageSize['type'] | undefined {
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return ['heic', 'heix', 'heim', 'heis', 'mif1'].includes(brand) ? 'image/heic' : undefined;
}

function findBox(file: Buffer, box: Box, type: string): Box | undefined {
  return boxesOf(file, box.start, box.end).find((one) => one.type === type);
}

/** The boxes between two positions; ends at one that doesn't fit. */
function boxesOf(file: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  let at = from;
  while (at + 8 <= to && boxes.length < maxBoxes) {
    const short = file.readUInt32BE(at);
    const isLong = short === 1;
    if (isLong && at + 16 > to) break;
    const length = isLong ? Number(file.readBigUInt64BE(at + 8)) : short || to - at;
    const head = isLong ? 16 : 8;
    const end = at + length;
    if (length < head || end > to) break;
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), start: at + head, end });
    at = end;
  }
  return boxes;
}
