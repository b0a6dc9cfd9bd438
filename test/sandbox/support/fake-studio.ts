import { createHash } from 'node:crypto';
import type {
  PictureRequest,
  SpeechRequest,
  Studio,
  VideoRequest,
} from '../../../src/sandbox/media/studio.ts';

/** A studio whose files are a few bytes made from the order, at once; it remembers the orders. */
export class FakeStudio implements Studio {
  readonly spoken: SpeechRequest[] = [];
  readonly drawn: PictureRequest[] = [];
  readonly filmed: VideoRequest[] = [];
  /** Seconds of the next clips. */
  seconds = 2.4;
  /** While set, films wait for it. */
  filming: Promise<void> | undefined;
  /** What the next works fail with. */
  failure: Error | undefined;
  closed = false;

  async speak(order: SpeechRequest) {
    this.spoken.push(order);
    if (this.failure) throw this.failure;
    return { bytes: bytesOf(order), contentType: `audio/${order.format}`, seconds: this.seconds };
  }

  async draw(order: PictureRequest): Promise<Uint8Array> {
    this.drawn.push(order);
    if (this.failure) throw this.failure;
    return bytesOf(order);
  }

  async film(order: VideoRequest, onProgress?: (done: number) => void): Promise<Uint8Array> {
    this.filmed.push(order);
    onProgress?.(0.5);
    await this.filming;
    if (this.failure) throw this.failure;
    onProgress?.(1);
    return bytesOf(order);
  }

  close(): void {
    this.closed = true;
  }
}

function bytesOf(order: object): Uint8Array {
  return createHash('sha512').update(JSON.stringify(order)).digest();
}
