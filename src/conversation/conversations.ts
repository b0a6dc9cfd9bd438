import { type Clock, systemClock } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import { randomId } from '../lib/text.ts';
import { jobLife, type Records } from '../store/index.ts';
import {
  type ChatMessage,
  type Entry,
  exchangeOf,
  isAnswered,
  type KeptAnswer,
  messagesOf,
  OwnThreads,
  recalled,
  threadPrefixes,
  trim,
  youngerThan,
} from './history.ts';
import { ofJob, QuotedSources, sourcesOf, withoutKnown, withoutQuoted, withoutSources } from './quoted.ts';
import type { TurnOrder, Turns } from './turns/turns.ts';

const day = 86_400_000;

export interface ConversationsDependencies {
  /** Where conversations are stored. */
  readonly keyv: Records;
  readonly turns: Turns;
  /** First message of every request. */
  readonly systemPrompt: string;
  /** How much history goes into a request, in estimated tokens. */
  readonly historyTokens: number;
  /** After how long without a turn a conversation is forgotten, in milliseconds. */
  readonly idleLimit: number;
  readonly clock?: Clock;
}

/** A person's turn in a conversation, while it lasts. */
export interface Turn {
  /** Sent to the service with every call of this conversation. */
  readonly conversationId: string;
  /** The request's messages: the persona (or the system prompt), the history when the turn began, the question. */
  messages(persona?: string): ChatMessage[];
  /** Keeps the question and its answer, unless the conversation was reset meanwhile. */
  keep(answer: Required<KeptAnswer>): Promise<void>;
}

export interface Question {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  /** Quotes that the question refers to; what's deleted of them is left out. */
  readonly context?: string;
  /** The job whose exchange this one replaces, if that's still the last one. */
  readonly replaces?: string;
}

/**
 * The conversations of channels, threads and direct messages, each with its id and its history. A turn gets its position
 * in the history when it begins, so that exchanges are kept in the order in which turns began, each once, whichever
 * answer is finished first and wherever a process dies. The id and the history have keys of their own, so that a reset
 * forgets a whole conversation. A change is made to the history as it is then, whichever process wrote it, so that none
 * overwrites another.
 */
export class Conversations {
  readonly #dependencies: ConversationsDependencies;
  readonly #quotedSources: QuotedSources;

  /** Threads in which a conversation goes on that began elsewhere: everything here follows them. */
  readonly ownThreads: OwnThreads;

  constructor(dependencies: ConversationsDependencies) {
    this.#dependencies = dependencies;
    this.ownThreads = new OwnThreads(dependencies.keyv, dependencies.idleLimit);
    this.#quotedSources = new QuotedSources(dependencies.keyv, dependencies.idleLimit);
  }

  /** Runs `work` when it's the person's turn. A turn whose answer isn't kept leaves nothing behind. */
  async turn<T>(
    place: string,
    asked: Question,
    order: TurnOrder,
    work: (turn: Turn) => Promise<T>,
  ): Promise<T> {
    const { turns, clock = systemClock } = this.#dependencies;
    const conversation = await this.ownThreads.conversationAt(place);
    return turns.take(conversation, { ...order, job: asked.jobId }, async () => {
      if (conversation !== place) await this.ownThreads.renew(place);
      const { id, entries } = await this.#begin(conversation, asked);
      let kept = false;
      try {
        await this.#quotedSources.note(sourcesOf(asked.context), conversation);
        const { question, messages } = this.#asked(await this.#quotable(asked), entries);
        const turn: Turn = {
          conversationId: id,
          messages,
          keep: async (answer) => {
            await this.#settle(conversation, id, question, answer);
            kept = true;
          },
        };
        return await work(turn);
      } finally {
        // A turn that's still open is skipped until it can be removed.
        const remove = () => this.#settle(conversation, id, asked, undefined);
        if (!kept) await nowOrLater(remove, { clock }).catch(() => {});
      }
    });
  }

  /**
   * Ends a turn whose process died: keeps the part of its answer that people can read, at the turn's position, or removes
   * the turn if there's none. Does nothing if the answer was kept already, or if the conversation was reset.
   */
  async restore(place: string, question: Question, part: Required<KeptAnswer> | undefined): Promise<void> {
    const conversation = await this.ownThreads.conversationAt(place);
    await this.#settle(conversation, await this.id(conversation), await this.#quotable(question), part);
  }

