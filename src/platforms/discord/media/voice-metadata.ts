import { BufferSource, EncodedPacketSink, Input, type InputAudioTrack, OGG } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { serve } from '../../../media/index.ts';

/** The metadata of a voice message. */
export interface VoiceMetadata {
  readonly seconds: number;
  /** One byte for each part of the clip, at most 256, base64. */
  readonly waveform: string;
}

/** A waveform has at most one point per 100 ms, and 256 points (resources/message). */
const pointSeconds = 0.1;
const maxPoints = 256;
/** A stated length of more seconds is wrong. */
const maxSeconds = 6 * 3_600;

/** Length and waveform of an Ogg Opus clip, decoded packet by packet; undefined if it isn't one. */
async function voiceMetadata(bytes: Uint8Array): Promise<VoiceMetadata | undefined> {
  const input = new Input({ source: new BufferSource(bytes), formats: [OGG] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (track?.codec !== 'opus') return undefined;
    const seconds = await track.computeDuration();
    if (!(seconds > 0 && seconds < maxSeconds)) return undefined;
    return { seconds, waveform: Buffer.from(await peaks(track, seconds)).toString('base64') };
  } catch {
    // Mediabunny can't read it, so it isn't Ogg; the clip is then posted as a file.
    return undefined;
  } finally {
    input.dispose();
  }
}

/** The peak of each part of the clip, in proportion to the clip's own peak, which is 255. */
async function peaks(track: InputAudioTrack, seconds: number): Promise<Uint8Array> {
  const count = Math.min(maxPoints, Math.max(1, Math.ceil(seconds / pointSeconds)));
  const loudest = new Float32Array(count);
  const decoder = new OpusDecoder();
  await decoder.ready;
  try {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const { channelData } = decoder.decodeFrame(packet.data);
      const point = Math.min(count - 1, Math.max(0, Math.floor((packet.timestamp / seconds) * count)));
      for (const sample of channelData[0] ?? []) {
        loudest[point] = Math.max(loudest[point] ?? 0, Math.abs(sample));
      }
    }
  } finally {
    decoder.free();
  }
  const top = loudest.reduce((most, value) => Math.max(most, value), 0.01);
  return Uint8Array.from(loudest, (value) => Math.round((value / top) * 255));
}

serve(({ bytes }: { readonly bytes: Uint8Array }) => voiceMetadata(bytes));
