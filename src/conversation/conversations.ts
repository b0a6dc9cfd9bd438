import type Keyv from 'keyv';
import { randomId } from '../ids.ts';
import { type ChatMessage, type Exchange, exchangeOf, messagesOf, trim } from './history.ts';
import { Turns } from './turns.ts';

export interface ConversationsParts {
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
  /** The request's messages: the persona or else the system prompt, history, this question. */
  messages(question: Question, persona?: string): ChatMessage[];
  /** Keeps the question and its answer. Without effect where the place was reset meanwhile. */
  keep(question: Question, answered: string): Promise<void>;
}

export interface Question {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  /** The job whose exchange this one takes the place of, where it is still the last. */
  readonly replaces?: string;
}

/**
 * Every place's conversation: its id and its history, in turns. The id and the exchanges stand under keys of
 * their own, so that an answer which ends after a reset is kept with the conversation it belonged to, and
 * forgotten with it.
 */
export class Conversations {
  readonly #parts: ConversationsParts;
  readonly #turns = new Turns();
  /** One at a time, so that two calls cannot begin two conversations, nor a late answer undo a reset. */
  readonly #ids = new Turns();

  constructor(parts: ConversationsParts) {
    this.#parts = parts;
  }

  /** Runs `work` as the place's next turn. */
  turn<T>(
    place: string,
    work: (turn: Turn) => Promise<T>,
    options: { readonly signal?: AbortSignal; readonly onWait?: () => void } = {},
  ): Promise<T> {
    return this.#turns.take(place, async () => work(await this.#open(place)), options);
  }

  /** The place's conversation id; a new one where there is none. */
  id(place: string): Promise<string> {
    return this.#ids.take(place, async () => {
      const known = await this.#parts.keyv.get<string>(idKey(place));
      return known ?? this.#begin(place);
    });
  }

  /** Begins a new conversation: history gone, new id. Does not wait for an answer that is being written. */
  reset(place: string): Promise<string> {
    return this.#ids.take(place, async () => {
      const { keyv } = this.#parts;
      const before = await keyv.get<string>(idKey(place));
      if (before !== undefined) await keyv.delete(exchangesKey(place, before));
      return this.#begin(place);
    });
  }

  /** What a job was answered, while that is part of the place's conversation. */
  async answerTo(place: string, jobId: string): Promise<string | undefined> {
    const { keyv } = this.#parts;
    const id = await keyv.get<string>(idKey(place));
    if (id === undefined) return undefined;
    const exchanges = (await keyv.get<Exchange[]>(exchangesKey(place, id))) ?? [];
    return exchanges.find((exchange) => exchange.jobId === jobId)?.answered;
  }

  async #begin(place: string): Promise<string> {
    const id = randomId();
    await this.#parts.keyv.set(idKey(place), id, this.#parts.idleLimit);
    return id;
  }

  /** Puts off the day on which the conversation is forgotten; not where the place was reset meanwhile. */
  #renew(place: string, id: string): Promise<void> {
    return this.#ids.take(place, async () => {
      const { keyv, idleLimit } = this.#parts;
      if ((await keyv.get<string>(idKey(place))) === id) await keyv.set(idKey(place), id, idleLimit);
    });
  }

  async #open(place: string): Promise<Turn> {
    const { keyv, systemPrompt, historyTokens, idleLimit } = this.#parts;
    const id = await this.id(place);
    const exchanges = (await keyv.get<Exchange[]>(exchangesKey(place, id))) ?? [];
    return {
      conversationId: id,
      messages: (question, persona = systemPrompt) =>
        messagesOf(persona, without(exchanges, question.replaces), question),
      keep: async (question, answered) => {
        const { jobId, speaker, asked, replaces } = question;
        // Kept by a process that died before it could say so.
        if (exchanges.some((exchange) => exchange.jobId === jobId)) return;
        const kept = [...without(exchanges, replaces), exchangeOf({ jobId, speaker, asked, answered })];
        await keyv.set(exchangesKey(place, id), trim(kept, historyTokens), idleLimit);
        await this.#renew(place, id);
      },
    };
  }
}

function without(exchanges: readonly Exchange[], jobId: string | undefined): readonly Exchange[] {
  return jobId !== undefined && exchanges.at(-1)?.jobId === jobId ? exchanges.slice(0, -1) : exchanges;
}

const idKey = (place: string) => `id ${place}`;
const exchangesKey = (place: string, id: string) => `exchanges ${place} ${id}`;