  /** Adds a question with its answer at the end of a conversation, once. */
  async add(conversation: string, { jobId, speaker, asked }: Question, answer: KeptAnswer): Promise<void> {
    const { historyTokens } = this.#dependencies;
    const id = await this.#id(conversation);
    const exchange = exchangeOf({ jobId, speaker, asked, at: this.#now(), ...asEntry(answer) });
    if (!(await this.#renew(conversation, id))) return;
    await this.#change(conversation, id, (entries) =>
      entries.some((entry) => entry.jobId === jobId)
        ? undefined
        : trim([...entries, exchange], historyTokens),
    );
  }

  /** The id of a conversation; a new one if there is none yet. */
  async id(place: string): Promise<string> {
    return this.#id(await this.ownThreads.conversationAt(place));
  }

  /** Does `work` when what a command's person gave before it there has begun, and before what they give after it. */
  async betweenTurns<T>(jobId: string, work: () => Promise<T>): Promise<T> {
    const { turns } = this.#dependencies;
    try {
      await turns.earlierHaveBegun(jobId);
      return await work();
    } finally {
      await turns.leave(jobId);
    }
  }

  /** The messages of a question's request if its turn began now, as {@link Turn.messages} has them. */
  async preview(place: string, question: Omit<Question, 'jobId'>, persona?: string): Promise<ChatMessage[]> {
    const entries = await this.#entriesAt(place);
    const before = without(entries, replacedBy(question.replaces, entries));
    return this.#asked(await this.#quotable(question), before).messages(persona);
  }

  /** Begins a new conversation: no history, a new id. Doesn't wait for an answer that's being written. */
  async reset(place: string): Promise<string> {
    const conversation = await this.ownThreads.conversationAt(place);
    const { keyv, idleLimit } = this.#dependencies;
    const id = randomId();
    let before = await keyv.get<string>(idKey(conversation));
    const forget = async () => before !== undefined && keyv.delete(historyKey(conversation, before));
    // First: nobody finds a history whose id is gone, where the process dies in between.
    await forget();
    await keyv.change<string>(idKey(conversation), idleLimit, (found) => {
      before = found;
      return id;
    });
    await forget();
    return id;
  }

  /** Removes a job's question and answer from the history, and what later questions quoted of them. */
  async forget(place: string, jobId: string): Promise<void> {
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await this.#dependencies.keyv.get<string>(idKey(conversation));
    if (id === undefined) return;
    await this.#change(conversation, id, (entries) => {
      const forgotten = entries.find((entry) => entry.jobId === jobId);
      return forgotten && without(entries, jobId).map((entry) => withoutQuotesOf(entry, forgotten));
    });
  }

  /** Forgets a conversation with its key, which may name somebody; `ifEmpty`: unless something is said in it. */
  async drop(place: string, which: 'whole' | 'ifEmpty' = 'whole'): Promise<void> {
    const { keyv } = this.#dependencies;
    if (which === 'ifEmpty' && (await this.exists(place))) return;
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await keyv.get<string>(idKey(conversation));
    if (id === undefined) return;
    // As on a reset: also what's added in between.
    for (const key of [historyKey(conversation, id), idKey(conversation), historyKey(conversation, id)])
      await keyv.delete(key);
  }

  /** Deletes what's too old also where nobody goes on, once a day. Call now and then. */
  async erase(): Promise<void> {
    const { keyv, idleLimit } = this.#dependencies;
    const today = Math.floor(this.#now() / day);
    if ((await keyv.get<number>(erasedOnKey)) === today) return;
    for await (const [key, found] of keyv.entries<Entry[]>(historyPrefix(''))) {
      const idle = this.#now() - (found.at(-1)?.at ?? 0);
      const change = (entries: readonly Entry[] = []) => {
        const kept = this.#known(entries);
        return kept.length < entries.length ? kept : undefined;
      };
      // It isn't kept for longer by that. What was taken out of it since may have kept it beyond its time.
      if (change(found)) await keyv.change(key, Math.max(1, idleLimit - idle), change);
    }
    await keyv.set(erasedOnKey, today, 2 * day);
  }

  /** Forgets all conversations whose keys begin so, and the threads in which they go on. */
  async forgetUnder(prefix: string): Promise<void> {
    for (const keys of [idKey(prefix), historyPrefix(prefix), ...threadPrefixes(prefix)])
      await this.#dependencies.keyv.deleteStartingWith(keys);
  }

  /** A command that quotes these, or is made from them, is to be on record: what's deleted of them from now on is known. */
  expectSources(sources: readonly string[], job?: string): Promise<void> {
    return this.#quotedSources.note(sources, job === undefined ? '' : ofJob(job));
  }

  /** The jobs that quote one of these, or are made from it. */
  jobsWith(sources: readonly string[]): Promise<readonly string[]> {
    return this.#quotedSources.jobsWith(sources);
  }

  /** Those that are deleted of what commands quote or are made from. */
  deletedOf(sources: readonly string[]): Promise<readonly string[]> {
    return this.#quotedSources.deletedOf(sources);
  }

  /**
   * Removes what questions quoted of what's deleted, in all conversations, also of one that's being answered or is yet to be
   * asked. With `ifQuoted` nothing is kept of what nobody quotes.
   * @returns the jobs that quote it, or are made from it.
   */
  async forgetQuotes(
    sources: readonly string[],
    which: 'all' | 'ifQuoted' = 'all',
  ): Promise<readonly string[]> {
    const { conversations, jobs } = await this.#quotedSources.delete(sources, which);
    for (const conversation of conversations) {
      const id = await this.#dependencies.keyv.get<string>(idKey(conversation));
      if (id === undefined) continue;
      await this.#change(conversation, id, (entries) => {
        const kept = entries.map((entry) => withoutSourcesIn(entry, sources));
        return kept.some((entry, index) => entry !== entries[index]) ? kept : undefined;
      });
    }
    return jobs;
  }

