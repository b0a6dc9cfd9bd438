import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSink,
  BufferSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
} from 'mediabunny';
import { MPEGDecoder } from 'mpg123-decoder';
import { OpusDecoder } from 'opus-decoder';

/** A piece of sound from a decoder. */
interface Decoded {
  readonly channelData: readonly Float32Array[];
  readonly samplesDecoded: number;
  readonly sampleRate: number;
}

/** Bytes decoded at once, so that a long clip is never in memory as a whole, decoded. */
const pieceBytes = 65_536;

/** The sound of a WAV, MP3, Ogg Vorbis or Opus file, piece by piece; nothing for any other file. */
export async function* decodeSound(bytes: Uint8Array): AsyncGenerator<AudioSample> {
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

function decoded(track: InputAudioTrack, bytes: Uint8Array): AsyncIterable<Decoded> {
  switch (track.codec) {
    case 'mp3':
      return decodeMp3(bytes);
    case 'vorbis':
      return decodeVorbis(bytes);
    case 'opus':
      return decodeOpus(track);
    default:
      return (async function* () {})();
  }
}

async function* decodeMp3(bytes: Uint8Array): AsyncGenerator<Decoded> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for (const piece of pieces(bytes)) yield decoder.decode(piece);
  } finally {
    decoder.free();
  }
}

async function* decodeVorbis(bytes: Uint8Array): AsyncGenerator<Decoded> {
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  try {
    for (const piece of pieces(bytes)) yield await decoder.decode(piece);
    yield await decoder.flush();
  } finally {
    decoder.free();
  }
}

async function* decodeOpus(track: InputAudioTrack): AsyncGenerator<Decoded> {
  const decoder = new OpusDecoder();
  await decoder.ready;
  try {
    for await (const packet of new EncodedPacketSink(track).packets()) yield decoder.decodeFrame(packet.data);
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
