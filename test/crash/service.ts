import { createSandbox, type ListeningSandbox, type Studio } from '../../src/sandbox/index.ts';

/** How long things take to be made, in milliseconds. */
const making = 700;

/** A slow service that counts what it was paid for, by prompt. */
export class CountingService {
  readonly made = new Map<string, number>();
  #sandbox: ListeningSandbox | undefined;

  async start(): Promise<{ readonly url: string; readonly key: string }> {
    const make = async (prompt: string, content: string): Promise<Uint8Array> => {
      this.made.set(prompt, (this.made.get(prompt) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, making));
      return Buffer.from(content);
    };
    const studio: Studio = {
      speak: async () => ({ bytes: Buffer.from('OggS'), contentType: 'audio/ogg', seconds: 1 }),
      draw: ({ prompt }) => make(prompt, '\x89PNG\r\n\x1a\n of the crash test'),
      film: ({ prompt }) => make(prompt, '\0\0\0\x18ftypmp42 of the crash test'),
      close: () => {},
    };
    this.#sandbox = await createSandbox({ media: studio, limits: 'off', pace: 12, renderTime: 0 }).listen();
    return this.#sandbox;
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
  }
}
