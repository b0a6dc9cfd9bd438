import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, inTime } from '../../../lib/clock.ts';
import type { ConsoleThreadsTable, Database } from '../../../store/index.ts';
import type { WireChanges, WireDraft, WireHello, WireThread, WireWorking } from '../api/wire.ts';
import { type Channels, newestRevision } from '../store/channels.ts';
import type { Files } from '../store/files.ts';
import type { Drafts, Messages } from '../store/messages.ts';
import { wireChannel, wireDraft, wireMessages, wireThread } from './to-wire.ts';

/** A page that is more messages behind reloads its state instead of catching up. */
const maxCatchUp = 200;

/** What the console has, and the feed that tells pages of it. */
export interface Content {
  readonly channels: Channels;
  readonly messages: Messages;
  readonly files: Files;
  readonly drafts: Drafts;
  readonly feed: Feed;
}

/** A kind of update. */
export type FeedUpdate = 'changes' | 'drafts' | 'working';
/** Tells every process that the database has changes. */
const topic = 'console';

/** Notifies pages of changes, and reads what changed since any revision from the database. */
export class Feed {
  readonly #database: Database;
  readonly #files: Files;
  readonly #drafts: Drafts;
  readonly #coordination: Pick<Coordination, 'process' | 'signals'>;
  readonly #listeners = new Set<(news: FeedUpdate) => void>();
  readonly #working = new Map<string, number>();

  constructor(
    database: Database,
    files: Files,
    drafts: Drafts,
    coordination: Pick<Coordination, 'process' | 'signals'>,
  ) {
    this.#database = database;
    this.#files = files;
    this.#drafts = drafts;
    this.#coordination = coordination;
    coordination.signals.on(topic, (process) => {
      if (process !== coordination.process) this.#tell('changes');
    });
  }

  /** Calls `listener` on every update; the returned function unsubscribes. */
  subscribe(listener: (news: FeedUpdate) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies every open stream of an update; of what's in the database those of other processes, too. */
  notify(news: FeedUpdate): void {
    this.#tell(news);
    if (news === 'changes') this.notifyOthers();
  }

  /** Notifies the pages of other processes that the database has changes; one that isn't told looks before long. */
  notifyOthers(): void {
    const { process, signals } = this.#coordination;
    signals.send(topic, process).catch(() => {});
  }

  #tell(news: FeedUpdate): void {
    for (const listener of this.#listeners) listener(news);
  }

  /** Shows a command as in progress at a place until the returned function is called. */
  markWorking(place: string): () => void {
    this.#count(place, 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#count(place, -1);
    };
  }

  /** Places with a command in progress that has no answer yet. */
  get working(): string[] {
    return [...this.#working.keys()];
  }

  /**
   * Everything visible to this session that changed after `revision`; undefined if it is too much, or the
   * revision is unknown.
   */
  async changesSince(revision: number, session: string): Promise<WireChanges | undefined> {
    // Read first: a change made meanwhile is then sent twice, which is harmless, and never missed.
    const newest = await newestRevision(this.#database);
    if (revision > newest) return undefined;
    if (newest === revision) return { revision, channels: [], threads: [], messages: [] };
    const messages = await this.#database
      .selectFrom('console_messages')
      .selectAll()
      .where('revision', '>', revision)
      .where((of) => of.or([of('session', 'is', null), of('session', '=', session)]))
      .orderBy('id')
      .limit(maxCatchUp + 1)
      .execute();
    if (messages.length > maxCatchUp) return undefined;
    const channels = await this.#database
      .selectFrom('console_channels')
      .selectAll()
      .where('revision', '>', revision)
      .orderBy('created_at')
      .execute();
    const threads = await this.#database
      .selectFrom('console_threads')
      .selectAll()
      .where('revision', '>', revision)
      .orderBy('created_at')
      .execute();
    return {
      revision: newest,
      channels: channels.map(wireChannel),
      threads: await this.threads(threads),
      messages: await wireMessages(messages, this.#files, this.#drafts),
    };
  }

  /** The newest version of the drafts. */
  get version(): number {
    return this.#drafts.version;
  }

  /** Drafts visible to this session that changed after `version`. */
  draftsSince(version: number, session: string): WireDraft[] {
    return this.#drafts.since(version, session).map(wireDraft);
  }

  /** Converts threads for pages, with their number of messages and the last one. */
  async threads(rows: readonly ConsoleThreadsTable[]): Promise<WireThread[]> {
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.id);
    const ends = await this.#database
      .with('ends', (from) =>
        from
          .selectFrom('console_messages')
          .select(({ fn }) => [fn.countAll().as('messages'), fn.max('id').as('last')])
          .where('thread', 'in', ids)
          .where('removed', '=', 0)
          .where('session', 'is', null)
          .groupBy('thread'),
      )
      .selectFrom('ends')
      .innerJoin('console_messages', 'id', 'last')
      .select(['thread', 'messages', 'text'])
      .execute();
    const byThread = new Map(ends.map((end) => [end.thread, end]));
    return rows.map((row) => {
      const { messages = 0, text = '' } = byThread.get(row.id) ?? {};
      return wireThread(row, { messages: Number(messages), last: text });
    });
  }

  #count(place: string, by: number): void {
    const count = (this.#working.get(place) ?? 0) + by;
    if (count > 0) this.#working.set(place, count);
    else this.#working.delete(place);
    this.notify('working');
  }
}

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
