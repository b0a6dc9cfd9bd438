import type Keyv from 'keyv';

/** How long a message is remembered: as long as conversations are by default. */
const life = 30 * 86_400_000;

/** What a message of the bot's own is, beyond what Discord tells of it. */
export interface RememberedMessage {
  /** It is (part of) an answer in a conversation: a reply to it goes on with that. */
  readonly answer?: true;
  /** The line above its text, which an edit keeps. */
  readonly header?: string;
  /** Characters that the messages of its answer have at most, the line above the first left out. */
  readonly pieceLength?: number;
}

/** What is remembered of the bot's messages and threads, across restarts. */
export class RememberedMessages {
  readonly #records: Keyv;

  constructor(records: Keyv) {
    this.#records = records;
  }

  async remember(messageId: string, remember: RememberedMessage): Promise<void> {
    await this.#records.set(`message ${messageId}`, remember, life);
  }

  async find(messageId: string): Promise<RememberedMessage | undefined> {
    return this.#records.get<RememberedMessage>(`message ${messageId}`);
  }

  /** The bot has answered in a thread: what is said there next may be meant for it. */
  async rememberConversation(threadId: string): Promise<void> {
    await this.#records.set(`talk ${threadId}`, true, life);
  }

  /** Whether a thread is a conversation with the bot: it has answered there, or the thread hangs on its answer. */
  async isConversation(threadId: string): Promise<boolean> {
    // A thread under a message has the message's id.
    return (await this.#records.has(`talk ${threadId}`)) || (await this.find(threadId))?.answer === true;
  }
}
