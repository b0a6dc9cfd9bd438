// Not the package's native build, which crashes the process when its worker thread ends.
import { Encoder } from '@evan/opus/wasm/index.mjs';
import {
  ALL_FORMATS,
  type AudioCodec,
  AudioSample,
  AudioSampleSink,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  CustomAudioEncoder,
  EncodedPacket,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  Mp3OutputFormat,
  OggOutputFormat,
  Output,
  registerEncoder,
  WavOutputFormat,
} from 'mediabunny';
import { type MPEGDecodedAudio, MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';

/** `opus` in Ogg, for voice messages; `mp3`, which plays everywhere; `wav`, which is large. */
export type SoundFormat = 'opus' | 'mp3' | 'wav';

const containers = {
  opus: { codec: 'opus', create: () => new OggOutputFormat() },
  mp3: { codec: 'mp3', create: () => new Mp3OutputFormat() },
  wav: { codec: 'pcm-s16', create: () => new WavOutputFormat() },
} as const;

/** Enough for speech in one channel. */
const mp3BitsPerSecond = 64_000;

/**
 * Converts a clip to another format with one channel; undefined if it can't be decoded. Blocks its thread for about a
 * hundredth of the clip's length, so run it in a worker.
 */
export async function convertSound(
  bytes: Uint8Array,
  to: SoundFormat,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (to === 'mp3') (await import('@mediabunny/mp3-encoder')).registerMp3Encoder();
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

/** A piece of sound from a decoder. */
type Decoded = Pick<MPEGDecodedAudio, 'channelData' | 'samplesDecoded' | 'sampleRate'>;

/** Bytes decoded at once, so that a long clip is never in memory as a whole, decoded. */
const pieceBytes = 65_536;

/** The sound of a WAV, MP3, Ogg Vorbis or Opus file, piece by piece; nothing for any other file. */
async function* decodeSound(bytes: Uint8Array): AsyncGenerator<AudioSample> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) return;
    if (track.codec?.startsWith('pcm-')) yield* new AudioSampleSink(track).samples();
    else yield* samplesOf(decoded(track, bytes));
  } finally {
    input.dispose();
  }
}

/** What the decoder for a track makes of it; nothing where there's none. */
async function* decoded(track: InputAudioTrack, bytes: Uint8Array): AsyncGenerator<Decoded> {
  switch (track.codec) {
    case 'mp3':
      return yield* decodedBy(new MPEGDecoder(), (mp3) => pieces(bytes).map((piece) => mp3.decode(piece)));
    case 'vorbis': {
      const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis');
      return yield* decodedBy(new OggVorbisDecoder(), async function* (vorbis) {
        for (const piece of pieces(bytes)) yield await vorbis.decode(piece);
        yield await vorbis.flush();
      });
    }
    case 'opus':
      return yield* decodedBy(new OpusDecoder(), async function* (opus) {
        for await (const { data } of new EncodedPacketSink(track).packets()) yield opus.decodeFrame(data);
      });
  }
}

/** Has a decoder work, and frees it in the end. */
async function* decodedBy<Decoder extends { readonly ready: Promise<void>; free(): void }>(
  decoder: Decoder,
  work: (decoder: Decoder) => Iterable<Decoded> | AsyncIterable<Decoded>,
): AsyncGenerator<Decoded, void> {
  await decoder.ready;
  try {
    yield* work(decoder);
  } finally {
    decoder.free();
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function* samplesOf(sound: AsyncIterable<Decoded>): AsyncGenerator<AudioSample> {
  let timestamp = 0;
  for await (const { channelData, samplesDecoded, sampleRate } of sound) {
    if (samplesDecoded === 0 || channelData.length === 0) continue;
    const data = new Float32Array(samplesDecoded * channelData.length);
    channelData.forEach((channel, index) => {
      data.set(channel.subarray(0, samplesDecoded), index * samplesDecoded);
    });
    const numberOfChannels = channelData.length;
    yield new AudioSample({ data, format: 'f32-planar', sampleRate, numberOfChannels, timestamp });
    timestamp += samplesDecoded / sampleRate;
  }
}

/** Ogg Opus counts time at 48,000 Hz, whatever the input's rate (RFC 7845). */
const opusRate = 48_000;
/** 20 ms. */
const samplesPerPacket = opusRate / 50;
const bitsPerSecond = 40_000;
/** Of 10: takes half the time of the default, with no audible difference at this rate. */
const complexity = 4;
/** Numbers of libopus's encoder controls. */
const request = { setBitrate: 4002, setComplexity: 4010, lookahead: 4027 } as const;

/** Encodes speech as Opus: one channel at 48,000 Hz, of exactly the input's length. */
class OpusEncoder extends CustomAudioEncoder {
  #encoder: Encoder | undefined;
  #lookahead = 0;
  readonly #frame = new Int16Array(samplesPerPacket);
  #filled = 0;
  #packets = 0;

  static override supports(codec: AudioCodec, config: AudioEncoderConfig): boolean {
    return codec === 'opus' && config.sampleRate === opusRate && config.numberOfChannels === 1;
  }

  init(): void {
    const encoder = new Encoder({ channels: 1, sample_rate: opusRate, application: 'voip' });
    encoder.ctl(request.setBitrate, bitsPerSecond);
    encoder.ctl(request.setComplexity, complexity);
    this.#lookahead = encoder.ctl(request.lookahead);
    this.#encoder = encoder;
  }

  encode(sample: AudioSample): void {
    const samples = new Int16Array(sample.numberOfFrames);
    sample.copyTo(samples, { planeIndex: 0, format: 's16' });
    this.#add(samples);
  }

  /** The decoder's output is `lookahead` samples late, so as many more have to be encoded. */
  flush(): void {
    this.#add(new Int16Array(this.#lookahead));
    if (this.#filled === 0) return;
    const length = this.#filled;
    this.#frame.fill(0, length);
    this.#send(length);
  }

  close(): void {
    this.#encoder?.drop();
    this.#encoder = undefined;
  }

  #add(samples: Int16Array): void {
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + samplesPerPacket - this.#filled);
      this.#frame.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === samplesPerPacket) this.#send(samplesPerPacket);
    }
  }

  /** @param length how many samples of the frame count: all, except in the last packet. */
  #send(length: number): void {
    if (!this.#encoder) throw new Error('the encoder is closed');
    const data = this.#encoder.encode(this.#frame);
    const timestamp = (this.#packets * samplesPerPacket) / opusRate;
    this.#packets += 1;
    this.#filled = 0;
    this.onPacket(new EncodedPacket(data, 'key', timestamp, length / opusRate), {
      decoderConfig: {
        codec: 'opus',
        numberOfChannels: 1,
        sampleRate: opusRate,
        description: identificationHeader(this.#lookahead),
      },
    });
  }
}

/** "OpusHead" (RFC 7845, section 5.1): version, channels, pre-skip, original rate, gain, mapping family. */
function identificationHeader(preSkip: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(19);
  const view = new DataView(header.buffer);
  header.set(new TextEncoder().encode('OpusHead'));
  view.setUint8(8, 1);
  view.setUint8(9, 1);
  view.setUint16(10, preSkip, true);
  view.setUint32(12, opusRate, true);
  return header;
}

registerEncoder(OpusEncoder);
