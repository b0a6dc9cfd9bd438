import exifr from 'exifr';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { mediaType } from '../../../src/service/decode/media.ts';

/** What the mark says. */
export const madeByModel = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

/** What a file's XMP or tags say, as readers of others understand them; undefined if it has none. */
export async function metadataOf(bytes: Uint8Array): Promise<Record<string, unknown> | undefined> {
  const file = Buffer.from(bytes);
  const type = mediaType(bytes) ?? '';
  if (type.startsWith('audio/')) return tagsOf(bytes);
  if (type === 'image/png' || type === 'image/jpeg') {
    const options = { xmp: true, tiff: false, ihdr: false, jfif: false, mergeOutput: false };
    return flat(await exifr.parse(file, options));
  }
  const packet = type === 'image/webp' ? chunkOf(file, 'XMP ') : boxOf(file);
  return packet && flat(await exifr.sidecar(packet, { mergeOutput: false }, 'xmp'));
}

/** What a file states as its source; undefined if it has no mark. */
export async function sourceTypeOf(bytes: Uint8Array): Promise<unknown> {
  const found = (await metadataOf(bytes)) ?? {};
  const fact = [found.ICMT, found.ISRF].map((text) => /^DigitalSourceType=(.*)$/.exec(String(text))?.[1]);
  return found.DigitalSourceType ?? found.DIGITALSOURCETYPE ?? fact.find(Boolean);
}

async function tagsOf(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const { raw = {} } = await input.getMetadataTags();
  // What has a name of its own in ID3 is in one record.
  return { ...raw, ...(raw.TXXX as object | undefined) };
}

/** The properties of all namespaces. */
function flat(found: object | undefined): Record<string, unknown> | undefined {
  return found && Object.assign({}, ...Object.values(found));
}

function chunkOf(file: Buffer, type: string): Buffer | undefined {
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === type) return file.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  return undefined;
}

const xmpId = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');

function boxOf(file: Buffer): Buffer | undefined {
  for (let at = 0; at < file.length;) {
    const length = file.readUInt32BE(at);
    const isXmp =
      file.toString('latin1', at + 4, at + 8) === 'uuid' && file.subarray(at + 8, at + 24).equals(xmpId);
    if (isXmp) return file.subarray(at + 24, at + length);
    if (length === 0) return undefined;
    at += length === 1 ? Number(file.readBigUInt64BE(at + 8)) : length;
  }
  return undefined;
}
