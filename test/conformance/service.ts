import { type Clock, sleep } from '../../src/lib/clock.ts';

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; undefined if it isn't JSON. */
  readonly json: unknown;
}

/** Where a service is, and the key to it. */
export interface Address {
  readonly url: string;
  readonly key: string;
}

/** Options of a request besides method and path. */
export interface Extras {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const requestMilliseconds = 180_000;
const longestWaitSeconds = 90;

/** A service that is checked: sends requests as they are, and waits where the service asks for it with a 429. */
export class CheckedService {
  readonly #url: string;
  readonly #key: string;
  readonly #clock: Clock;
  readonly #note: (line: string) => void;

  /** `note` gets a line where something takes long. */
  constructor(address: Address, clock: Clock, note: (line: string) => void) {
    this.#url = address.url.replace(/\/+$/, '');
    this.#key = address.key;
    this.#clock = clock;
    this.#note = note;
  }

  pause(seconds: number): Promise<void> {
    return sleep(this.#clock, seconds * 1_000);
  }

  /** Sends a request, again after the time a 429 names. */
  async send(method: string, path: string, extras: Extras = {}): Promise<Answer> {
    const answer = await this.sendOnce(method, path, extras);
    if (answer.status !== 429) return answer;
    const named = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const seconds = Math.min(named >= 0 ? named : 60, longestWaitSeconds);
    this.#note(`waiting ${seconds} s, as the service asks with HTTP 429`);
    await this.pause(seconds);
    return this.sendOnce(method, path, extras);
  }

  /** Sends a request and takes whatever comes. */
  async sendOnce(method: string, path: string, { body, headers }: Extras = {}): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestMilliseconds),
    });
    return read(response);
  }

  /** Fetches a result, without the key: it is not for other hosts to see. */
  async fetchResult(url: string): Promise<Answer> {
    return read(await fetch(url, { signal: AbortSignal.timeout(requestMilliseconds) }));
  }
}

async function read(response: Response): Promise<Answer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: response.status, headers: response.headers, bytes, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
