import { setImmediate as nextTurn } from 'node:timers/promises';
import { registerAacEncoder } from '@mediabunny/aac-encoder';
import h264 from 'h264-mp4-encoder';
import {
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { readReferences } from '../drawing/overlay.ts';
import type { OnProgress, VideoRequest } from '../studio.ts';
import { Frames } from './frames.ts';
import { tune, tuneRate } from './tune.ts';

/** Frames per second. */
const frameRate = 24;

/** 10 (best) to 51; no visible banding, and fifteen seconds of 1080p stay below 10 MB. */
const quantization = 22;
const fastest = 10;

const audioBitsPerSecond = 128_000;

/** Samples in an AAC packet; the encoder adds one packet at the start. */
const samplesPerPacket = 1024;

/** Draws and encodes a video as MP4 with the index first, for streaming. @throws UnreadableReference */
export async function renderVideo(
  request: VideoRequest,
  onProgress: OnProgress,
): Promise<Uint8Array<ArrayBuffer>> {
  const { packets, decoderConfig } = await shoot(request, onProgress);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const picture = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(picture, { frameRate });
  const addSound = request.generateAudio ? soundTrack(output) : undefined;
  await output.start();
  for (const packet of packets) await picture.add(packet, { decoderConfig });
  await addSound?.(request);
  await output.finalize();
  onProgress(1);
  return withoutTimes(new Uint8Array(target.buffer ?? new ArrayBuffer(0)));
}

/** Draws the frames and encodes them as H.264 (baseline, 4:2:0); returns its packets, timed by the frame rate. */
async function shoot(request: VideoRequest, onProgress: OnProgress) {
  const frames = new Frames({ ...request, references: await readReferences(request.references ?? []) });
  const encoder = await h264.createH264MP4Encoder();
  encoder.width = request.width;
  encoder.height = request.height;
  encoder.frameRate = frameRate;
  encoder.speed = fastest;
  encoder.quantizationParameter = quantization;
  encoder.groupOfPictures = 2 * frameRate;
  encoder.initialize();
  const count = request.seconds * frameRate;
  for (let index = 0; index < count; index++) {
    encoder.addFrameRgba(frames.at(index / frameRate));
    if (index % (frameRate / 4) === 0) onProgress(index / count);
    // Memory of past frames is only freed between turns of the event loop.
    await nextTurn();
  }
  encoder.finalize();
  const file = encoder.FS.readFile(encoder.outputFilename);
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  using input = new Input({ source: new BufferSource(file), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig) throw new Error('the encoder wrote no video track');
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets())
    packets.push(packet.clone({ timestamp: packets.length / frameRate, duration: 1 / frameRate }));
  return { packets, decoderConfig };
}

/** Gives a video a sound track, before the output starts; the returned function plays a tune on it. */
function soundTrack(output: Output): (request: VideoRequest) => Promise<void> {
  registerAacEncoder();
  const track = new AudioSampleSource({ codec: 'aac', bitrate: audioBitsPerSecond });
  output.addAudioTrack(track);
  return async ({ prompt, seed, seconds }) => {
    // As long as whole packets allow, so that it isn't longer than the video.
    const packets = Math.floor((seconds * tuneRate) / samplesPerPacket) - 1;
    const data = tune(`${seed}:${prompt}`, (packets * samplesPerPacket) / tuneRate);
    const about = { format: 'f32', sampleRate: tuneRate, numberOfChannels: 2, timestamp: 0 } as const;
    const sample = new AudioSample({ data, ...about });
    await track.add(sample);
    sample.close();
  };
}

/**
 * Zeroes the times of creation and modification, in place, so that the same video gives the same file: four bytes each
 * after name, version and flags (ISO/IEC 14496-12), in boxes that come before the media data.
 */
function withoutTimes(mp4: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(mp4.buffer);
  const index = file.subarray(0, file.indexOf('mdat'));
  for (const box of ['mvhd', 'tkhd', 'mdhd'])
    for (let at = index.indexOf(box); at >= 0; at = index.indexOf(box, at + 1))
      index.fill(0, at + 8, at + 16);
  return mp4;
}
