import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import { AudioSample, AudioSampleSource, BufferTarget, Mp3OutputFormat, Output } from 'mediabunny';
import { speechRate } from '../synthesizer.ts';
import { type Clip, concatenate, type SpeechStream } from './clip.ts';
import { gaplessFrame } from './mp3-gapless.ts';

/** Enough for speech at 22050 Hz in one channel; the longest text then stays below nine megabytes. */
const bitsPerSecond = 48_000;

/** Encodes MP3 (MPEG-2 layer III): mono, 22050 Hz, constant bit rate, gapless. */
export async function encodeMp3(speech: SpeechStream): Promise<Clip> {
  registerMp3Encoder();
  const target = new BufferTarget();
  const output = new Output({ format: new Mp3OutputFormat({ xingHeader: false }), target });
  const track = new AudioSampleSource({ codec: 'mp3', bitrate: bitsPerSecond });
  output.addAudioTrack(track);
  await output.start();
  let samples = 0;
  for (const data of speech) {
    const timestamp = samples / speechRate;
    const sample = new AudioSample({
      data,
      format: 's16',
      sampleRate: speechRate,
      numberOfChannels: 1,
      timestamp,
    });
    await track.add(sample);
    sample.close();
    samples += data.length;
  }
  await output.finalize();
  const frames = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  const bytes = concatenate([gaplessFrame(frames, samples), frames]);
  return { bytes, contentType: 'audio/mpeg', seconds: samples / speechRate };
}
