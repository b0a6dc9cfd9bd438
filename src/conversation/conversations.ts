import type Keyv from 'keyv';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { randomId } from '../lib/random-id.ts';
import { type ChatMessage, type Entry, exchangeOf, isAnswered, messagesOf, trim } from './history.ts';
import { withoutKnown } from './known-quotes.ts';
import { OwnThreads } from './own-threads.ts';
import { type TurnOrder, Turns } from './turns.ts';

export interface ConversationsDependencies {
  /** Where conversations are stored. */
  readonly keyv: Keyv;
  /** First message of every request. */
  readonly systemPrompt: string;
  /** How much history goes into a request, in estimated tokens. */
  readonly historyTokens: number;
  /** After how long without a turn a conversation is forgotten, in milliseconds. */
  readonly idleLimit: number;
}

/** A person's turn in a conversation, while it lasts. */
export interface Turn {
  /** Sent to the service with every call of this conversation. */
  readonly conversationId: string;
  /** The request's messages: the persona (or the system prompt), the history when the turn began, the question. */
  messages(persona?: string): ChatMessage[];
  /** Keeps the question and its answer, unless the conversation was reset meanwhile. */
  keep(answered: string): Promise<void>;
}

export interface Question {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  /** Quotes that the question refers to. */
  readonly context?: string;
  /** The job whose exchange this one replaces, if that's still the last one. */
  readonly replaces?: string;
}

/**
 * The conversations of channels, threads and direct messages, each with its id and its history. A turn gets its position
 * in the history when it begins, so that exchanges are kept in the order in which turns began, each once, whichever
 * answer is finished first and wherever a process dies. The id and the history have keys of their own, so that a reset
 * forgets a whole conversation.
 */
export class Conversations {
  readonly #dependencies: ConversationsDependencies;
  readonly #turns = new Turns();
  /** Changes of a conversation's id and history, one after another, so that none overwrites another. */
  readonly #changes = new KeyedQueue();

  /** Threads in which a conversation goes on that began elsewhere: everything here follows them. */
  readonly ownThreads: OwnThreads;

  constructor(dependencies: ConversationsDependencies) {
    this.#dependencies = dependencies;
    this.ownThreads = new OwnThreads(dependencies.keyv, dependencies.idleLimit);
  }

