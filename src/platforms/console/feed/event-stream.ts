import type { Clock } from '../../../lib/clock.ts';
import type { WireHello, WireWorking } from '../api/wire.ts';
import type { Feed, FeedUpdate } from './feed.ts';

/** How often an idle stream sends a heartbeat and checks for changes by other processes, in milliseconds. */
const heartbeat = 10_000;
/** How long a page waits before it reconnects, in milliseconds. */
const retry = 1_000;

interface EventStreamDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly session: string;
  /** The revision the page already has. */
  readonly since: number;
  /** Version of the page's files, so a page knows when it is outdated. */
  readonly version: string;
  readonly onEnd: () => void;
  /** Called with an error; the stream ends and the page reconnects. */
  readonly onFault: (error: unknown) => void;
}

/**
 * One page's server-sent events. The next event is built only when the page has read the previous one, so a
 * slow page gets fewer, newer states and needs no buffer.
 */
export class EventStream {
  readonly #dependencies: EventStreamDependencies;
  readonly #pending = new Set<FeedUpdate>(['changes', 'drafts', 'working']);
  readonly #stopListening: () => void;
  #revision: number;
  #version = 0;
  #begun = false;
  #ended = false;
  #wake = () => {};

  constructor(dependencies: EventStreamDependencies) {
    this.#dependencies = dependencies;
    this.#revision = dependencies.since;
    this.#stopListening = dependencies.feed.subscribe((news) => {
      this.#pending.add(news);
      this.#wake();
    });
  }

  /** The session the stream belongs to. */
  get session(): string {
    return this.#dependencies.session;
  }

  /** The response's body; cancelling it ends the stream. */
  body(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream({
      pull: async (controller) => {
        const text = await this.#next().catch((error: unknown) => {
          this.#dependencies.onFault(error);
          this.end();
          return '';
        });
        if (this.#ended) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel: () => this.end(),
    });
  }

  /** Ends the stream; the page reconnects by itself. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopListening();
    this.#wake();
    this.#dependencies.onEnd();
  }

  async #next(): Promise<string> {
    if (!this.#begun) {
      this.#begun = true;
      const hello: WireHello = { version: this.#dependencies.version };
      return `retry: ${retry}\n${eventOf('hello', hello)}`;
    }
    while (!this.#ended) {
      const text = await this.#pendingEvents();
      if (text !== '') return text;
      if (await this.#waitForUpdate()) {
        this.#pending.add('changes');
        return eventOf('beat', {});
      }
    }
    return '';
  }

  /** All pending updates as events; empty if there are none. */
  async #pendingEvents(): Promise<string> {
    let text = '';
    if (this.#pending.delete('changes')) text += await this.#changes();
    if (this.#pending.delete('drafts')) text += this.#draftEvents();
    if (this.#pending.delete('working')) {
      const working: WireWorking = { places: this.#dependencies.feed.working };
      text += eventOf('working', working);
    }
    return text;
  }

  async #changes(): Promise<string> {
    const changes = await this.#dependencies.feed.changesSince(this.#revision, this.#dependencies.session);
    if (!changes) return eventOf('reload', {});
    if (changes.revision === this.#revision) return '';
    this.#revision = changes.revision;
    return eventOf('changes', changes, changes.revision);
  }

  #draftEvents(): string {
    const { feed, session } = this.#dependencies;
    const drafts = feed.draftsSince(this.#version, session);
    this.#version = feed.version;
    return drafts.map((draft) => eventOf('draft', draft)).join('');
  }

  /** Waits for an update; true if none came within a heartbeat. */
  #waitForUpdate(): Promise<boolean> {
    if (this.#pending.size > 0 || this.#ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancel = this.#dependencies.clock.after(heartbeat, () => resolve(true));
      this.#wake = () => {
        cancel();
        resolve(false);
      };
    });
  }
}

function eventOf(name: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
