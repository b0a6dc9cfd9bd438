import { readFile } from 'node:fs/promises';
import loadModule, { type SpeechModule, type SpeechWorker } from '@echogarden/espeak-ng-emscripten';
import {
  type AudioEncodingConfig,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Mp3OutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
} from 'mediabunny';
import { convertSound } from '../../../media/sound/convert-sound.ts';
import type { Clip, SpeechRequest } from '../studio.ts';
import { narrator, splitUtterances, type Tongue, type VoiceProfile } from './voices.ts';

/** Sample rate of the synthesizer; 16 bits, mono. */
export const speechRate = 22_050;

/** Words per minute; Mandarin's syllables are long at the engine's English pace. */
const paceOf = (tongue: Tongue) => (tongue === 'cmn' ? 200 : 170);

/** Bytes of the longest utterance, escaped. The engine's bindings keep what it takes, once they've seen it. */
const longestUtterance = 2048;

/**
 * The engine, of which one serves a thread. A used one would speak the same text with another length, so that each
 * clip begins with its memory as it was at first.
 */
export class SpeechEngine {
  readonly #module: SpeechModule;
  readonly #worker: SpeechWorker;
  readonly #memory: Uint8Array;

  private constructor(module: SpeechModule) {
    this.#module = module;
    this.#worker = new module.eSpeakNGWorker();
    this.#worker.set_voice('en-us', '', 0, 0, 0);
    // Twice, since the bindings allocate their memory at the call after one that had too little.
    for (let i = 0; i < 2; i++) this.#worker.synthesize(' '.repeat(longestUtterance), () => 0);
    this.#memory = module.HEAPU8.slice();
  }

  static async load(): Promise<SpeechEngine> {
    return new SpeechEngine(await loadModule());
  }

  /** Begins a clip with one voice, which ends the clip before. */
  begin(profile: VoiceProfile): Synthesizer {
    // It may have grown since, into another array.
    const { HEAPU8 } = this.#module;
    HEAPU8.set(this.#memory);
    HEAPU8.fill(0, this.#memory.length);
    return new Synthesizer(this.#worker, profile);
  }
}

/** Speaks a clip with one voice, with the same timbre in every language. */
class Synthesizer {
  readonly #engine: SpeechWorker;
  readonly #profile: VoiceProfile;

  constructor(engine: SpeechWorker, profile: VoiceProfile) {
    this.#engine = engine;
    this.#profile = profile;
  }

  /** Speaks at most one sentence; text without speech gives almost no samples. */
  say(tongue: Tongue, text: string): Int16Array {
    this.#choose(tongue);
    const parts: Int16Array[] = [];
    // The engine reads SSML, and a text could ask for an hour's break.
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    this.#engine.synthesize(escaped, (samples) => {
      parts.push(samples);
      return 0;
    });
    return joined(parts);
  }

  /** The phonemes of `text`, as the engine would speak it. */
  phonemes(tongue: Tongue, text: string): string {
    this.#choose(tongue);
    return this.#engine.synthesize_ipa(text).ipa;
  }

  #choose(tongue: Tongue): void {
    const { variant, pitch, range } = this.#profile;
    this.#engine.set_voice(`${tongue}+${variant}`, '', 0, 0, 0);
    this.#engine.set_rate(paceOf(tongue));
    this.#engine.set_pitch(pitch);
    this.#engine.set_range(range);
  }
}

/** Samples one after the other. */
function joined(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const encoders: Record<SpeechRequest['format'], (speech: Int16Array) => Clip | Promise<Clip>> = {
  mp3: encodeMp3,
  wav: encodeWav,
  opus: encodeOpus,
  ogg: encodeOpus,
  vorbis: recordedVorbis,
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
async function encodeWav(speech: Int16Array): Promise<Clip> {
  return clip('audio/wav', speech, [await encoded(speech, new WavOutputFormat(), { codec: 'pcm-s16' })]);
}

/** Enough for speech at 22050 Hz in one channel; the longest text then stays below nine megabytes. */
const kilobitsPerSecond = 48;

/** MP3 (MPEG-2 layer III): mono, 22050 Hz, constant bit rate, gapless. */
async function encodeMp3(speech: Int16Array): Promise<Clip> {
  (await import('@mediabunny/mp3-encoder')).registerMp3Encoder();
  const format = new Mp3OutputFormat({ xingHeader: false });
  const frames = await encoded(speech, format, { codec: 'mp3', bitrate: kilobitsPerSecond * 1_000 });
  return clip('audio/mpeg', speech, [gaplessFrame(frames, speech.length), frames]);
}

async function encoded(speech: Int16Array, format: OutputFormat, how: AudioEncodingConfig): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const track = new AudioSampleSource(how);
  output.addAudioTrack(track);
  await output.start();
  const about = { format: 's16', sampleRate: speechRate, numberOfChannels: 1, timestamp: 0 } as const;
  const sample = new AudioSample({ data: speech, ...about });
  await track.add(sample);
  sample.close();
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

/** Ogg Opus, by the converter of the bot's own voice messages: mono, 48000 Hz, gapless. */
async function encodeOpus(speech: Int16Array): Promise<Clip> {
  const opus = await convertSound((await encodeWav(speech)).bytes, 'opus');
  return clip('audio/ogg', speech, opus ? [opus] : []);
}

const recordedSeconds = 1.4911;

/** Ogg Vorbis: always the same recorded words, since an encoder would weigh more than the rest of the sandbox. */
async function recordedVorbis(): Promise<Clip> {
  const bytes = await readFile(new URL('good-morning.ogg', import.meta.url));
  return { bytes, contentType: 'audio/ogg', seconds: recordedSeconds };
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
