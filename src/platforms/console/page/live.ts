import type { WireChanges, WireDraft, WireHello, WireWorking } from '../api/wire.ts';
import { ApiError, fetchChanges } from './api.ts';
import type { Model } from './model.ts';

/** Silence after which the connection counts as dead; the server is never silent for half as long. */
const longestSilence = 25_000;
/** How long the connection may be away before the person is told. */
const patience = 1_200;
const reconnectAfter = 1_500;
/** How long a page in the background keeps its connection, of which a browser has few, and then asks. */
const hiddenGrace = 30_000;
const hiddenPause = 15_000;

/** How the connection is. */
export type Connection = 'open' | 'lost' | 'session-over' | 'outdated';

/** Keeps the model up to date, through lost connections and restarts of the bot. */
export class Live {
  readonly #model: Model;
  readonly #onConnection: (connection: Connection) => void;
  readonly #version: string;
  #source: EventSource | undefined;
  #lost: number | undefined;
  #silence: number | undefined;
  #hidden: number | undefined;

  constructor(model: Model, version: string, onConnection: (connection: Connection) => void) {
    this.#model = model;
    this.#version = version;
    this.#onConnection = onConnection;
  }

  start(): void {
    this.#connect();
    document.addEventListener('visibilitychange', () => this.#visibilityChanged());
    addEventListener('online', () => this.#connect());
  }

  #connect(): void {
    this.#source?.close();
    const source = new EventSource(`console/events?since=${this.#model.revision}`);
    this.#source = source;
    this.#heard();
    const on = <Data>(name: string, take: (data: Data) => void) =>
      source.addEventListener(name, (event) => {
        this.#heard();
        take(JSON.parse(event.data) as Data);
      });
    on<WireHello>('hello', ({ version }) =>
      this.#onConnection(version === this.#version ? 'open' : 'outdated'),
    );
    on<WireChanges>('changes', (changes) => this.#model.apply(changes));
    on<WireDraft>('draft', (draft) => this.#model.grow(draft));
    on<WireWorking>('working', (working) => this.#model.setWorking(working));
    on('reload', () => void this.#startAnew());
    on('beat', () => {});
    source.addEventListener('error', () => this.#failed(source));
  }

  /** Notes that the connection lives. */
  #heard(): void {
    clearTimeout(this.#lost);
    this.#lost = undefined;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#connect(), longestSilence);
  }

  #failed(source: EventSource): void {
    if (source !== this.#source) return;
    clearTimeout(this.#silence);
    this.#lost ??= setTimeout(() => this.#onConnection('lost'), patience);
    // While it is connecting, the browser tries again by itself; closed means that the server refused.
    if (source.readyState === EventSource.CLOSED) {
      source.close();
      void this.#learnWhy();
    }
  }

  async #learnWhy(): Promise<void> {
    try {
      await this.#ask();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return this.#onConnection('session-over');
    }
    setTimeout(() => this.#connect(), reconnectAfter);
  }

  #visibilityChanged(): void {
    clearTimeout(this.#hidden);
    if (document.visibilityState === 'hidden') this.#hidden = setTimeout(() => this.#rest(), hiddenGrace);
    else if (this.#source?.readyState !== EventSource.OPEN) this.#connect();
  }

  /** Lets the connection go and asks now and then instead, until the page is seen again. */
  #rest(): void {
    this.#source?.close();
    clearTimeout(this.#silence);
    void this.#ask().catch(() => {});
    this.#hidden = setTimeout(() => this.#rest(), hiddenPause);
  }

  async #ask(): Promise<void> {
    const changes = await fetchChanges(this.#model.revision);
    if (changes) this.#model.apply(changes);
    else await this.#startAnew();
  }

  async #startAnew(): Promise<void> {
    await this.#model.start().catch(() => {});
    this.#connect();
  }
}
