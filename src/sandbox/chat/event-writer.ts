import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { StreamShape } from '../switches.ts';
import { Framing } from './framing.ts';

/** Writes server-sent events to a response, one packet an event, in the form asked for. */
export class EventWriter {
  readonly #outgoing: ServerResponse;
  readonly #framing: Framing;
  readonly #oneByte: boolean;
  readonly #gzip: Gzip | undefined;
  #sent: () => void = () => {};

  constructor(outgoing: ServerResponse, shapes: readonly StreamShape[]) {
    this.#outgoing = outgoing;
    this.#framing = new Framing(shapes);
    this.#oneByte = shapes.includes('one_byte');
    this.#gzip = shapes.includes('gzip') ? createGzip() : undefined;
    // A response whose client is gone forgets the callbacks of what it has not written.
    outgoing.once('close', () => this.#sent());
  }

  /** Sends the headers. */
  open(): void {
    this.#outgoing.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...(this.#gzip && { 'content-encoding': 'gzip' }),
    });
    this.#outgoing.flushHeaders();
    this.#gzip?.pipe(this.#outgoing);
  }

  /** Resolves when the event is on its way, or the client is gone. */
  async write(event: object | 'done'): Promise<void> {
    const text = event === 'done' ? this.#framing.done() : this.#framing.event(event);
    if (!this.#oneByte) return this.#send(text);
    for (const byte of Buffer.from(text)) {
      await this.#send(Buffer.of(byte));
      // A turn of the event loop, so that a reader in this process gets each byte by itself.
      await setImmediate();
    }
  }

  end(): void {
    (this.#gzip ?? this.#outgoing).end();
  }

  #send(data: string | Buffer): Promise<void> {
    const gzip = this.#gzip;
    if (this.#outgoing.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#sent = resolve;
      if (!gzip) this.#outgoing.write(data, () => resolve());
      else gzip.write(data, () => gzip.flush(() => resolve()));
    });
  }
}
