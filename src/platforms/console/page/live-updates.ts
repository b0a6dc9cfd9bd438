import type { WireChanges, WireDraft, WireHello, WireWorking } from '../api/wire.ts';
import { ApiError, eventsUrl, fetchChanges } from './api.ts';
import type { Model } from './model.ts';

/** Silence after which the connection counts as dead, in milliseconds; more than twice the server's heartbeat. */
const silenceTimeout = 25_000;
/** How long the connection may be lost before the banner shows it, in milliseconds. */
const lostDelay = 1_200;
const reconnectAfter = 1_500;
/**
 * A page in the background closes its connection after this delay, since browsers limit them, and then polls;
 * milliseconds.
 */
const hiddenDelay = 30_000;
const hiddenPollInterval = 15_000;

/** State of the connection. */
export type Connection = 'open' | 'lost' | 'session-over' | 'outdated';

/** Keeps the model up to date by server-sent events, across lost connections and restarts of the bot. */
export class LiveUpdates {
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
    const source = new EventSource(eventsUrl(this.#model.revision));
    this.#source = source;
    this.#restartTimeouts();
    const on = <Data>(name: string, take: (data: Data) => void) =>
      source.addEventListener(name, (event) => {
        this.#restartTimeouts();
        take(JSON.parse(event.data) as Data);
      });
    on<WireHello>('hello', ({ version }) =>
      this.#onConnection(version === this.#version ? 'open' : 'outdated'),
    );
    on<WireChanges>('changes', (changes) => this.#model.apply(changes));
    on<WireDraft>('draft', (draft) => this.#model.applyDraft(draft));
    on<WireWorking>('working', (working) => this.#model.setWorking(working));
    on('reload', () => void this.#reloadState());
    on('beat', () => {});
    source.addEventListener('error', () => this.#failed(source));
  }

  /** Restarts the timeouts after a sign of life. */
  #restartTimeouts(): void {
    clearTimeout(this.#lost);
    this.#lost = undefined;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#connect(), silenceTimeout);
  }

  #failed(source: EventSource): void {
    if (source !== this.#source) return;
    clearTimeout(this.#silence);
    this.#lost ??= setTimeout(() => this.#onConnection('lost'), lostDelay);
    // While connecting, the browser retries by itself; closed means the server refused.
    if (source.readyState === EventSource.CLOSED) {
      source.close();
      void this.#checkSession();
    }
  }

  async #checkSession(): Promise<void> {
    try {
      await this.#poll();
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return this.#onConnection('session-over');
    }
    setTimeout(() => this.#connect(), reconnectAfter);
  }

  #visibilityChanged(): void {
    clearTimeout(this.#hidden);
    if (document.visibilityState === 'hidden')
      this.#hidden = setTimeout(() => this.#pollWhileHidden(), hiddenDelay);
    else if (this.#source?.readyState !== EventSource.OPEN) this.#connect();
  }

  /** Closes the connection and polls instead, until the page is visible again. */
  #pollWhileHidden(): void {
    this.#source?.close();
    clearTimeout(this.#silence);
    void this.#poll().catch(() => {});
    this.#hidden = setTimeout(() => this.#pollWhileHidden(), hiddenPollInterval);
  }

  async #poll(): Promise<void> {
    const changes = await fetchChanges(this.#model.revision);
    if (changes) this.#model.apply(changes);
    else await this.#reloadState();
  }

  async #reloadState(): Promise<void> {
    await this.#model.start().catch(() => {});
    this.#connect();
  }
}
