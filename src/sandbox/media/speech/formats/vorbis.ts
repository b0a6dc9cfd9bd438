import { createOggEncoder } from 'wasm-media-encoders';
import { speechRate } from '../synthesizer.ts';
import { type Clip, concatenate, type SpeechStream } from './clip.ts';

/** From -1 to 10; enough for speech. */
const quality = 3;

/** Ogg Vorbis, one channel, 22050 Hz. */
export async function encodeVorbis(speech: SpeechStream): Promise<Clip> {
  const encoder = await createOggEncoder();
  encoder.configure({ channels: 1, sampleRate: speechRate, vbrQuality: quality });
  const parts: Uint8Array[] = [];
  let samples = 0;
  for (const data of speech) {
    const floats = Float32Array.from(data, (sample) => sample / 32_768);
    // The encoder returns its own memory, which the next call overwrites.
    parts.push(encoder.encode([floats]).slice());
    samples += data.length;
  }
  parts.push(encoder.finalize().slice());
  return { bytes: concatenate(parts), contentType: 'audio/ogg', seconds: samples / speechRate };
}
