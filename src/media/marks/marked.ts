import { isOfBoxes, markedFilm } from './film.ts';
import { gifMark, jpegMark, pngMark } from './images.ts';
import { type Splice, spliced } from './mark.ts';
import { joined, Pieces } from './pieces.ts';
import { wavMark, webpMark } from './riff.ts';
import { mp3Mark, oggMark } from './sound.ts';

/** Bytes of the largest image or clip that's marked: no service makes one as large. */
const largest = 64 * 2 ** 20;

/** What each type begins with, and the changes that mark it. */
const types: readonly (readonly [RegExp, (file: Buffer) => readonly Splice[]])[] = [
  [/^\x89PNG\r\n/, pngMark],
  [/^\xff\xd8\xff/, jpegMark],
  [/^GIF8/, gifMark],
  [/^RIFF[^]{4}WEBP/, webpMark],
  [/^RIFF[^]{4}WAVE/, wavMark],
  [/^OggS/, oggMark],
  // Of frames without a tag, those of AAC have another layer.
  [/^(?:ID3|\xff[\xe2-\xe7\xea-\xef\xf2-\xf7\xfa-\xff])/, mp3Mark],
];

/**
 * Marks what a model made, as machines read it: the IPTC's digital source type in the XMP of an image or a film, in the tags
 * of a clip. It costs less than a kilobyte. What has such a mark, from the service or because it passed here before, stays
 * as it is, and so does a file that can't be read: none is lost because of a mark.
 */
export async function* marked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const pieces = new Pieces(content);
  try {
    const head = await pieces.peek(16);
    const mark = types.find(([beginning]) => beginning.test(head.toString('latin1')))?.[1];
    if (isOfBoxes(head)) yield* markedFilm(pieces);
    else if (mark) yield* markedWhole(pieces, mark);
    else yield* pieces.rest();
  } finally {
    await pieces.close();
  }
}

/** Marks a file in memory; the same bytes where there's nothing to change. */
export async function markedBytes<Bytes extends Uint8Array>(
  bytes: Bytes,
): Promise<Bytes | Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  const content = (async function* () {
    yield bytes;
  })();
  for await (const piece of marked(content)) pieces.push(piece);
  const isChanged = pieces.reduce((sum, { length }) => sum + length, 0) !== bytes.length;
  return isChanged ? joined(pieces) : bytes;
}

async function* markedWhole(
  pieces: Pieces,
  mark: (file: Buffer) => readonly Splice[],
): AsyncGenerator<Buffer> {
  const file = await pieces.peek(largest + 1);
  if (file.length > largest) return yield* pieces.rest();
  yield* spliced(await pieces.take(largest), splicesOf(file, mark));
}

/** None if the file ends or is corrupt where it's read. */
function splicesOf(file: Buffer, mark: (file: Buffer) => readonly Splice[]): readonly Splice[] {
  try {
    return mark(file);
  } catch {
    return [];
  }
}
