import type Keyv from 'keyv';

/** How long a message is remembered, in milliseconds: as long as conversations are by default. */
const lifetime = 30 * 86_400_000;

/** What is remembered of a message of the bot's, beyond what Discord returns. */
export interface RememberedMessage {
  /** It's (part of) an answer in a conversation, which a reply to it continues. */
  readonly answer?: true;
  /** The line above its text, which an edit keeps. */
  readonly header?: string;
  /** Most characters of the messages of its answer, without the line above the first. */
  readonly pieceLength?: number;
}

/** What is remembered of the bot's messages and threads, across restarts. */
export class RememberedMessages {
  readonly #records: Keyv;

  constructor(records: Keyv) {
    this.#records = records;
  }

  async remember(messageId: string, message: RememberedMessage): Promise<void> {
    await this.#records.set(`message ${messageId}`, message, lifetime);
  }

  async find(messageId: string): Promise<RememberedMessage | undefined> {
    return this.#records.get<RememberedMessage>(`message ${messageId}`);
  }

  /** Remembers that the bot opens a thread under a message, whose id it gets. */
  async rememberThread(messageId: string): Promise<void> {
    await this.#records.set(`thread ${messageId}`, true, lifetime);
  }

  async hasThread(messageId: string): Promise<boolean> {
    return this.#records.has(`thread ${messageId}`);
  }

  /** Remembers that the bot has answered in a thread: other messages there may be for it. */
  async rememberConversation(threadId: string): Promise<void> {
    await this.#records.set(`talk ${threadId}`, true, lifetime);
  }

  /** Remembers a thread that was opened for a conversation with the bot. */
  async rememberOwnThread(threadId: string): Promise<void> {
    await this.#records.set(`own ${threadId}`, true, lifetime);
    await this.rememberConversation(threadId);
  }

  /** Whether a thread was opened for a conversation with the bot, or belongs to one of its answers. */
  async isOwnThread(threadId: string): Promise<boolean> {
    if (await this.#records.has(`own ${threadId}`)) return true;
    // A thread has the id of its message.
    return (await this.find(threadId))?.answer === true;
  }

  /** Notes whom people talk to in a thread: to the bot, or to each other until somebody mentions it again. */
  async noteTalk(threadId: string, whom: 'bot' | 'people'): Promise<void> {
    if ((await this.talkIn(threadId)) === whom) return;
    if (whom === 'people') await this.#records.set(`among people ${threadId}`, true, lifetime);
    else await this.#records.delete(`among people ${threadId}`);
  }

  async talkIn(threadId: string): Promise<'bot' | 'people'> {
    return (await this.#records.has(`among people ${threadId}`)) ? 'people' : 'bot';
  }

  /** Whether the bot has answered in a thread, or the thread belongs to one of its answers. */
  async isConversation(threadId: string): Promise<boolean> {
    if (await this.#records.has(`talk ${threadId}`)) return true;
    return this.isOwnThread(threadId);
  }
}
