import { createSandbox, type ListeningSandbox, type Studio } from '../../src/sandbox/index.ts';
import { type Clip, MediaStudio, type SpeechRequest } from '../../src/sandbox/media/studio.ts';

/** What the sandbox's meter tells of a call that cost something. */
export interface MeterItem {
  readonly request_id: string;
  readonly operation: string;
  readonly conversation_id: string | null;
  readonly credits: number;
}

/** A slow service that counts what it was paid for, by prompt. */
export class CountingService {
  readonly made = new Map<string, number>();
  /** How long things take to be made from now on. */
  making: number | Promise<unknown>;
  readonly #pace: number;
  #sandbox: ListeningSandbox | undefined;
  readonly #speaker = new MediaStudio();
  readonly #clips = new Map<string, Promise<Clip>>();

  /**
   * `making`: how long things take to be made, in milliseconds, or until when nothing is. `pace`: how much faster answers
   * are written than people read.
   */
  constructor(making: number | Promise<unknown> = 700, pace = 12) {
    this.making = making;
    this.#pace = pace;
  }

  async start(): Promise<{ readonly url: string; readonly key: string }> {
    const make = async (prompt: string, content: string): Promise<Uint8Array> => {
      this.made.set(prompt, (this.made.get(prompt) ?? 0) + 1);
      const { making } = this;
      await (typeof making === 'number' ? new Promise((resolve) => setTimeout(resolve, making)) : making);
      return Buffer.from(content);
    };
    const studio: Studio = {
      speak: async (order) => {
        await make(order.text, '');
        return this.#clip(order);
      },
      draw: ({ prompt }) => make(prompt, '\x89PNG\r\n\x1a\n of the crash test'),
      film: ({ prompt }) => make(prompt, '\0\0\0\x18ftypmp42 of the crash test'),
      close: () => {},
    };
    this.#sandbox = await createSandbox({
      media: studio,
      limits: 'off',
      pace: this.#pace,
      renderTime: 0,
    }).listen();
    return this.#sandbox;
  }

  /** The key that it takes. */
  get key(): string {
    if (!this.#sandbox) throw new Error('not started');
    return this.#sandbox.key;
  }

  /** Every call that cost something, as the service itself counts. */
  async meter(): Promise<readonly MeterItem[]> {
    if (!this.#sandbox) return [];
    const { url, key } = this.#sandbox;
    const answer = await fetch(`${url}/sandbox/meter`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { readonly items: readonly MeterItem[] }).items;
  }

  /** A real clip, the same for every text: its length is what it costs. */
  async #clip(order: SpeechRequest): Promise<Clip> {
    const clip = this.#clips.get(order.format) ?? this.#speaker.speak({ ...order, text: 'One.' });
    this.#clips.set(order.format, clip);
    return clip;
  }

  async close(): Promise<void> {
    await this.#speaker.close();
    await this.#sandbox?.close();
  }
}
