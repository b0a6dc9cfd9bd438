import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** What the test servers of this process are asked to change from now on, as `METHOD /path`. */
export class Writes {
  readonly seen: string[] = [];
  readonly #saw = (message: unknown) => {
    const { method, url = '' } = (message as { readonly request: IncomingMessage }).request;
    // A process that comes back opens its sockets again.
    if (method !== 'GET' && !url.startsWith('/api/apps.connections.open')) this.seen.push(`${method} ${url}`);
  };

  constructor() {
    channel('http.server.request.start').subscribe(this.#saw);
  }

  end(): void {
    channel('http.server.request.start').unsubscribe(this.#saw);
  }
}
