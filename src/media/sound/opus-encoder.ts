// Not the package's native build, which crashes the process when its worker thread ends.
import { Encoder } from '@evan/opus/wasm/index.mjs';
import { type AudioCodec, type AudioSample, CustomAudioEncoder, EncodedPacket } from 'mediabunny';

/** Ogg Opus counts time at 48,000 Hz, whatever the input's rate (RFC 7845). */
export const opusRate = 48_000;
/** 20 ms. */
const samplesPerPacket = opusRate / 50;
const bitsPerSecond = 40_000;
/** Of 10: takes half the time of the default, with no audible difference at this rate. */
const complexity = 4;
/** Numbers of libopus's encoder controls. */
const request = { setBitrate: 4002, setComplexity: 4010, lookahead: 4027 } as const;

/** Encodes speech as Opus: one channel at 48,000 Hz, of exactly the input's length. */
export class OpusEncoder extends CustomAudioEncoder {
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
    for (let at = 0; at < samples.length; ) {
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
