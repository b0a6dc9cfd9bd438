import { Encoder } from '@evan/opus/wasm/index.mjs';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from 'mediabunny';
import { createMp3Encoder, createOggEncoder } from 'wasm-media-encoders';
import type { Clip, SpeechRequest } from '../studio.ts';
import { joined, type SpeechEngine, speechRate } from './synthesizer.ts';
import { splitUtterances } from './utterances.ts';
import { narrator } from './voices.ts';

export { SpeechEngine } from './synthesizer.ts';

const encoders: Record<SpeechRequest['format'], (speech: Int16Array) => Clip | Promise<Clip>> = {
  mp3: encodeMp3,
  wav: encodeWav,
  opus: encodeOpus,
  ogg: encodeOpus,
  vorbis: encodeVorbis,
};

/** Speaks a text to an audio file; an engine speaks one at a time. */
export async function narrate(engine: SpeechEngine, request: SpeechRequest): Promise<Clip> {
  const person = narrator(request.voice, request.language);
  const synthesizer = engine.begin(person.profile);
  const parts: Int16Array[] = [];
  let pause = 0;
  for (const utterance of splitUtterances(request.text, person)) {
    const spoken = synthesizer.say(utterance.tongue, utterance.text);
    if (spoken.every((sample) => Math.abs(sample) < 100)) continue;
    parts.push(new Int16Array(Math.round((pause * speechRate) / request.speed)));
    parts.push(changeTempo(spoken, request.speed));
    pause = utterance.pause;
  }
  // Text without speech becomes half a second of silence, since an empty file isn't valid in every format.
  if (parts.length === 0) parts.push(new Int16Array(speechRate / 2));
  return encoders[request.format](joined(parts));
}

/** Samples between two pieces of the result; pieces are twice as long and overlap by half. */
const hop = Math.round(speechRate * 0.0125);
const window = Float32Array.from({ length: 2 * hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * i) / hop));

/** How far a piece may be moved to fit the one before it: half a period of the deepest voice. */
const reach = Math.round(speechRate * 0.008);
const coarseStep = 4;

/**
 * Plays speech at another tempo with its pitch kept (waveform-similarity overlap-add): pieces of the original
 * are laid over each other at an even distance, each taken where it continues the last one best.
 * The result has exactly `samples.length / speed` samples, rounded.
 */
export function changeTempo(samples: Int16Array, speed: number): Int16Array {
  if (speed === 1) return samples;
  const length = Math.round(samples.length / speed);
  const mixed = new Float32Array(length + 2 * hop);
  let start = 0;
  for (let at = -hop; at < length; at += hop) {
    const ideal = Math.round(at * speed);
    const coarse = at < 0 ? ideal : bestStart(samples, ideal, reach, coarseStep, start + hop);
    start = at < 0 ? ideal : bestStart(samples, coarse, coarseStep - 1, 1, start + hop);
    for (let i = Math.max(0, -at); i < 2 * hop; i++)
      mixed[at + i] = (mixed[at + i] ?? 0) + (samples[start + i] ?? 0) * (window[i] ?? 0);
  }
  const clamped = (value: number) => Math.max(-32_768, Math.min(32_767, Math.round(value)));
  return Int16Array.from(mixed.subarray(0, length), clamped);
}

/** The start at most `radius` from `middle` whose samples look most like those at `continuation`. */
function bestStart(samples: Int16Array, middle: number, radius: number, step: number, continuation: number) {
  let best = middle;
  let bestLikeness = Number.NEGATIVE_INFINITY;
  for (let start = middle - radius; start <= middle + radius; start += step) {
    const last = Math.min(2 * hop, samples.length - Math.max(start, continuation));
    let product = 0;
    let energy = 1;
    // Every third sample tells enough: voices are compared, not consonants.
    for (let i = Math.max(0, -start, -continuation); i < last; i += 3) {
      const sample = samples[start + i] ?? 0;
      product += sample * (samples[continuation + i] ?? 0);
      energy += sample * sample;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) [best, bestLikeness] = [start, likeness];
  }
  return best;
}

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

// The package's native build crashes the process when its worker thread ends.

/** Ogg Opus counts time at 48000 Hz, whatever was encoded (RFC 7845). */
const clockRate = 48_000;

/** Speech holds nothing above half of this; players decode it at 48000 Hz like any Opus. */
const inputRate = 24_000;
const samplesPerPacket = inputRate / 50;
const bitsPerSecond = 32_000;
/** Of 10: half the time of the default, no difference to hear at this rate. */
const complexity = 4;
/** Numbers of libopus's encoder controls. */
const request = { setBitrate: 4002, setComplexity: 4010, lookahead: 4027 } as const;

/** Encodes Ogg Opus: mono, packets of 20 ms, gapless. */
export async function encodeOpus(speech: Int16Array): Promise<Clip> {
  const encoder = new Encoder({ channels: 1, sample_rate: inputRate, application: 'voip' });
  encoder.ctl(request.setBitrate, bitsPerSecond);
  encoder.ctl(request.setComplexity, complexity);
  const lookahead = encoder.ctl(request.lookahead);
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const track = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(track);
  await output.start();
  const description = identificationHeader((lookahead * clockRate) / inputRate);
  const meta = { decoderConfig: { codec: 'opus', numberOfChannels: 1, sampleRate: clockRate, description } };
  const samples = upsampled(speech);
  // The decoder is `lookahead` samples late, so as many more are encoded.
  const length = samples.length + lookahead;
  for (let at = 0; at < length; at += samplesPerPacket) {
    const data = new Int16Array(samplesPerPacket);
    data.set(samples.subarray(at, at + samplesPerPacket));
    const seconds = Math.min(samplesPerPacket, length - at) / inputRate;
    await track.add(new EncodedPacket(encoder.encode(data), 'key', at / inputRate, seconds), meta);
  }
  encoder.drop();
  await output.finalize();
  const bytes = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  return { bytes, contentType: 'audio/ogg', seconds: samples.length / inputRate };
}

/** "OpusHead" (RFC 7845, section 5.1): version, channels, pre-skip, original rate, gain, mapping family. */
function identificationHeader(preSkip: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(19);
  const view = new DataView(header.buffer);
  header.set(new TextEncoder().encode('OpusHead'));
  view.setUint8(8, 1);
  view.setUint8(9, 1);
  view.setUint16(10, preSkip, true);
  view.setUint32(12, inputRate, true);
  return header;
}

/** 24000 Hz from the 22050 Hz of speech, in lowest terms. */
const [up, down] = [160, 147];
/** Zero crossings of the filter on either side of a sample. */
const lobes = 12;
/** Windowed sines for points that lie a share of a sample after the twelfth of their 24 neighbors. */
const filters = Array.from({ length: up }, (_, phase) =>
  Float64Array.from({ length: 2 * lobes }, (_, tap) => {
    const distance = tap - lobes + 1 - phase / up;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / lobes);
    return distance === 0 ? 1 : (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
  }),
);

/** Band-limited conversion to 24000 Hz. */
export function upsampled(samples: Int16Array): Int16Array {
  return Int16Array.from({ length: Math.round((samples.length * up) / down) }, (_, index) => {
    const filter = filters[(index * down) % up] ?? new Float64Array();
    const base = Math.floor((index * down) / up) - lobes + 1;
    let sum = 0;
    for (let tap = Math.max(0, -base); tap < filter.length && base + tap < samples.length; tap++)
      sum += (samples[base + tap] ?? 0) * (filter[tap] ?? 0);
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  });
}
