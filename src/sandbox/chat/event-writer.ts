import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { StreamVariant } from '../account/behavior.ts';

/** Writes server-sent events to a response, one packet per event, in the account's stream variants. */
export class EventWriter {
  readonly #outgoing: ServerResponse;
  readonly #variants: ReadonlySet<StreamVariant>;
  readonly #gzip: Gzip | undefined;
  #events = 0;
  #sent: () => void = () => {};

  constructor(outgoing: ServerResponse, variants: readonly StreamVariant[]) {
    this.#outgoing = outgoing;
    this.#variants = new Set(variants);
    this.#gzip = this.#variants.has('gzip') ? createGzip() : undefined;
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
    const text = this.#framed(event);
    if (!this.#variants.has('one_byte')) return this.#send(text);
    for (const byte of Buffer.from(text)) {
      await this.#send(Buffer.of(byte));
      // Yield, so that a reader in this process gets each byte separately.
      await setImmediate();
    }
  }

  end(): void {
    (this.#gzip ?? this.#outgoing).end();
  }

  #framed(event: object | 'done'): string {
    const variants = this.#variants;
    const json = JSON.stringify(event, null, variants.has('multiline') ? 1 : undefined);
    const colon = variants.has('no_space') ? 'data:' : 'data: ';
    const lines = (event === 'done' ? '[DONE]' : json).split('\n').map((line) => colon + line);
    if (variants.has('event_names')) lines.unshift('event: message', `id: ${this.#events}`);
    if (variants.has('comments')) lines.unshift(': keep-alive');
    this.#events += 1;
    return [...lines, '', ''].join(variants.has('crlf') ? '\r\n' : '\n');
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
