import { createMp3Encoder, createOggEncoder } from 'wasm-media-encoders';
import type { Clip } from '../studio.ts';
import { speechRate } from './synthesizer.ts';

/** RIFF WAVE, 16-bit PCM, one channel, 22050 Hz. */
export function encodeWav(speech: Int16Array): Clip {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(header.length - 8 + speech.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(speechRate, 24);
  header.writeUInt32LE(speechRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(speech.byteLength, 40);
  const data = new Uint8Array(speech.buffer, speech.byteOffset, speech.byteLength);
  return clip('audio/wav', speech, [header, data]);
}

const shape = { channels: 1, sampleRate: speechRate } as const;
/** Enough for speech at 22050 Hz in one channel; the longest text then stays below nine megabytes. */
const kilobitsPerSecond = 48;

/** MP3 (MPEG-2 layer III): mono, 22050 Hz, constant bit rate, gapless. */
export async function encodeMp3(speech: Int16Array): Promise<Clip> {
  const encoder = await createMp3Encoder();
  encoder.configure({ ...shape, bitrate: kilobitsPerSecond });
  const frames = encoded(encoder, speech);
  return clip('audio/mpeg', speech, [gaplessFrame(frames, speech.length), frames]);
}

/** From -1 to 10; enough for speech. */
const vbrQuality = 3;

/** Ogg Vorbis: mono, 22050 Hz. */
export async function encodeVorbis(speech: Int16Array): Promise<Clip> {
  const encoder = await createOggEncoder();
  encoder.configure({ ...shape, vbrQuality });
  return clip('audio/ogg', speech, [encoded(encoder, speech)]);
}

interface LossyEncoder {
  encode(channels: Float32Array[]): Uint8Array;
  finalize(): Uint8Array;
}
const samplesAtOnce = 2 ** 18;

function encoded(encoder: LossyEncoder, speech: Int16Array): Buffer {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < speech.length; at += samplesAtOnce) {
    const samples = speech.subarray(at, at + samplesAtOnce);
    // The encoder returns its own memory, which the next call overwrites.
    parts.push(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)]).slice());
  }
  return Buffer.concat([...parts, encoder.finalize()]);
}

function clip(contentType: string, speech: Int16Array, parts: readonly Uint8Array[]): Clip {
  return { bytes: Buffer.concat(parts), contentType, seconds: speech.length / speechRate };
}

/** MPEG-2 layer III has 576 samples in a frame, and LAME begins with as many of silence. */
const samplesPerFrame = 576;
const encoderDelay = 576;
const frameBytes = Math.floor((samplesPerFrame / 8) * ((kilobitsPerSecond * 1_000) / speechRate));
/** After the 4 bytes of header and 9 of side information of a mono MPEG-2 frame. */
const infoOffset = 13;
const extensionOffset = infoOffset + 16;
const hasFrameAndByteCount = 0b11;
const constantBitRate = 1;
const paddingBit = 0b10;

/**
 * The silent first frame with the “Info” header and LAME's extension, which tells players how many samples to
 * skip at the start and the end, for gapless playback.
 */
function gaplessFrame(frames: Buffer, samples: number): Buffer {
  let count = 0;
  for (let at = 0; at + 4 <= frames.length; at += frameBytes) {
    count += 1;
    if (frames.readUInt8(at + 2) & paddingBit) at += 1;
  }
  const endPadding = count * samplesPerFrame - encoderDelay - samples;
  const frame = Buffer.alloc(frameBytes);
  frames.copy(frame, 0, 0, 4);
  frame.writeUInt8(frame.readUInt8(2) & ~paddingBit, 2);
  frame.write('Info', infoOffset);
  frame.writeUInt32BE(hasFrameAndByteCount, infoOffset + 4);
  frame.writeUInt32BE(count, infoOffset + 8);
  frame.writeUInt32BE(frameBytes + frames.length, infoOffset + 12);
  frame.write('LAME3.100', extensionOffset);
  frame.writeUInt8(constantBitRate, extensionOffset + 9);
  frame.writeUInt8(kilobitsPerSecond, extensionOffset + 20);
  frame.writeUIntBE((encoderDelay << 12) | endPadding, extensionOffset + 21, 3);
  frame.writeUInt32BE(frames.length, extensionOffset + 28);
  frame.writeUInt16BE(checksum(frame.subarray(0, extensionOffset + 34)), extensionOffset + 34);
  return frame;
}

/** CRC-16 (polynomial 0x8005, reflected). */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
