/** The IPTC's term for what a trained model made, in its vocabulary of digital source types. */
export const madeByModel = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** The XMP packet of a file that has none. */
export const newPacket = Buffer.from(
  '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `${description('""')}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`,
);

/** The mark within a packet. All descriptions of a packet are about the same (XMP specification, part 1, 7.4). */
function description(about: string): string {
  const property = 'Iptc4xmpExt:DigitalSourceType';
  return (
    `<rdf:Description rdf:about=${about} xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">` +
    `<${property}>${madeByModel}</${property}></rdf:Description>`
  );
}

/** An existing packet with the mark added; undefined if it states a source type already, or isn't plain XMP. */
export function markedPacket(packet: Buffer): Buffer | undefined {
  // Byte by byte, so that everything else stays as it is.
  const text = packet.toString('latin1');
  const end = text.lastIndexOf('</rdf:RDF>');
  if (end < 0 || statesSource(packet)) return undefined;
  const [, about = '""'] = /\srdf:about\s*=\s*("[^"]*"|'[^']*')/.exec(text) ?? [];
  return Buffer.from(`${text.slice(0, end)}${description(about)}${text.slice(end)}`, 'latin1');
}

/** Whether XMP states a source type. */
export function statesSource(packet: Buffer): boolean {
  return packet.includes(':DigitalSourceType');
}

/**
 * Whether a C2PA manifest says that a model made the file, or part of it. Such a file stays as it is: any change would break
 * the manifest's hash, and it carries a better mark than this one. Another gets the mark, though its hash then tells of the
 * change: a manifest that doesn't say it leaves people without what they have to be told.
 */
export function isManifestOfModel(manifest: Buffer): boolean {
  return manifest.includes('rainedAlgorithmicMedia');
}

/** A change to a file: at a position, so many bytes give way to others. */
export interface Splice {
  readonly at: number;
  readonly remove?: number;
  readonly insert: Uint8Array;
}

/** The file in pieces, changed. The splices are in the order of their positions. */
export function* spliced(file: Buffer, splices: readonly Splice[]): Generator<Buffer> {
  let done = 0;
  for (const { at, remove = 0, insert } of splices) {
    if (at > done) yield file.subarray(done, at);
    yield Buffer.from(insert.buffer, insert.byteOffset, insert.byteLength);
    done = at + remove;
  }
  if (done < file.length) yield file.subarray(done);
}

/** A 32-bit number in two byte orders. */
export const uint32 = {
  be: (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]),
  le: (value: number): Buffer => Buffer.from([value, value >>> 8, value >>> 16, value >>> 24]),
};
