// The package's native build crashes the process when its worker thread ends.
import { Encoder } from '@evan/opus/wasm/index.mjs';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from 'mediabunny';
import { upsampler } from '../resample.ts';
import type { Clip, SpeechStream } from './clip.ts';

/** Ogg Opus counts time at 48000 Hz, whatever was encoded (RFC 7845). */
const clockRate = 48_000;

/** Speech holds nothing above half of this; players decode it at 48000 Hz like any Opus. */
const inputRate = 24_000;
const ticksPerSample = clockRate / inputRate;
const samplesPerPacket = inputRate / 50;
const bitsPerSecond = 32_000;
/** Of 10: half the time of the default, no difference to hear at this rate. */
const complexity = 4;
/** Numbers of libopus's encoder controls. */
const request = { setBitrate: 4002, setComplexity: 4010, lookahead: 4027 } as const;

/** From the 22050 Hz of the speech. */
const toInputRate = upsampler(160, 147);

/** Encodes Ogg Opus: mono, packets of 20 ms, gapless. */
export async function encodeOpus(speech: SpeechStream): Promise<Clip> {
  const encoder = new Encoder({ channels: 1, sample_rate: inputRate, application: 'voip' });
  encoder.ctl(request.setBitrate, bitsPerSecond);
  encoder.ctl(request.setComplexity, complexity);
  const lookahead = encoder.ctl(request.lookahead);
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const track = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(track);
  await output.start();
  const meta = { decoderConfig: decoderConfig(lookahead * ticksPerSample) };
  let samples = 0;
  for (const { data, length } of frames(speech, lookahead)) {
    const packet = encoder.encode(data);
    await track.add(new EncodedPacket(packet, 'key', samples / inputRate, length / inputRate), meta);
    samples += length;
  }
  encoder.drop();
  await output.finalize();
  const bytes = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  return { bytes, contentType: 'audio/ogg', seconds: (samples - lookahead) / inputRate };
}

interface Frame {
  /** A whole packet's samples. */
  readonly data: Int16Array;
  /** How many of them are speech: fewer only in the last packet. */
  readonly length: number;
}

/** The decoder is `lookahead` samples late, so as many more are encoded. */
function* frames(speech: SpeechStream, lookahead: number): Generator<Frame> {
  let data = new Int16Array(samplesPerPacket);
  let filled = 0;
  for (const samples of followedBySilence(speech, lookahead)) {
    for (let at = 0; at < samples.length; ) {
      const part = samples.subarray(at, at + samplesPerPacket - filled);
      data.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < samplesPerPacket) continue;
      yield { data, length: filled };
      data = new Int16Array(samplesPerPacket);
      filled = 0;
    }
  }
  if (filled > 0) yield { data, length: filled };
}

function* followedBySilence(speech: SpeechStream, samples: number): Generator<Int16Array> {
  for (const part of speech) yield toInputRate(part);
  yield new Int16Array(samples);
}

function decoderConfig(preSkip: number) {
  return {
    codec: 'opus',
    numberOfChannels: 1,
    sampleRate: clockRate,
    description: identificationHeader(preSkip),
  };
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
