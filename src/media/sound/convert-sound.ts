import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AudioSampleSource,
  BufferTarget,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  registerEncoder,
  WavOutputFormat,
} from 'mediabunny';
import { decodeSound } from './decode-sound.ts';
import { OpusEncoder, opusRate } from './opus-encoder.ts';

/** `opus` in Ogg, for voice messages; `mp3`, which plays everywhere; `wav`, which is large. */
export type SoundFormat = 'opus' | 'mp3' | 'wav';

const containers = {
  opus: { codec: 'opus', create: () => new OggOutputFormat() },
  mp3: { codec: 'mp3', create: () => new Mp3OutputFormat() },
  wav: { codec: 'pcm-s16', create: () => new WavOutputFormat() },
} as const;

/** Enough for speech in one channel. */
const mp3BitsPerSecond = 64_000;

registerEncoder(OpusEncoder);
registerMp3Encoder();

/**
 * Converts a clip to another format with one channel; undefined if it can't be decoded. Blocks its thread for about a
 * hundredth of the clip's length, so run it in a worker.
 */
export async function convertSound(
  bytes: Uint8Array,
  to: SoundFormat,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const target = new BufferTarget();
  const { codec, create } = containers[to];
  const output = new Output({ format: create(), target });
  const source = new AudioSampleSource({
    codec,
    bitrate: mp3BitsPerSecond,
    transform: { numberOfChannels: 1, sampleRate: opusRate },
  });
  output.addAudioTrack(source);
  await output.start();
  let isEmpty = true;
  for await (const sample of decodeSound(bytes)) {
    isEmpty = false;
    await source.add(sample);
    sample.close();
  }
  if (isEmpty) {
    await output.cancel();
    return undefined;
  }
  await output.finalize();
  return target.buffer ? new Uint8Array(target.buffer) : undefined;
}
