/** Sample rates by MPEG version (the header's two bits) and index; zero if undefined by the standard. */
const sampleRates: Readonly<Record<number, readonly number[]>> = {
  0: [11_025, 12_000, 8_000],
  2: [22_050, 24_000, 16_000],
  3: [44_100, 48_000, 32_000],
};
const mpeg1 = 3;
const layer3 = 1;
/** Optional fields between `Xing` or `Info` with its flags and the encoder's tag: flag bits, lengths in bytes. */
const fields = [
  [1, 4],
  [2, 4],
  [4, 100],
  [8, 4],
] as const;
/** Offset in an encoder's tag of the amount of silence it added. */
const silenceAt = 21;

/**
 * The length of an MP3 whose first frame has a frame count: the recording without the silence that encoders add
 * before and after it. Undefined if it isn't an MP3 or has no count.
 */
export function mp3Seconds(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = afterId3(view);
  const frame = frameAt(view, start);
  if (!frame) return undefined;
  const count = start + frame.countAt;
  if (count + 12 > view.byteLength) return undefined;
  const word = String.fromCharCode(...bytes.subarray(count, count + 4));
  const hasCount = (view.getUint32(count + 4) & 1) === 1;
  if ((word !== 'Xing' && word !== 'Info') || !hasCount) return undefined;
  const samples = view.getUint32(count + 8) * frame.samples - addedSilence(view, count);
  return Math.max(0, samples) / frame.rate;
}

function frameAt(view: DataView, start: number) {
  if (start + 4 > view.byteLength) return undefined;
  const header = view.getUint32(start);
  const version = (header >>> 19) & 3;
  const rate = sampleRates[version]?.[(header >>> 10) & 3];
  if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== layer3 || rate === undefined) return undefined;
  const mono = ((header >>> 6) & 3) === 3;
  const sideInfo = version === mpeg1 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return { rate, samples: version === mpeg1 ? 1_152 : 576, countAt: 4 + sideInfo };
}

function addedSilence(view: DataView, count: number): number {
  const flags = view.getUint32(count + 4);
  const tag = fields.reduce((end, [bit, bytes]) => end + (flags & bit ? bytes : 0), count + 8);
  const at = tag + silenceAt;
  if (at + 3 > view.byteLength || view.getUint8(tag) === 0) return 0;
  const both = (view.getUint8(at) << 16) | (view.getUint8(at + 1) << 8) | view.getUint8(at + 2);
  return (both >>> 12) + (both & 0xfff);
}

/** Start of the audio: after a tag with title and artist, if present. */
function afterId3(view: DataView): number {
  if (view.byteLength < 10 || view.getUint16(0) !== 0x4944 || view.getUint8(2) !== 0x33) return 0;
  const length = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | (view.getUint8(at) & 0x7f), 0);
  return 10 + length;
}
