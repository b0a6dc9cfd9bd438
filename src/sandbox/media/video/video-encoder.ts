import h264, { type H264MP4Encoder } from 'h264-mp4-encoder';
import { BufferSource, type EncodedPacket, EncodedPacketSink, Input, MP4 } from 'mediabunny';

/** Frames per second. */
export const frameRate = 24;

/** 10 (best) to 51; no visible banding, and fifteen seconds of 1080p stay below 10 MB. */
const quantization = 22;
const fastest = 10;

/** H.264 (baseline, 4:2:0) in software. */
export class VideoEncoder {
  readonly #encoder: H264MP4Encoder;

  private constructor(encoder: H264MP4Encoder) {
    this.#encoder = encoder;
  }

  /** `width` and `height` are even. */
  static async create(width: number, height: number): Promise<VideoEncoder> {
    const encoder = await h264.createH264MP4Encoder();
    encoder.width = width;
    encoder.height = height;
    encoder.frameRate = frameRate;
    encoder.speed = fastest;
    encoder.quantizationParameter = quantization;
    encoder.groupOfPictures = 2 * frameRate;
    encoder.initialize();
    return new VideoEncoder(encoder);
  }

  /** Appends a frame of RGBA pixels. */
  add(pixels: Uint8ClampedArray): void {
    this.#encoder.addFrameRgba(pixels);
  }

  /** Ends the stream and returns its packets, timed by the frame rate. The encoder can't be used again. */
  async finish() {
    this.#encoder.finalize();
    const file = this.#encoder.FS.readFile(this.#encoder.outputFilename);
    this.#encoder.FS.unlink(this.#encoder.outputFilename);
    this.#encoder.delete();
    using input = new Input({ source: new BufferSource(file), formats: [MP4] });
    const track = await input.getPrimaryVideoTrack();
    const decoderConfig = await track?.getDecoderConfig();
    if (!track || !decoderConfig) throw new Error('the encoder wrote no video track');
    const packets: EncodedPacket[] = [];
    for await (const packet of new EncodedPacketSink(track).packets())
      packets.push(packet.clone({ timestamp: packets.length / frameRate, duration: 1 / frameRate }));
    return { packets, decoderConfig };
  }
}
