declare module '@evan/opus/wasm/index.mjs' {
  export class Encoder {
    constructor(options: { channels: 1 | 2; sample_rate: number; application: 'voip' | 'audio' });
    /** One packet from 16-bit samples. */
    encode(samples: ArrayBufferView): Uint8Array;
    /** libopus's `opus_encoder_ctl`: sets where a value is given, else asks. */
    ctl(request: number, value?: number): number;
    /** Frees the encoder. */
    drop(): void;
  }
}
