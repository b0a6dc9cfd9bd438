import { setImmediate as nextTurn } from 'node:timers/promises';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
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
import { Random } from '../../random.ts';
import { paintTop, readReferences, type Reference } from '../drawing/overlay.ts';
import { compose } from '../drawing/picture.ts';
import type { Layer, Pen } from '../drawing/stage.ts';
import type { Size } from '../sizes.ts';
import type { OnProgress, VideoRequest } from '../studio.ts';

/** Frames per second. */
const frameRate = 24;

/** 10 (best) to 51; no visible banding, and fifteen seconds of 1080p stay below 10 MB. */
const quantization = 22;
const fastest = 10;

const audioBitsPerSecond = 128_000;

/** Samples in an MP3 packet; the encoder adds one packet at the start. */
const samplesPerPacket = 1152;

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
  registerMp3Encoder();
  const track = new AudioSampleSource({ codec: 'mp3', bitrate: audioBitsPerSecond });
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

/** The scene of a video. */
export interface FrameScene extends Size {
  readonly prompt: string;
  readonly seed: number;
  readonly seconds: number;
  readonly references: readonly Reference[];
}

/** Share of the width painted beyond either edge, and how much of it the camera uses. */
const marginShare = 0.1;
const cameraShare = 0.7;

/** Layers whose depths differ by less move together. */
const sameDepth = 0.05;

/** Layers that move together, with their picture unless they are painted again for every frame. */
interface Sheet extends Layer {
  readonly picture?: Canvas;
}

/**
 * Draws the frames of a video with parallax: each layer is painted once and then shifted by whole pixels while
 * the camera moves sideways; near layers move faster.
 */
export class Frames {
  readonly #scene: FrameScene;
  readonly #margin: number;
  readonly #pen: Pen;
  readonly #sheets: readonly Sheet[];
  readonly #top: Canvas;

  constructor(scene: FrameScene) {
    const { width, height } = scene;
    this.#scene = scene;
    this.#margin = Math.round(width * marginShare);
    this.#pen = createCanvas(width, height).getContext('2d');
    this.#sheets = this.#paintSheets(compose({ ...scene, margin: this.#margin }));
    this.#top = createCanvas(width, height);
    paintTop(this.#top.getContext('2d'), scene);
  }

  /** The pixels of the frame at `seconds`, RGBA in rows. */
  at(seconds: number): Uint8ClampedArray {
    const { width, height, seconds: all } = this.#scene;
    const camera = (2 * seconds) / all - 1;
    const pen = this.#pen;
    for (const { depth, motion, paint, picture } of this.#sheets) {
      const { x = 0, y = 0, alpha = 1 } = motion?.(seconds) ?? {};
      const left = Math.round(x - camera * depth * this.#margin * cameraShare);
      pen.save();
      pen.globalAlpha = alpha;
      // What is nearest, such as rain, falls in front of the camera.
      if (picture || depth < 1) pen.translate(left, Math.round(y));
      if (picture) pen.drawImage(picture, -this.#margin, 0);
      else paint(pen, seconds);
      pen.restore();
    }
    pen.drawImage(this.#top, 0, 0);
    return pen.getImageData(0, 0, width, height).data;
  }

  /** Paints layers onto as few sheets as possible: adjacent ones that move together share one. */
  #paintSheets(layers: readonly Layer[]): Sheet[] {
    const sheets: Sheet[] = [];
    for (const layer of layers) {
      const last = sheets.at(-1);
      const isStill = [layer, last].every((one) => one && !one.live && !one.motion);
      const shares = isStill && last && Math.abs(last.depth - layer.depth) <= sameDepth;
      if (!shares) sheets.push(layer.live ? layer : { ...layer, picture: this.#blankSheet() });
      const pen = sheets.at(-1)?.picture?.getContext('2d');
      if (pen) layer.paint(pen, 0);
    }
    return sheets;
  }

  #blankSheet(): Canvas {
    const { width, height } = this.#scene;
    const canvas = createCanvas(width + 2 * this.#margin, height);
    canvas.getContext('2d').translate(this.#margin, 0);
    return canvas;
  }
}

/** Samples per second of the sound track, in two channels. */
const tuneRate = 48_000;

const notesPerSecond = 3;
const notesPerBar = 8;

type Choices = readonly [readonly number[], ...(readonly number[])[]];

/** Major and minor pentatonic scales, in semitones: nothing in them clashes. */
const scales: Choices = [
  [0, 2, 4, 7, 9],
  [0, 3, 5, 7, 10],
];

/** Chord roots as steps of the scale, one a bar. */
const progressions: Choices = [
  [0, 3, 4, 2],
  [0, 2, 3, 1],
  [4, 3, 0, 2],
];

/**
 * A gentle plucked tune over a slow bass; the same seed gives the same tune.
 * @returns left and right samples, one after the other, between -1 and 1
 */
export function tune(seed: string, seconds: number): Float32Array {
  const interleaved = new Float32Array(2 * Math.round(seconds * tuneRate));
  const random = new Random(seed);
  const scale = random.pick(scales);
  const progression = random.pick(progressions);
  const root = 220 * 2 ** (random.whole(-4, 4) / 12);
  const pitch = (step: number) => {
    const octave = Math.floor(step / scale.length);
    return root * 2 ** (octave + (scale[step - octave * scale.length] ?? 0) / 12);
  };
  let melody = 5;
  for (let index = 0; index < seconds * notesPerSecond; index++) {
    const at = index / notesPerSecond;
    const chord = progression[Math.floor(index / notesPerBar) % progression.length] ?? 0;
    const place = random.between(0.25, 0.75);
    if (index % 4 === 0) {
      pluck(interleaved, { at, hertz: pitch(chord) / 2, loudness: 0.3, decay: 1.1, place: 0.5 });
      pluck(interleaved, { at, hertz: pitch(chord + 2), loudness: 0.09, decay: 1.4, place: 0.35 });
    }
    melody = Math.max(3, Math.min(12, melody + random.whole(-2, 2)));
    if (index % 2 === 0 || random.chance(0.45))
      pluck(interleaved, {
        at,
        hertz: pitch(melody),
        loudness: random.between(0.12, 0.2),
        decay: 0.5,
        place,
      });
  }
  // The last second goes out softly.
  const tail = Math.min(interleaved.length, 2 * tuneRate);
  return interleaved.map((sample, index) => sample * Math.min(1, (interleaved.length - index) / tail));
}

interface Note {
  /** Seconds from the start. */
  readonly at: number;
  readonly hertz: number;
  readonly loudness: number;
  /** Seconds until it has faded to about a third. */
  readonly decay: number;
  /** 0 is left, 1 is right. */
  readonly place: number;
}

/** A string that begins bright and ends soft. */
function pluck(interleaved: Float32Array, { at, hertz, loudness, decay, place }: Note): void {
  const start = Math.round(at * tuneRate);
  const length = Math.min(interleaved.length / 2 - start, Math.round(decay * 4 * tuneRate));
  const turn = (2 * Math.PI * hertz) / tuneRate;
  const attack = 0.006 * tuneRate;
  for (let i = 0; i < length; i++) {
    const life = Math.exp(-i / (decay * tuneRate));
    const overtones = 0.35 * life * Math.sin(2 * i * turn) + 0.16 * life * life * Math.sin(3 * i * turn);
    const sample = loudness * life * Math.min(1, i / attack) * (Math.sin(i * turn) + overtones);
    const index = 2 * (start + i);
    interleaved[index] = (interleaved[index] ?? 0) + sample * (1 - place);
    interleaved[index + 1] = (interleaved[index + 1] ?? 0) + sample * place;
  }
}
