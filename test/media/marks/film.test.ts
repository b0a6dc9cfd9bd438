import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { marked, markedBytes } from '../../../src/media/index.ts';
import { sampleStudio } from '../../e2e/support/sample-studio.ts';
import { box, packetOf, withAfter } from './parts.ts';
import { madeByModel, metadataOf, sourceTypeOf } from './read.ts';

const film = Buffer.from(
  await sampleStudio.film({
    prompt: 'a lighthouse',
    seed: 1,
    seconds: 4,
    width: 160,
    height: 90,
    generateAudio: true,
  }),
);
const typeBox = film.subarray(0, film.readUInt32BE(0));
const xmpBox = (packet: Buffer) => uuidBox('be7acfcb97a942e89c71999491e3afac', packet);
const manifestBox = (text: string) =>
  uuidBox('d8fec3d61b0e483c92975828877ec481', Buffer.from(`jumbc2pa ${text}`));

function uuidBox(id: string, data: Buffer): Buffer {
  return box('uuid', Buffer.concat([Buffer.from(id, 'hex'), data]));
}

/** Something at the end moves no picture. */
function withAtEnd(extra: Buffer): Buffer {
  return Buffer.concat([film, extra]);
}

/** Length and pictures of a film, as a player reads them. */
async function playedOf(bytes: Uint8Array): Promise<unknown> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const pictures: string[] = [];
  if (track)
    for await (const { data } of new EncodedPacketSink(track).packets())
      pictures.push(Buffer.from(data).toString('base64'));
  return { seconds: await input.computeDuration(), pictures };
}

describe('a film', () => {
  it('gets a mark of under a kilobyte, once, and plays as it did', async () => {
    const played = (await playedOf(film)) as { pictures: string[] };
    expect(played.pictures.length).toBeGreaterThan(24);
    expect(await sourceTypeOf(film)).toBeUndefined();
    const made = await markedBytes(film);
    expect(await sourceTypeOf(made)).toBe(madeByModel);
    expect(made.length - film.length).toBeLessThan(1_024);
    expect(await playedOf(made)).toEqual(played);
    expect(await markedBytes(made)).toBe(made);
  });

  it('is marked alike in pieces of any size, and passes on what comes', async () => {
    const whole = Buffer.from(await markedBytes(film));
    for (const size of [5, 4_096]) {
      const made: Buffer[] = [];
      for await (const piece of marked(piecesOf(film, size))) made.push(piece);
      expect(Buffer.concat(made)).toEqual(whole);
    }
    let taken = 0;
    const endless = (async function* () {
      yield Buffer.concat([typeBox, Buffer.from([0x10, 0, 0, 0]), Buffer.from('mdat')]);
      for (; ; taken += 1) yield Buffer.alloc(65_536);
    })();
    const passing = marked(endless);
    for (let pieces = 0; pieces < 100; pieces += 1) await passing.next();
    expect(taken).toBeLessThan(110);
    await passing.return();
  });

  it('of which the pictures have a long size is marked', async () => {
    const long = Buffer.alloc(8);
    long.writeBigUInt64BE(16n + 40n);
    const pictures = Buffer.concat([box('mdat', Buffer.concat([long, Buffer.alloc(40)]), 1)]);
    expect(await sourceTypeOf(await markedBytes(Buffer.concat([typeBox, pictures])))).toBe(madeByModel);
  });

  it.each([
    ['at its end', withAtEnd(xmpBox(packetOf('<dc:title>A lighthouse</dc:title>')))],
    [
      'before its pictures',
      Buffer.concat([
        typeBox,
        xmpBox(packetOf('<dc:title>A lighthouse</dc:title>')),
        box('mdat', Buffer.alloc(99)),
      ]),
    ],
  ])('keeps the XMP that it has %s', async (_, one) => {
    const made = Buffer.from(await markedBytes(one));
    expect(await metadataOf(made)).toMatchObject({ title: 'A lighthouse', DigitalSourceType: madeByModel });
    expect(
      made
        .subarray(one.length)
        .toString('latin1')
        .match(/<x:xmpmeta/g),
    ).toHaveLength(1);
    // Everything is where it was.
    const freed = made.indexOf('free', one.indexOf('uuid') - 4);
    expect(
      Buffer.concat([made.subarray(0, freed), Buffer.from('uuid'), made.subarray(freed + 4, one.length)]),
    ).toEqual(one);
  });

  const stating = '<Iptc4xmpExt:DigitalSourceType>compositeSynthetic</Iptc4xmpExt:DigitalSourceType>';
  it.each([
    ['whose XMP states its source', withAtEnd(xmpBox(packetOf(stating)))],
    ['whose user data state its source', withAtEnd(box('moov', box('udta', box('XMP_', packetOf(stating)))))],
    ['whose XMP can’t be read', withAtEnd(xmpBox(Buffer.from('no XMP')))],
    ['whose signed manifest says it', withAfter(film, typeBox.length, manifestBox(madeByModel))],
    ['without an end', Buffer.concat([typeBox, box('mdat', Buffer.alloc(99), 0)])],
    ['with a box that can’t be', withAtEnd(box('free', Buffer.alloc(99), 7))],
    ['with a rest that’s no box', withAtEnd(Buffer.from('rest'))],
  ])('%s stays as it is', async (_, one) => {
    expect(await markedBytes(one)).toBe(one);
  });

  it('whose manifest doesn’t say it gets the mark beside that', async () => {
    const made = Buffer.from(await markedBytes(withAtEnd(manifestBox('digitalCapture'))));
    expect(await sourceTypeOf(made)).toBe(madeByModel);
    expect(made.includes('digitalCapture')).toBe(true);
  });

  it('that ends within a box stays as it is', async () => {
    const ends: number[] = [];
    for (let at = 0; at < film.length; at += film.readUInt32BE(at)) ends.push(at);
    expect(ends.length).toBeGreaterThan(2);
    for (let length = 1; length < film.length; length += 997) {
      if (ends.includes(length)) continue;
      const cut = film.subarray(0, length);
      expect(await markedBytes(cut)).toBe(cut);
    }
  });
});

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