  /** The answer to a job, or the part that is kept of it, while it's part of the conversation. */
  async answerTo(place: string, jobId: string): Promise<KeptAnswer | undefined> {
    const entries = await this.#entriesAt(place);
    const found = entries.filter(isAnswered).find((exchange) => exchange.jobId === jobId);
    return found && { text: found.answered, ...(found.ending && { ending: found.ending }) };
  }

  /** Whether a job's turn is part of a conversation, with its answer or still without. */
  async holds(place: string, jobId: string): Promise<boolean> {
    return (await this.jobsIn(place)).includes(jobId);
  }

  /** The jobs whose turns are part of a conversation, oldest first. */
  async jobsIn(place: string): Promise<readonly string[]> {
    return (await this.#entriesAt(place)).map(({ jobId }) => jobId);
  }

  /**
   * The conversations that people share in a channel and its threads, by the channel's key; those of their own there, too,
   * where its settings gave them one.
   */
  async conversationsIn(channel: string): Promise<readonly string[]> {
    const { keyv } = this.#dependencies;
    const [ids, threads] = [idKey(channel), `${channel}/`];
    const [known, own] = await Promise.all([
      keyv.keysStartingWith([ids]),
      this.ownThreads.conversationsUnder(threads),
    ]);
    // Another channel's key may begin with this one's.
    const isThere = (key: string) => /^(?:$|[/@#?])/.test(key.slice(ids.length)) && !key.endsWith('?private');
    const there = known.filter(isThere).map((key) => key.slice(idKey('').length));
    return [...new Set([await this.ownThreads.conversationAt(channel), ...there, ...own])];
  }

  /** Whether anything was said in a conversation since it was forgotten last. */
  async exists(place: string): Promise<boolean> {
    return (await this.#entriesAt(place)).length > 0;
  }

  /** The history of the conversation that a key leads to; empty where there's none yet. */
  async #entriesAt(place: string): Promise<readonly Entry[]> {
    const { keyv } = this.#dependencies;
    const conversation = await this.ownThreads.conversationAt(place);
    const id = await keyv.get<string>(idKey(conversation));
    if (id === undefined) return [];
    return this.#known((await keyv.get<Entry[]>(historyKey(conversation, id))) ?? []);
  }

  /** A question without what it quotes of what's deleted. */
  async #quotable<Asked extends Pick<Question, 'context'>>(asked: Asked) {
    return withoutQuotesFrom(asked, await this.#quotedSources.deletedOf(sourcesOf(asked.context)));
  }

  /** A question on the history before it, and the messages of its request. */
  #asked<Asked extends Omit<Question, 'jobId'>>(
    { context: given, ...asked }: Asked,
    before: readonly Entry[],
  ) {
    const { historyTokens, systemPrompt } = this.#dependencies;
    const history = recalled(before, historyTokens);
    const context = withoutKnown(given, history);
    const question = { ...asked, ...(context !== undefined && { context }) };
    return {
      question,
      messages: (persona?: string) => messagesOf(persona || systemPrompt, history, question),
    };
  }

  async #id(conversation: string): Promise<string> {
    const { keyv, idleLimit } = this.#dependencies;
    const known = await keyv.get<string>(idKey(conversation));
    if (known !== undefined) return known;
    const id = randomId();
    // Another process may have been quicker.
    return (await keyv.add(idKey(conversation), id, idleLimit)) ? id : this.#id(conversation);
  }

  /** Keeps a conversation's id for longer. @returns false if there's a new one meanwhile. */
  async #renew(conversation: string, id: string): Promise<boolean> {
    const { keyv, idleLimit } = this.#dependencies;
    const renewed = (found: string | undefined) => (found === id ? id : undefined);
    return (await keyv.change(idKey(conversation), idleLimit, renewed)) !== undefined;
  }

