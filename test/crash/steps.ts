import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** A moment between the bot and the outside at which it can be killed. */
export interface Step {
  readonly name: string;
  /** Method and path of a request to one of the servers here. */
  readonly request: RegExp;
  /** When the request has arrived and is not answered yet, or when its answer has gone out. */
  readonly when: 'asked' | 'answered';
}

/** Both moments of a request. */
export function stepsOf(name: string, request: RegExp): readonly Step[] {
  return [
    { name: `${name}, asked`, request, when: 'asked' },
    { name: `${name}, answered`, request, when: 'answered' },
  ];
}

/** What the bot asks the service. */
export const serviceSteps: readonly Step[] = [
  ...stepsOf('chat', /^POST \/v1\/chat\/completions$/),
  ...stepsOf('image submitted', /^POST \/v1\/images\/generations$/),
  ...stepsOf('image status', /^GET \/v1\/images\/generations\//),
  ...stepsOf('video submitted', /^POST \/v1\/videos$/),
  ...stepsOf('video status', /^GET \/v1\/videos\/[^/]+$/),
  ...stepsOf('result fetched', /^GET \/(?:v1\/)?(?:sandbox\/)?files\//),
];

interface Seen {
  readonly request: IncomingMessage;
}

/** Watches every request to the servers of this process. */
export class Watch {
  #waiting: { readonly step: Step; readonly happened: () => void } | undefined;
  readonly #paths = new WeakMap<IncomingMessage, string>();

  constructor() {
    channel('http.server.request.start').subscribe((message) =>
      this.#saw((message as Seen).request, 'asked'),
    );
    channel('http.server.response.finish').subscribe((message) =>
      this.#saw((message as Seen).request, 'answered'),
    );
  }

  /** Calls back, once, in the very moment of a step. */
  at(step: Step, happened: () => void): void {
    this.#waiting = { step, happened };
  }

  forget(): void {
    this.#waiting = undefined;
  }

  #saw(request: IncomingMessage, when: Step['when']): void {
    const path = this.#pathOf(request);
    const waiting = this.#waiting;
    if (!waiting || waiting.step.when !== when || !waiting.step.request.test(path)) return;
    this.#waiting = undefined;
    waiting.happened();
  }

  /** Frameworks change a request's address while they route it. */
  #pathOf(request: IncomingMessage): string {
    const known = this.#paths.get(request);
    if (known) return known;
    const path = `${request.method} ${(request.url ?? '').replace(/\?.*$/, '')}`;
    this.#paths.set(request, path);
    return path;
  }
}
