import { setImmediate as nextTurn } from 'node:timers/promises';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { readReferences } from '../drawing/references.ts';
import { eraseTimestamps } from './erase-timestamps.ts';
import { Frames } from './frames.ts';
import { tune, tuneRate } from './tune.ts';
import { type CodedVideo, frameRate, VideoEncoder } from './video-encoder.ts';

/** A request of `POST /videos` (service description, section 4), with its size in pixels. */
export interface VideoRequest {
  readonly prompt: string;
  /** A whole number. */
  readonly seconds: number;
  /** Even numbers of pixels. */
  readonly width: number;
  readonly height: number;
  /** The same prompt and seed give the same frames. */
  readonly seed: number;
  readonly generateAudio: boolean;
  /** Data URLs, which are drawn, or https URLs, which are shown by name and never fetched. */
  readonly references?: readonly string[];
}

/** Called with the progress, from 0 to 1. */
export type OnProgress = (progress: number) => void;

const audioBitsPerSecond = 128_000;

/** Samples in an AAC packet; the encoder adds one packet at the start. */
const samplesPerPacket = 1024;

/** Draws and encodes a video as MP4 with the index first, for streaming. @throws UnreadableReference */
export async function renderVideo(
  request: VideoRequest,
  onProgress: OnProgress,
): Promise<Uint8Array<ArrayBuffer>> {
  const video = await shoot(request, onProgress);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const picture = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(picture, { frameRate });
  const sound = request.generateAudio ? soundTrack(output) : undefined;
  await output.start();
  await Promise.all([addPicture(picture, video), sound && addSound(sound, request)]);
  await output.finalize();
  onProgress(1);
  return eraseTimestamps(new Uint8Array(target.buffer ?? new ArrayBuffer(0)));
}

async function shoot(request: VideoRequest, onProgress: OnProgress): Promise<CodedVideo> {
  const references = await readReferences(request.references ?? []);
  const frames = new Frames({ ...request, references });
  const encoder = await VideoEncoder.create(request.width, request.height);
  const count = request.seconds * frameRate;
  for (let index = 0; index < count; index++) {
    encoder.add(frames.at(index / frameRate));
    if (index % (frameRate / 4) === 0) onProgress(index / count);
    // Memory of past frames is only freed between turns of the event loop.
    await nextTurn();
  }
  return encoder.finish();
}

async function addPicture(
  track: EncodedVideoPacketSource,
  { packets, decoderConfig }: CodedVideo,
): Promise<void> {
  for (const packet of packets) await track.add(packet, { decoderConfig });
  track.close();
}

function soundTrack(output: Output): AudioSampleSource {
  registerAacEncoder();
  const track = new AudioSampleSource({ codec: 'aac', bitrate: audioBitsPerSecond });
  output.addAudioTrack(track);
  return track;
}

/** The sound's length in whole packets, so that it isn't longer than the video. */
function soundLength(seconds: number): number {
  const packets = Math.floor((seconds * tuneRate) / samplesPerPacket);
  return ((packets - 1) * samplesPerPacket) / tuneRate;
}

async function addSound(track: AudioSampleSource, { prompt, seed, seconds }: VideoRequest): Promise<void> {
  const data = tune(`${seed}:${prompt}`, soundLength(seconds));
  const sample = new AudioSample({
    data,
    format: 'f32',
    sampleRate: tuneRate,
    numberOfChannels: 2,
    timestamp: 0,
  });
  await track.add(sample);
  sample.close();
  track.close();
}
