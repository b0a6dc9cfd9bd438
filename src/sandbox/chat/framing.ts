import type { StreamVariant } from '../account/behavior.ts';

/** Formats JSON as server-sent events, in the account's stream variants. */
export class Framing {
  readonly #shapes: ReadonlySet<StreamVariant>;
  readonly #newline: string;
  #events = 0;

  constructor(shapes: readonly StreamVariant[]) {
    this.#shapes = new Set(shapes);
    this.#newline = this.#shapes.has('crlf') ? '\r\n' : '\n';
  }

  event(value: object): string {
    const text = this.#shapes.has('multiline') ? JSON.stringify(value, null, 1) : JSON.stringify(value);
    return this.#frame(text);
  }

  /** The final `[DONE]` event. */
  done(): string {
    return this.#frame('[DONE]');
  }

  #frame(text: string): string {
    const colon = this.#shapes.has('no_space') ? 'data:' : 'data: ';
    const lines = text.split('\n').map((line) => colon + line);
    if (this.#shapes.has('event_names')) lines.unshift('event: message', `id: ${this.#events}`);
    if (this.#shapes.has('comments')) lines.unshift(': keep-alive');
    this.#events += 1;
    return lines.join(this.#newline) + this.#newline + this.#newline;
  }
}
