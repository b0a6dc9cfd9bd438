import type { Records } from '../store/index.ts';

/** A thread that was opened for a conversation. */
export interface OwnThread {
  /** The conversation that goes on there. */
  readonly conversation: string;
  /** Who opened it; empty where an earlier version moved a channel. */
  readonly owner: string;
}

/**
 * Threads that people opened for a conversation of their own. A conversation begins before its thread is there, under a
 * key of its own: the thread then leads to it.
 */
export class OwnThreads {
  readonly #records: Records;
  readonly #lifetime: number;

  /** `lifetime` in milliseconds: how long a thread is known after the last turn in it. */
  constructor(records: Records, lifetime: number) {
    this.#records = records;
    this.#lifetime = lifetime;
  }

  /** Lets a conversation go on in a thread, which is named by its own key, as soon as it's there. */
  async expect(thread: string, own: OwnThread): Promise<void> {
    await this.#records.set(threadKey(thread), own, this.#lifetime);
  }

  /** Lets a conversation go on in a thread that's there. */
  async link(thread: string, own: OwnThread): Promise<void> {
    await this.expect(thread, own);
    await this.#records.set(openedKey(own.conversation), true, this.#lifetime);
  }

  find(thread: string): Promise<OwnThread | undefined> {
    return this.#records.get<OwnThread>(threadKey(thread));
  }

  /** The conversation that a key leads to: its own unless it's such a thread’s. */
  async conversationAt(key: string): Promise<string> {
    return (await this.find(key))?.conversation ?? key;
  }

  /** The conversations of all threads whose keys begin so. */
  async conversationsUnder(prefix: string): Promise<readonly string[]> {
    const threads = await this.#records.startingWith<OwnThread>(threadKey(prefix));
    return threads.map(({ conversation }) => conversation);
  }

  /** Keeps a thread known for another lifetime. */
  async renew(thread: string): Promise<void> {
    const own = await this.find(thread);
    if (own) await this.link(thread, own);
  }

  /** Whether a conversation has its thread. */
  isOpened(conversation: string): Promise<boolean> {
    return this.#records.has(openedKey(conversation));
  }
}

const threadKey = (thread: string) => `thread ${thread}`;
const openedKey = (conversation: string) => `opened ${conversation}`;
