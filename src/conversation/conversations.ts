import type Keyv from 'keyv';
import { KeyedQueue } from '../lib/keyed-queue.ts';
import { randomId } from '../lib/random-id.ts';
import { type ChatMessage, type Entry, exchangeOf, isAnswered, messagesOf, trim } from './history.ts';
import { type TurnOrder, Turns } from './turns.ts';

export interface ConversationsDependencies {
  /** Where conversations are kept. */
  readonly keyv: Keyv;
  /** First message of every request. */
  readonly systemPrompt: string;
  /** How much history goes into a request, in estimated tokens. */
  readonly historyTokens: number;
  /** A conversation that is idle for so long is forgotten, in milliseconds. */
  readonly idleLimit: number;
}

/** Somebody's turn in a conversation, while it is theirs. */
export interface Turn {
  /** Sent to the service with every call made for this place. */
  readonly conversationId: string;
  /** The request's messages: the persona or else the system prompt, the history as the turn began, the question. */
  messages(persona?: string): ChatMessage[];
  /** Keeps the question and its answer. Without effect where the place was reset meanwhile. */
  keep(answered: string): Promise<void>;
}

export interface Question {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  /** The job whose exchange this one takes the place of, where it is still the last. */
  readonly replaces?: string;
}

/**
 * Every place's conversation: its id and its history. A turn has its place in the history from when it begins, so
 * that what is kept is in the order in which turns began, each once, whichever answer is there first and wherever a
 * process dies. The id and the history stand under keys of their own, so that a reset forgets a whole conversation.
 */
export class Conversations {
  readonly #dependencies: ConversationsDependencies;
  readonly #turns = new Turns();
  /** Changes of a place's id and history, so that none is lost to another. */
  readonly #changes = new KeyedQueue();

  constructor(dependencies: ConversationsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs `work` when the person's turn has come; a turn whose answer was not kept leaves nothing behind. */
  turn<T>(place: string, question: Question, order: TurnOrder, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#turns.take(place, order, async () => {
      const { id, entries } = await this.#begin(place, question);
      const history = entries.filter(isAnswered);
      let kept = false;
      const turn: Turn = {
        conversationId: id,
        messages: (persona = this.#dependencies.systemPrompt) => messagesOf(persona, history, question),
        keep: async (answered) => {
          await this.#settle(place, id, question, answered);
          kept = true;
        },
      };
      try {
        return await work(turn);
      } finally {
        // What cannot be taken out stays open, and is passed over.
        if (!kept) await this.#settle(place, id, question, undefined).catch(() => {});
      }
    });
  }

  /**
   * Ends a turn whose process died: keeps what had come of its answer in the place that the turn had. Nothing where
   * nothing had come, where it was kept already, and where its conversation is over.
   */
  async restore(place: string, question: Question, answered: string | undefined): Promise<void> {
    await this.#settle(place, await this.id(place), question, answered);
  }

  /** The place's conversation id; a new one where there is none. */
  id(place: string): Promise<string> {
    return this.#changes.run(place, () => this.#id(place));
  }

  /** Begins a new conversation: history gone, new id. Does not wait for an answer that is being written. */
  reset(place: string): Promise<string> {
    return this.#changes.run(place, async () => {
      const { keyv } = this.#dependencies;
      const before = await keyv.get<string>(idKey(place));
      if (before !== undefined) await keyv.delete(historyKey(place, before));
      return this.#new(place);
    });
  }

  /** What a job was answered, while that is part of the place's conversation. */
  async answerTo(place: string, jobId: string): Promise<string | undefined> {
    const id = await this.#dependencies.keyv.get<string>(idKey(place));
    if (id === undefined) return undefined;
    const answered = (await this.#history(place, id)).filter(isAnswered);
    return answered.find((exchange) => exchange.jobId === jobId)?.answered;
  }

  async #id(place: string): Promise<string> {
    return (await this.#dependencies.keyv.get<string>(idKey(place))) ?? this.#new(place);
  }

  async #new(place: string): Promise<string> {
    const id = randomId();
    await this.#dependencies.keyv.set(idKey(place), id, this.#dependencies.idleLimit);
    return id;
  }

  /** Takes the turn's place in the history; answers what stood there before it. */
  #begin(place: string, { jobId, replaces }: Question) {
    return this.#changes.run(place, async () => {
      const id = await this.#id(place);
      const entries = await this.#history(place, id);
      const replaced = replaces !== undefined && entries.at(-1)?.jobId === replaces ? replaces : undefined;
      const mine = { jobId, open: true, ...(replaced !== undefined && { replaces: replaced }) } as const;
      await this.#write(place, id, [...entries, mine]);
      return { id, entries: without(entries, replaced) };
    });
  }

  /** Puts the answer where the turn began, or takes the turn out where there is none. */
  #settle(place: string, id: string, question: Question, answered: string | undefined): Promise<void> {
    return this.#changes.run(place, async () => {
      const { keyv, historyTokens, idleLimit } = this.#dependencies;
      if ((await keyv.get<string>(idKey(place))) !== id) return;
      const entries = await this.#history(place, id);
      const { jobId, speaker, asked } = question;
      const mine = entries.find((entry) => entry.jobId === jobId);
      if (!mine || isAnswered(mine)) return;
      if (answered === undefined) return this.#write(place, id, without(entries, jobId));
      const exchange = exchangeOf({ jobId, speaker, asked, answered });
      const kept = entries.map((entry) => (entry === mine ? exchange : entry));
      await this.#write(place, id, trim(without(kept, mine.replaces), historyTokens));
      await keyv.set(idKey(place), id, idleLimit);
    });
  }

  async #history(place: string, id: string): Promise<readonly Entry[]> {
    return (await this.#dependencies.keyv.get<Entry[]>(historyKey(place, id))) ?? [];
  }

  async #write(place: string, id: string, entries: readonly Entry[]): Promise<void> {
    await this.#dependencies.keyv.set(historyKey(place, id), entries, this.#dependencies.idleLimit);
  }
}

function without(entries: readonly Entry[], jobId: string | undefined): readonly Entry[] {
  return jobId === undefined ? entries : entries.filter((entry) => entry.jobId !== jobId);
}

const idKey = (place: string) => `id ${place}`;
const historyKey = (place: string, id: string) => `exchanges ${place} ${id}`;
