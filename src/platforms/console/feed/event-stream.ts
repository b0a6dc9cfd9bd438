import { type Clock, inTime } from '../../../lib/clock.ts';
import type { WireHello, WireWorking } from '../api/wire.ts';
import type { Feed, FeedUpdate } from './feed.ts';

const encoder = new TextEncoder();

/** How often an idle stream sends a heartbeat and checks for changes by other processes, in milliseconds. */
const heartbeat = 10_000;
/** How long a page waits before it reconnects, in milliseconds. */
const retry = 1_000;

/** A page's stream that's open. */
export interface OpenStream {
  /** The session it belongs to. */
  readonly session: string;
  /** Ends it; the page reconnects by itself. */
  end(): void;
}

interface EventStreamDependencies {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Where it is while it's read. */
  readonly open: Set<OpenStream>;
  readonly session: string;
  /** The revision the page already has. */
  readonly since: number;
  /** Version of the page's files, so a page knows when it is outdated. */
  readonly version: string;
  /** Aborted when the page has left. */
  readonly signal: AbortSignal;
  /** Called with an error; the stream ends and the page reconnects. */
  readonly onFault: (error: unknown) => void;
}

/**
 * One page's server-sent events. The next event is built only when the page has read the previous one, so a
 * slow page gets fewer, newer states and needs no buffer.
 */
export async function* eventStream(dependencies: EventStreamDependencies): AsyncGenerator<Uint8Array> {
  const { feed, clock, open, session, since, version, onFault } = dependencies;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, dependencies.signal]);
  const stream = { session, end: () => ending.abort() };
  open.add(stream);
  const pending = new Set<FeedUpdate>(['changes', 'drafts', 'working']);
  let update = Promise.withResolvers<boolean>();
  const stopListening = feed.subscribe((news) => {
    pending.add(news);
    update.resolve(false);
  });
  const stop = () => {
    stopListening();
    update.resolve(false);
    open.delete(stream);
  };
  signal.addEventListener('abort', stop, { once: true });
  let revision = since;
  let seen = 0;
  try {
    const hello: WireHello = { version };
    yield encoder.encode(`retry: ${retry}\n${eventOf('hello', hello)}`);
    while (!signal.aborted) {
      update = Promise.withResolvers<boolean>();
      let text = '';
      if (pending.delete('changes')) {
        const changes = await feed.changesSince(revision, session);
        if (!changes) text += eventOf('reload', {});
        else if (changes.revision !== revision) text += eventOf('changes', changes, changes.revision);
        revision = changes?.revision ?? revision;
      }
      if (pending.delete('drafts')) {
        for (const draft of feed.draftsSince(seen, session)) text += eventOf('draft', draft);
        seen = feed.version;
      }
      if (pending.delete('working')) {
        const working: WireWorking = { places: feed.working };
        text += eventOf('working', working);
      }
      if (signal.aborted) return;
      if (text !== '') yield encoder.encode(text);
      else if (await inTime(clock, heartbeat, update.promise, true)) {
        pending.add('changes');
        yield encoder.encode(eventOf('beat', {}));
      }
    }
  } catch (error) {
    onFault(error);
  } finally {
    stop();
  }
}

function eventOf(name: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
