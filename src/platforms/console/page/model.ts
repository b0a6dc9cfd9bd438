import type {
  WireChanges,
  WireChannel,
  WireCommandDefinition,
  WireDraft,
  WireMessage,
  WireState,
  WireThread,
  WireWorking,
} from '../api/wire.ts';
import { fetchMessages, fetchState } from './api.ts';
import { ChannelMessages } from './channel-messages.ts';

/**
 * A change of the model: channels and threads, one place's messages, a new message or thread, or work in
 * progress.
 */
export type ModelEvent =
  | { readonly kind: 'places' }
  | { readonly kind: 'messages'; readonly place: string }
  | { readonly kind: 'new'; readonly message: WireMessage }
  | { readonly kind: 'thread'; readonly thread: WireThread }
  | { readonly kind: 'working' };

/** A channel or thread with its name. */
interface PlaceInfo {
  readonly id: string;
  readonly name: string;
  readonly channel: WireChannel;
  readonly thread?: WireThread;
}

/** The page's state: channels, threads, messages, commands, unread counts. */
export class Model {
  readonly channels = new Map<string, WireChannel>();
  readonly threads = new Map<string, WireThread>();
  readonly unread = new Map<string, number>();
  commands: readonly WireCommandDefinition[] = [];
  maxUploadBytes = 0;
  loggedIn = false;
  hasControlRoom = false;
  /** The newest known revision. */
  revision = 0;
  working = new Set<string>();
  readonly #places = new Map<string, ChannelMessages>();
  readonly #threadUnder = new Map<number, string>();
  readonly #listeners = new Set<(event: ModelEvent) => void>();

  /** Calls `listener` on every change; the returned function unsubscribes. */
  subscribe(listener: (event: ModelEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Fetches the state and replaces everything. */
  async start(): Promise<void> {
    const state: WireState = await fetchState();
    this.channels.clear();
    this.threads.clear();
    for (const channel of state.channels) this.channels.set(channel.id, channel);
    for (const thread of state.threads) this.#putThread(thread);
    this.commands = state.commands;
    this.maxUploadBytes = state.maxUploadBytes;
    this.loggedIn = state.loggedIn;
    this.hasControlRoom = state.hasControlRoom;
    this.revision = state.revision;
    const places = [...this.#places.keys()];
    this.#places.clear();
    this.#emit({ kind: 'places' });
    for (const place of places) this.#emit({ kind: 'messages', place });
  }

  place(id: string): PlaceInfo | undefined {
    const thread = this.threads.get(id);
    const channel = this.channels.get(thread?.channel ?? id);
    if (!channel) return undefined;
    return { id, name: thread?.name ?? channel.name, channel, ...(thread ? { thread } : {}) };
  }

  command(name: string): WireCommandDefinition | undefined {
    return this.commands.find((command) => command.name === name);
  }

  threadUnder(message: number): WireThread | undefined {
    const id = this.#threadUnder.get(message);
    return id === undefined ? undefined : this.threads.get(id);
  }

  messages(place: string): ChannelMessages {
    const held = this.#places.get(place) ?? new ChannelMessages();
    this.#places.set(place, held);
    return held;
  }

  /** Fetches a place's newest messages if they aren't loaded. */
  async load(place: string): Promise<void> {
    if (this.messages(place).loaded) return;
    const page = await fetchMessages(place);
    this.messages(place).addPage(page);
    this.#emit({ kind: 'messages', place });
  }

  /** Fetches the messages before the loaded ones. */
  async loadOlder(place: string): Promise<void> {
    const held = this.messages(place);
    if (!held.loaded || !held.more) return;
    held.addPage(await fetchMessages(place, held.oldest));
    this.#emit({ kind: 'messages', place });
  }

  apply(changes: WireChanges): void {
    const before = this.revision;
    this.revision = Math.max(before, changes.revision);
    for (const channel of changes.channels) put(this.channels, channel);
    for (const thread of changes.threads) {
      const isNew = !this.threads.has(thread.id);
      this.#putThread(thread);
      if (isNew && !thread.gone) this.#emit({ kind: 'thread', thread });
    }
    if (changes.channels.length + changes.threads.length > 0) this.#emit({ kind: 'places' });
    const changed = new Set<string>(changes.threads.map((thread) => thread.channel));
    for (const message of changes.messages) {
      if (this.messages(message.place).apply(message)) changed.add(message.place);
      if (!('gone' in message) && message.id > before) this.#emit({ kind: 'new', message });
    }
    for (const place of changed) this.#emit({ kind: 'messages', place });
  }

  /** Adds a channel created here, until the server's event replaces it. */
  addChannel(id: string, name: string): void {
    put(this.channels, { id, name, revision: 0 });
    this.#emit({ kind: 'places' });
  }

  applyDraft(draft: WireDraft): void {
    if (this.messages(draft.place).applyDraft(draft)) this.#emit({ kind: 'messages', place: draft.place });
  }

  setWorking({ places }: WireWorking): void {
    this.working = new Set(places);
    this.#emit({ kind: 'working' });
  }

  /** Counts one more unread message at a place, or marks all as read. */
  markUnread(place: string, isUnread: boolean): void {
    if (isUnread) this.unread.set(place, (this.unread.get(place) ?? 0) + 1);
    else if (!this.unread.delete(place)) return;
    this.#emit({ kind: 'places' });
  }

  #putThread(thread: WireThread): void {
    put(this.threads, thread);
    this.#threadUnder.set(thread.message, thread.id);
  }

  #emit(event: ModelEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

function put<Item extends { id: string; revision: number; gone?: true }>(
  items: Map<string, Item>,
  item: Item,
): void {
  if (item.gone) items.delete(item.id);
  else if ((items.get(item.id)?.revision ?? 0) <= item.revision) items.set(item.id, item);
}

/** The open channel, and the open thread next to it. */
export interface Route {
  readonly channel: string | undefined;
  readonly thread: string | undefined;
}

/** The route of the control room; no channel has this id. */
export const controlRoute = 'control';

/** Reads the URL's hash: `#CHANNEL` or `#CHANNEL/THREAD`, ids only. */
export function currentRoute(): Route {
  const [channel, thread] = location.hash.slice(1).split('/');
  return { channel: channel || undefined, thread: thread || undefined };
}

/** Navigates to a channel or thread; `replace` adds no history entry. */
export function goTo(channel: string, thread?: string, replace = false): void {
  const hash = `#${channel}${thread === undefined ? '' : `/${thread}`}`;
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Calls `listener` on every navigation. */
export function onRoute(listener: () => void): void {
  addEventListener('hashchange', listener);
  addEventListener('popstate', listener);
}
