// The package's native build crashes the process when its worker thread ends.
import { Encoder } from '@evan/opus/wasm/index.mjs';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, OggOutputFormat, Output } from 'mediabunny';
import type { Clip } from '../studio.ts';

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
