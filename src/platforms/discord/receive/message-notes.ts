import type Keyv from 'keyv';

/** How long a message is remembered: as long as conversations are by default. */
const life = 30 * 86_400_000;

/** What a message of the bot's own is, beyond what Discord tells of it. */
export interface MessageNote {
  /** It is (part of) an answer in a conversation: a reply to it goes on with that. */
  readonly answer?: true;
  /** The line above its text, which an edit keeps. */
  readonly header?: string;
  /** Characters that the messages of its answer have at most, the line above the first left out. */
  readonly pieceLength?: number;
}

/** What is remembered of the bot's messages and threads, across restarts. */
export class MessageNotes {
  readonly #records: Keyv;

  constructor(records: Keyv) {
    this.#records = records;
  }

  async note(messageId: string, note: MessageNote): Promise<void> {
    await this.#records.set(`message ${messageId}`, note, life);
  }

  async of(messageId: string): Promise<MessageNote | undefined> {
    return this.#records.get<MessageNote>(`message ${messageId}`);
  }

  /** The bot has answered in a thread: what is said there next may be meant for it. */
  async noteTalk(threadId: string): Promise<void> {
    await this.#records.set(`talk ${threadId}`, true, life);
  }

  /** Whether a thread is a conversation with the bot: it has answered there, or the thread hangs on its answer. */
  async isTalk(threadId: string): Promise<boolean> {
    // A thread under a message has the message's id.
    return (await this.#records.has(`talk ${threadId}`)) || (await this.of(threadId))?.answer === true;
  }
}
