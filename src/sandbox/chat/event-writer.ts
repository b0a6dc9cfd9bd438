import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { StreamVariant } from '../account/behavior.ts';
import { Framing } from './framing.ts';

/** Writes server-sent events to a response, one packet per event, in the account's stream variants. */
export class EventWriter {
  readonly #outgoing: ServerResponse;
  readonly #framing: Framing;
  readonly #oneByte: boolean;
  readonly #gzip: Gzip | undefined;
  #sent: () => void = () => {};

  constructor(outgoing: ServerResponse, shapes: readonly StreamVariant[]) {
    this.#outgoing = outgoing;
    this.#framing = new Framing(shapes);
    this.#oneByte = shapes.includes('one_byte');
    this.#gzip = shapes.includes('gzip') ? createGzip() : undefined;
    // Node drops the callbacks of pending writes when the client disconnects.
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

  /** Resolves when the event is flushed, or the client has disconnected. */
  async write(event: object | 'done'): Promise<void> {
    const text = event === 'done' ? this.#framing.done() : this.#framing.event(event);
    if (!this.#oneByte) return this.#send(text);
    for (const byte of Buffer.from(text)) {
      await this.#send(Buffer.of(byte));
      // Yield, so that a reader in this process gets each byte separately.
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