  /** Adds an open turn to the history. @returns the history before it. */
  async #begin(conversation: string, { jobId, replaces, context }: Question) {
    const id = await this.#id(conversation);
    const quotes = sourcesOf(context);
    let before: readonly Entry[] = [];
    await this.#change(conversation, id, (entries) => {
      const replaced = replacedBy(replaces, entries);
      before = without(entries, replaced);
      const version = replaced !== undefined && { replaces: replaced };
      const turn = { jobId, open: true, at: this.#now() } as const;
      return [...entries, { ...turn, ...version, ...(quotes.length > 0 && { quotes }) }];
    });
    return { id, entries: before };
  }

  /** Puts the answer at the turn's position, or removes the turn if there is none. */
  async #settle(
    conversation: string,
    id: string,
    { jobId, speaker, asked, context }: Question,
    answer: KeptAnswer | undefined,
  ): Promise<void> {
    const { historyTokens } = this.#dependencies;
    if (!(await this.#renew(conversation, id))) return;
    await this.#change(conversation, id, (entries) => {
      const mine = entries.find((entry) => entry.jobId === jobId);
      if (!mine) return undefined;
      if (isAnswered(mine)) {
        // An earlier version didn't note how the answer ended.
        const isNews = !mine.ending && answer?.ending && answer.text === mine.answered;
        return isNews
          ? entries.map((entry) => (entry === mine ? { ...mine, ...asEntry(answer) } : entry))
          : undefined;
      }
      if (!answer) return without(entries, jobId);
      // What it quotes may have been deleted meanwhile.
      const deleted = sourcesOf(context).filter((source) => !mine.quotes?.includes(source));
      const quotes = withoutQuotesFrom({ ...(context !== undefined && { context }) }, deleted);
      const began = mine.at !== undefined && { at: mine.at };
      const exchange = exchangeOf({ jobId, speaker, asked, ...began, ...asEntry(answer), ...quotes });
      const kept = entries.map((entry) => (entry === mine ? exchange : entry));
      return trim(without(kept, mine.replaces), historyTokens);
    });
  }

  /** Without what's older than the commands on record: whose that is isn't known any more, so nobody could have it deleted. */
  #known(entries: readonly Entry[]): readonly Entry[] {
    return youngerThan(Math.max(jobLife, this.#dependencies.idleLimit), entries, this.#now());
  }

  #now(): number {
    return (this.#dependencies.clock ?? systemClock).now();
  }

  /** Changes the history, unless `work` returns undefined. */
  async #change(
    conversation: string,
    id: string,
    work: (entries: readonly Entry[]) => readonly Entry[] | undefined,
  ): Promise<void> {
    const { keyv, idleLimit } = this.#dependencies;
    const change = (found: readonly Entry[] = []) => work(this.#known(found));
    await keyv.change(historyKey(conversation, id), idleLimit, change);
  }
}

/** The job whose exchange a question replaces: only the last one can be. */
function replacedBy(replaces: string | undefined, entries: readonly Entry[]): string | undefined {
  return replaces !== undefined && entries.at(-1)?.jobId === replaces ? replaces : undefined;
}

function asEntry({ text: answered, ending }: KeptAnswer) {
  return { answered, ...(ending && { ending }) };
}

/** A question without its quotes that have one of these sources. */
function withoutQuotesFrom<Asked extends Pick<Question, 'context'>>(
  asked: Asked,
  sources: readonly string[],
): Asked {
  if (asked.context === undefined || sources.length === 0) return asked;
  const { context: quotes, ...rest } = asked;
  const context = withoutSources(quotes, sources);
  return { ...rest, ...(context !== undefined && { context }) } as Asked;
}

/** An entry without its quotes that have one of these sources; of a turn that's open, the note that it has. */
function withoutSourcesIn(entry: Entry, sources: readonly string[]): Entry {
  const isForgotten = (source: string) => sources.includes(source);
  if (!isAnswered(entry))
    return entry.quotes?.some(isForgotten)
      ? { ...entry, quotes: entry.quotes.filter((source) => !isForgotten(source)) }
      : entry;
  return sourcesOf(entry.context).some(isForgotten) ? exchangeOf(withoutQuotesFrom(entry, sources)) : entry;
}

function withoutQuotesOf(entry: Entry, forgotten: Entry): Entry {
  if (!isAnswered(entry) || !isAnswered(forgotten) || entry.context === undefined) return entry;
  const { context: quotes, tokens: _, ...exchange } = entry;
  const context = withoutQuoted(quotes, forgotten);
  return exchangeOf({ ...exchange, ...(context !== undefined && { context }) });
}

function without(entries: readonly Entry[], jobId: string | undefined): readonly Entry[] {
  return jobId === undefined ? entries : entries.filter((entry) => entry.jobId !== jobId);
}

const idKey = (conversation: string) => `id ${conversation}`;
/** The day on which what's too old was deleted last. */
const erasedOnKey = 'erased on';
const historyPrefix = (conversation: string) => `exchanges ${conversation}`;
const historyKey = (conversation: string, id: string) => `${historyPrefix(conversation)} ${id}`;
