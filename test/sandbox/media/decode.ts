import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';
import type { Clip, SpeechRequest } from '../../../src/sandbox/media/studio.ts';

export interface Sound {
  readonly samples: Float32Array;
  readonly rate: number;
  /** What the file itself says of its length, in seconds. */
  readonly stated: number;
}

/** Decodes a clip with decoders that share nothing with its encoders. */
export function decode(clip: Clip, format: SpeechRequest['format']): Promise<Sound> {
  if (format === 'mp3') return decodeMp3(clip.bytes);
  if (format === 'vorbis') return decodeVorbis(clip.bytes);
  return format === 'wav' ? decodeWav(clip.bytes) : decodeOgg(clip.bytes);
}

async function decodeMp3(bytes: Uint8Array): Promise<Sound> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(bytes);
  decoder.free();
  if (errors.length > 0) throw new Error(errors[0]?.message);
  return { samples: channelData[0]!, rate: sampleRate, stated: statedByInfoFrame(bytes, sampleRate) };
}

/** Frames of 576 samples, less the delay and padding of LAME's extension (offsets of the Info header). */
function statedByInfoFrame(bytes: Uint8Array, rate: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const info = 4 + 9;
  if (new TextDecoder().decode(bytes.subarray(info, info + 4)) !== 'Info') throw new Error('no Info frame');
  const frames = view.getUint32(info + 8);
  const gaps = (view.getUint32(info + 16 + 20) & 0xff_ff_ff) >>> 0;
  return (frames * 576 - (gaps >> 12) - (gaps & 0xfff)) / rate;
}

async function decodeWav(bytes: Uint8Array): Promise<Sound> {
  const { track, duration } = await firstTrack(bytes);
  const samples: number[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    const view = new DataView(packet.data.buffer, packet.data.byteOffset, packet.data.byteLength);
    for (let at = 0; at < view.byteLength; at += 2) samples.push(view.getInt16(at, true) / 32_768);
  }
  return { samples: Float32Array.from(samples), rate: track.sampleRate, stated: duration };
}

async function decodeVorbis(bytes: Uint8Array): Promise<Sound> {
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } = await decoder.decodeFile(bytes);
  decoder.free();
  if (errors.length > 0) throw new Error(errors[0]?.message);
  const { duration } = await firstTrack(bytes);
  return { samples: channelData[0]!, rate: sampleRate, stated: duration };
}

async function decodeOgg(bytes: Uint8Array): Promise<Sound> {
  const { track, duration } = await firstTrack(bytes);
  const head = bytes.subarray(indexOf(bytes, 'OpusHead'));
  const preSkip = new DataView(head.buffer, head.byteOffset).getUint16(10, true);
  const decoder = new OpusDecoder({ channels: 1, preSkip });
  await decoder.ready;
  const packets: Uint8Array[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet.data);
  const { channelData, errors } = decoder.decodeFrames(packets);
  decoder.free();
  if (errors.length > 0) throw new Error(errors[0]?.message);
  const length = lastGranule(bytes) - preSkip;
  return { samples: channelData[0]!.subarray(0, length), rate: 48_000, stated: duration };
}

async function firstTrack(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error('no audio track');
  return { track, duration: await input.computeDuration() };
}

/** Where the last page says that the sound ends, in samples at 48000 Hz. */
function lastGranule(bytes: Uint8Array): number {
  const at = Buffer.from(bytes).lastIndexOf('OggS');
  return Number(new DataView(bytes.buffer, bytes.byteOffset + at).getBigUint64(6, true));
}

function indexOf(bytes: Uint8Array, text: string): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(text);
}

/** The loudness of a sound: the root of the mean square, 1 at most. */
export function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** The middle of the pitches of all voiced stretches, in hertz. */
export function medianPitch({ samples, rate }: Sound): number {
  const length = Math.round(rate / 20);
  const pitches: number[] = [];
  for (let at = 0; at + 2 * length < samples.length; at += length) {
    const pitch = pitchAt(samples, at, length, rate);
    if (pitch !== undefined) pitches.push(pitch);
  }
  return pitches.sort((a, b) => a - b)[Math.floor(pitches.length / 2)]!;
}

function pitchAt(samples: Float32Array, at: number, length: number, rate: number): number | undefined {
  let best = { likeness: 0.6, lag: 0 };
  if (loudness(samples.subarray(at, at + length)) < 0.02) return undefined;
  for (let lag = Math.round(rate / 400); lag < rate / 60; lag++) {
    const likeness = correlation(samples, at, at + lag, length);
    if (likeness > best.likeness + 0.02) best = { likeness, lag };
  }
  return best.lag > 0 ? rate / best.lag : undefined;
}

/** Every fourth sample tells enough of a voice. */
function correlation(samples: Float32Array, a: number, b: number, length: number): number {
  let [product, first, second] = [0, 0, 0];
  for (let i = 0; i < length; i += 4) {
    const x = samples[a + i] as number;
    const y = samples[b + i] as number;
    product += x * y;
    first += x * x;
    second += y * y;
  }
  return product / Math.sqrt(first * second);
}
