import { crc32 } from 'node:zlib';

/** An XMP packet of a service, with these properties. */
export function packetOf(properties: string, about = ''): Buffer {
  return Buffer.from(
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description rdf:about='${about}' xmlns:dc="http://purl.org/dc/elements/1.1/"` +
      ` xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">${properties}</rdf:Description>` +
      '</rdf:RDF></x:xmpmeta>       <?xpacket end="w"?>',
  );
}

/** A file with something between its first bytes and the others. */
export function withAfter(file: Buffer, at: number, inserted: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, at), inserted, file.subarray(at)]);
}

/** A chunk of a PNG: length, type, data, and the checksum of both. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([bigEndian(data.length), typed, bigEndian(crc32(typed))]);
}

/** A segment of a JPEG. */
export function jpegSegment(marker: number, data: Buffer): Buffer {
  const length = data.length + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), data]);
}

/** A chunk of a WebP or WAV. */
function riffChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.length % 2)]);
}

/** A WebP or WAV with another chunk at its end. */
export function withRiffChunk(file: Buffer, type: string, data: Buffer): Buffer {
  const longer = Buffer.concat([file, riffChunk(type, data)]);
  longer.writeUInt32LE(longer.length - 8, 4);
  return longer;
}

/** A box of an MP4; `length` states another than its own. */
export function box(type: string, data: Buffer, length = data.length + 8): Buffer {
  return Buffer.concat([bigEndian(length), Buffer.from(type), data]);
}

function bigEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
