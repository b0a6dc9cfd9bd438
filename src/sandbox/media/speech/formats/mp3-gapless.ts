/** MPEG-2 layer III has 576 samples in a frame, and LAME begins with as many of silence. */
const samplesPerFrame = 576;
const encoderDelay = 576;

/** After the 4 bytes of header and 9 of side information of a mono MPEG-2 frame. */
const infoOffset = 13;
const hasFrameAndByteCount = 0b11;
const constantBitRate = 1;
const kilobitsPerSecond = 48;

/**
 * The silent first frame with the “Info” header and LAME's extension, which tells players how many samples to
 * skip at the start and the end, for gapless playback.
 * @param frames the encoded frames, MPEG-2, mono, all of one bit rate
 * @param samples how many samples were encoded
 */
export function gaplessFrame(frames: Uint8Array, samples: number): Uint8Array {
  const starts = frameStarts(frames);
  const size = (starts[1] ?? frames.length) - (starts[0] ?? 0) - paddingOf(frames, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  bytes.set(frames.subarray(0, 4));
  view.setUint8(2, view.getUint8(2) & ~0b10);
  writeText(bytes, infoOffset, 'Info');
  view.setUint32(infoOffset + 4, hasFrameAndByteCount);
  view.setUint32(infoOffset + 8, starts.length);
  view.setUint32(infoOffset + 12, size + frames.length);
  writeExtension(
    bytes,
    infoOffset + 16,
    starts.length * samplesPerFrame - encoderDelay - samples,
    frames.length,
  );
  return bytes;
}

function writeExtension(bytes: Uint8Array, at: number, endPadding: number, musicBytes: number): void {
  const view = new DataView(bytes.buffer);
  writeText(bytes, at, 'LAME3.100');
  view.setUint8(at + 9, constantBitRate);
  view.setUint8(at + 20, kilobitsPerSecond);
  view.setUint8(at + 21, encoderDelay >> 4);
  view.setUint8(at + 22, ((encoderDelay & 0xf) << 4) | (endPadding >> 8));
  view.setUint8(at + 23, endPadding & 0xff);
  view.setUint32(at + 28, musicBytes);
  view.setUint16(at + 34, checksum(bytes.subarray(0, at + 34)));
}

function writeText(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}

function paddingOf(frames: Uint8Array, at: number): number {
  return ((frames[at + 2] ?? 0) >> 1) & 1;
}

function frameStarts(frames: Uint8Array): number[] {
  const starts: number[] = [];
  const sampleRate = 22_050;
  const size = Math.floor((samplesPerFrame / 8) * ((kilobitsPerSecond * 1000) / sampleRate));
  for (let at = 0; at + 4 <= frames.length; at += size + paddingOf(frames, at)) starts.push(at);
  return starts;
}

/** CRC-16 (polynomial 0x8005, reflected) over everything before it in the frame. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
