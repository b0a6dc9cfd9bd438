import type { Clock } from '../../../lib/clock.ts';
import type { Feed, News } from './feed.ts';
import type { WireHello, WireWorking } from './wire.ts';

/** How often a silent stream shows that it lives, and looks for what other processes changed; milliseconds. */
const heartbeat = 10_000;
/** How long a page waits before it connects again, in milliseconds. */
const retry = 1_000;

export interface EventStreamDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly session: string;
  /** The revision that the page has already. */
  readonly since: number;
  /** Of the page's own files, so that a page learns when it is outdated. */
  readonly version: string;
  readonly onEnd: () => void;
  /** Told what broke; the stream ends, and its page connects again. */
  readonly onFault: (error: unknown) => void;
}

/**
 * One page's server-sent events. What is written next is asked for only when the page has taken what was
 * written before, so a slow page gets fewer, newer states and costs no memory.
 */
export class EventStream {
  readonly #dependencies: EventStreamDependencies;
  readonly #news = new Set<News>(['changes', 'drafts', 'working']);
  readonly #stopListening: () => void;
  #revision: number;
  #version = 0;
  #begun = false;
  #ended = false;
  #wake = () => {};

  constructor(dependencies: EventStreamDependencies) {
    this.#dependencies = dependencies;
    this.#revision = dependencies.since;
    this.#stopListening = dependencies.feed.listen((news) => {
      this.#news.add(news);
      this.#wake();
    });
  }

  /** Whose stream it is. */
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

  /** Ends the stream; its page connects again by itself. */
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
      const text = await this.#gather();
      if (text !== '') return text;
      if (await this.#silence()) {
        this.#news.add('changes');
        return eventOf('beat', {});
      }
    }
    return '';
  }

  /** Everything there is to tell now, as events; empty where that is nothing. */
  async #gather(): Promise<string> {
    let text = '';
    if (this.#news.delete('changes')) text += await this.#changes();
    if (this.#news.delete('drafts')) text += this.#draftEvents();
    if (this.#news.delete('working')) {
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

  /** Waits for news; true where none came for a heartbeat. */
  #silence(): Promise<boolean> {
    if (this.#news.size > 0 || this.#ended) return Promise.resolve(false);
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
