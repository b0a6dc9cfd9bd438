import { request } from 'node:http';
import type {
  WireChanges,
  WireCommandRequest,
  WireFile,
  WireMessage,
  WireOutcome,
  WirePage,
  WirePressRequest,
  WireState,
} from '../../../../src/platforms/console/api/wire.ts';
import type { Locale } from '../../../../src/port/index.ts';
import { EventReader } from './event-reader.ts';

/** A browser's side of the console's HTTP, without a browser. */
export class Visitor {
  readonly url: string;
  readonly cookie: string;
  readonly #headers: Record<string, string>;
  #events = 0;

  constructor(url: string, cookie: string, headers: Record<string, string>) {
    this.url = url;
    this.cookie = cookie;
    this.#headers = headers;
  }

  /** Opens the page, and keeps the cookie that comes with it. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<Visitor> {
    const response = await fetch(url, { headers });
    return new Visitor(url, cookieOf(response), headers);
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.#headers, cookie: this.cookie, ...(init.headers as Record<string, string>) };
    return fetch(`${this.url}/console/${path}`, { redirect: 'manual', ...init, headers });
  }

  async json<Answer>(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<Answer> {
    const response = await this.fetch(path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }

  state(): Promise<WireState> {
    return this.json('state?locale=en');
  }

  /** The id of the first channel. */
  async channel(): Promise<string> {
    return (await this.state()).channels[0]!.id;
  }

  async messages(place: string, before?: number): Promise<readonly WireMessage[]> {
    return (await this.page(place, before)).messages;
  }

  page(place: string, before?: number): Promise<WirePage> {
    return this.json(`messages?place=${place}${before === undefined ? '' : `&before=${before}`}`);
  }

  changes(since: number): Promise<WireChanges | null> {
    return this.json(`changes?since=${since}`);
  }

  command(
    place: string,
    command: string,
    options: WireCommandRequest['options'] = {},
    more: Partial<Omit<WireCommandRequest, 'options'>> = {},
  ): Promise<WireOutcome> {
    return this.json('commands', { eventId: this.eventId(), place, command, options, locale: 'en', ...more });
  }

  /** Sends a message that tells the command itself. */
  says(place: string, text: string, locale: Locale = 'en'): Promise<WireOutcome> {
    return this.json('commands', { eventId: this.eventId(), place, text, options: {}, locale });
  }

  press(message: WireMessage, label: string, more: Partial<WirePressRequest> = {}): Promise<WireOutcome> {
    const button = message.buttons.find((one) => one.label === label);
    if (!button) throw new Error(`no button ${label}: ${JSON.stringify(message.buttons)}`);
    const body = { eventId: this.eventId(), message: message.id, action: button.id, locale: 'en', ...more };
    return this.json('presses', body);
  }

  async upload(name: string, type: string, bytes: Uint8Array): Promise<WireFile> {
    const response = await this.fetch(`files?${new URLSearchParams({ name, type })}`, {
      method: 'POST',
      body: bytes as Uint8Array<ArrayBuffer>,
    });
    if (!response.ok) throw new Error(`upload: ${response.status}`);
    return (await response.json()) as WireFile;
  }

  eventId(): string {
    return `event-${String(++this.#events).padStart(6, '0')}`;
  }

  /** Opens a stream of events. */
  listen(since: number, headers: Record<string, string> = {}): Promise<EventReader> {
    return EventReader.open(`${this.url}/console/events?since=${since}`, { cookie: this.cookie, ...headers });
  }

  /** Waits, by way of the events, until what a place shows fulfils a condition. */
  async until(
    place: string,
    condition: (messages: readonly WireMessage[]) => boolean,
  ): Promise<readonly WireMessage[]> {
    const events = await this.listen((await this.state()).revision);
    try {
      for (;;) {
        const messages = await this.messages(place);
        if (condition(messages)) return messages;
        await events.next();
      }
    } finally {
      events.close();
    }
  }
}

/** A browser that has logged in with this response, maybe with another cookie since. */
export function enteredBy(url: string, logIn: Response, cookie = cookieOf(logIn)): Visitor {
  return new Visitor(url, cookie, keyHeaderOf(logIn));
}

/** The key that a log-in brings, as pages send it. */
export function keyHeaderOf(logIn: Response): { 'x-console-key': string } {
  const [, key = ''] = (logIn.headers.get('location') ?? '').split('#key=');
  return { 'x-console-key': key };
}

/** A response's cookie as it is sent back. */
export function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** The status of a request with headers that `fetch` does not let one set, such as Host and Origin. */
export function rawStatus(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}
