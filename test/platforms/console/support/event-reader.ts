import { get, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Reads server-sent events one by one. */
export class EventReader {
  readonly response: IncomingMessage;
  readonly #events: EventSourceMessage[] = [];
  #waiting: ((event: EventSourceMessage | undefined) => void) | undefined;
  #ended = false;

  constructor(response: IncomingMessage) {
    this.response = response;
    const parser = createParser({ onEvent: (event) => this.#take(event) });
    response.setEncoding('utf8');
    response.on('data', (text: string) => parser.feed(text));
    response.on('close', () => {
      this.#ended = true;
      this.#waiting?.(undefined);
    });
    response.on('error', () => {});
  }

  static open(url: string, headers: Record<string, string>): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      get(url, { headers }, (response) => resolve(new EventReader(response))).on('error', reject);
    });
  }

  /** The next event; undefined when the stream has ended. */
  next(): Promise<EventSourceMessage | undefined> {
    const event = this.#events.shift();
    if (event || this.#ended) return Promise.resolve(event);
    return new Promise((resolve) => {
      this.#waiting = (given) => {
        this.#waiting = undefined;
        resolve(given);
      };
    });
  }

  /** The next event of this name, with its data read. */
  async nextOf<Data>(name: string): Promise<{ data: Data; id: string | undefined }> {
    for (;;) {
      const event = await this.next();
      if (!event) throw new Error(`the stream ended before an event ${name}`);
      if (event.event === name) return { data: JSON.parse(event.data) as Data, id: event.id };
    }
  }

  close(): void {
    this.response.destroy();
  }

  #take(event: EventSourceMessage): void {
    if (this.#waiting) this.#waiting(event);
    else this.#events.push(event);
  }
}