  /** Runs `work` when it's the person's turn. A turn whose answer isn't kept leaves nothing behind. */
  async turn<T>(
    place: string,
    { context: given, ...asked }: Question,
    order: TurnOrder,
    work: (turn: Turn) => Promise<T>,
  ): Promise<T> {
    const conversation = await this.ownThreads.conversationAt(place);
    return this.#turns.take(conversation, order, async () => {
      if (conversation !== place) await this.ownThreads.renew(place);
      const { id, entries } = await this.#begin(conversation, asked);
      const history = entries.filter(isAnswered);
      const context = withoutKnown(given, history);
      const question = { ...asked, ...(context !== undefined && { context }) };
      let kept = false;
      const turn: Turn = {
        conversationId: id,
        messages: (persona = this.#dependencies.systemPrompt) => messagesOf(persona, history, question),
        keep: async (answered) => {
          await this.#settle(conversation, id, question, answered);
          kept = true;
        },
      };
      try {
        return await work(turn);
      } finally {
        // A turn that can't be removed now stays open, and is skipped.
        if (!kept) await this.#settle(conversation, id, question, undefined).catch(() => {});
      }
    });
  }

  /**
   * Ends a turn whose process died: keeps the part of its answer that was written, at the turn's position. Does nothing
   * if there's no such part, if the answer was kept already, or if the conversation was reset.
   */
  async restore(place: string, question: Question, answered: string | undefined): Promise<void> {
    const conversation = await this.ownThreads.conversationAt(place);
    await this.#settle(conversation, await this.id(conversation), question, answered);
  }

  /** Adds a question with its answer at the end of a conversation, once. */
  add(conversation: string, { jobId, speaker, asked }: Question, answered: string): Promise<void> {
    return this.#changes.run(conversation, async () => {
      const { keyv, historyTokens, idleLimit } = this.#dependencies;
      const id = await this.#id(conversation);
      const entries = await this.#history(conversation, id);
      if (entries.some((entry) => entry.jobId === jobId)) return;
      const exchange = exchangeOf({ jobId, speaker, asked, answered });
      await this.#write(conversation, id, trim([...entries, exchange], historyTokens));
      await keyv.set(idKey(conversation), id, idleLimit);
    });
  }

  /** The id of a conversation; a new one if there is none yet. */
  async id(place: string): Promise<string> {
    const conversation = await this.ownThreads.conversationAt(place);
    return this.#changes.run(conversation, () => this.#id(conversation));
  }

  /** Begins a new conversation: no history, a new id. Doesn't wait for an answer that's being written. */
  async reset(place: string): Promise<string> {
    const conversation = await this.ownThreads.conversationAt(place);
    return this.#changes.run(conversation, async () => {
      const { keyv } = this.#dependencies;
      const before = await keyv.get<string>(idKey(conversation));
      if (before !== undefined) await keyv.delete(historyKey(conversation, before));
      return this.#new(conversation);
    });
  }

  /** The answer to a job, while it's part of the conversation. */
  async answerTo(place: string, jobId: string): Promise<string | undefined> {
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await this.#dependencies.keyv.get<string>(idKey(conversation));
    if (id === undefined) return undefined;
    const answered = (await this.#history(conversation, id)).filter(isAnswered);
    return answered.find((exchange) => exchange.jobId === jobId)?.answered;
  }

  /** Whether a job's turn is part of a conversation, with its answer or still without. */
  async holds(place: string, jobId: string): Promise<boolean> {
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await this.#dependencies.keyv.get<string>(idKey(conversation));
    if (id === undefined) return false;
    return (await this.#history(conversation, id)).some((entry) => entry.jobId === jobId);
  }

  /** Whether anything was said in a conversation since it was forgotten last. */
  async exists(place: string): Promise<boolean> {
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await this.#dependencies.keyv.get<string>(idKey(conversation));
    return id !== undefined && (await this.#history(conversation, id)).length > 0;
  }

  async #id(conversation: string): Promise<string> {
    return (await this.#dependencies.keyv.get<string>(idKey(conversation))) ?? this.#new(conversation);
  }

  async #new(conversation: string): Promise<string> {
    const id = randomId();
    await this.#dependencies.keyv.set(idKey(conversation), id, this.#dependencies.idleLimit);
    return id;
  }

  /** Adds an open turn to the history. @returns the history before it. */
  #begin(conversation: string, { jobId, replaces }: Question) {
    return this.#changes.run(conversation, async () => {
      const id = await this.#id(conversation);
      const entries = await this.#history(conversation, id);
      const replaced = replaces !== undefined && entries.at(-1)?.jobId === replaces ? replaces : undefined;
      const mine = { jobId, open: true, ...(replaced !== undefined && { replaces: replaced }) } as const;
      await this.#write(conversation, id, [...entries, mine]);
      return { id, entries: without(entries, replaced) };
    });
  }

  /** Puts the answer at the turn's position, or removes the turn if there is none. */
  #settle(conversation: string, id: string, question: Question, answered: string | undefined): Promise<void> {
    return this.#changes.run(conversation, async () => {
      const { keyv, historyTokens, idleLimit } = this.#dependencies;
      if ((await keyv.get<string>(idKey(conversation))) !== id) return;
      const entries = await this.#history(conversation, id);
      const { jobId, speaker, asked, context } = question;
      const mine = entries.find((entry) => entry.jobId === jobId);
      if (!mine || isAnswered(mine)) return;
      if (answered === undefined) return this.#write(conversation, id, without(entries, jobId));
      const exchange = exchangeOf({
        jobId,
        speaker,
        asked,
        answered,
        ...(context !== undefined && { context }),
      });
      const kept = entries.map((entry) => (entry === mine ? exchange : entry));
      await this.#write(conversation, id, trim(without(kept, mine.replaces), historyTokens));
      await keyv.set(idKey(conversation), id, idleLimit);
    });
  }

  async #history(conversation: string, id: string): Promise<readonly Entry[]> {
    return (await this.#dependencies.keyv.get<Entry[]>(historyKey(conversation, id))) ?? [];
  }

  async #write(conversation: string, id: string, entries: readonly Entry[]): Promise<void> {
    await this.#dependencies.keyv.set(historyKey(conversation, id), entries, this.#dependencies.idleLimit);
  }
}

function without(entries: readonly Entry[], jobId: string | undefined): readonly Entry[] {
  return jobId === undefined ? entries : entries.filter((entry) => entry.jobId !== jobId);
}

const idKey = (conversation: string) => `id ${conversation}`;
const historyKey = (conversation: string, id: string) => `exchanges ${conversation} ${id}`;
