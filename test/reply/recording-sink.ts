import type { Clock } from '../../src/lib/clock.ts';
import type { MessageContext, ReplySink } from '../../src/reply/index.ts';

export interface Write {
  readonly at: number;
  readonly kind: 'post' | 'edit' | 'file';
  readonly index: number;
  readonly text: string;
  readonly context?: MessageContext;
}

/** A platform that remembers every write, and fails or takes its time when told to. */
export class RecordingSink implements ReplySink<number> {
  readonly maxLength: number;
  readonly writes: Write[] = [];
  /** What stands on the platform, by handle. */
  readonly messages: string[] = [];
  files: string[] = [];
  /** The greatest number of writes that were under way at once. */
  mostAtOnce = 0;
  /** Milliseconds that a write takes. */
  latency = 0;
  /** Throws to make a write fail; called with the write and how many came before it. */
  fail: (write: Write, before: number) => void | Promise<void> = () => {};
  #underWay = 0;
  readonly #clock: Clock;
  readonly #onWrite: () => void;

  constructor(clock: Clock, { maxLength = 2000, onWrite = () => {} } = {}) {
    this.#clock = clock;
    this.maxLength = maxLength;
    this.#onWrite = onWrite;
  }

  async post(text: string, context: MessageContext): Promise<number> {
    await this.#write({ at: this.#clock.now(), kind: 'post', index: context.index, text, context });
    return this.messages.push(text) - 1;
  }

  async edit(handle: number, text: string, context: MessageContext): Promise<void> {
    await this.#write({ at: this.#clock.now(), kind: 'edit', index: context.index, text, context });
    this.messages[handle] = text;
  }

  async #write(write: Write): Promise<void> {
    this.#onWrite();
    this.writes.push(write);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    try {
      if (this.latency > 0) await new Promise<void>((resolve) => this.#clock.after(this.latency, resolve));
      await this.fail(write, this.writes.length - 1);
    } finally {
      this.#underWay--;
    }
  }

  get texts(): string[] {
    return this.writes.map((write) => write.text);
  }
}

/** The same with files. */
export class RecordingSinkWithFiles extends RecordingSink {
  failFile: () => void = () => {};

  async attachWhole(text: string, after: number): Promise<void> {
    this.failFile();
    this.files.push(text);
    this.writes.push({ at: 0, kind: 'file', index: after, text });
  }
}
