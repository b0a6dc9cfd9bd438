import { beginningOfTokens, endOfTokens, estimateTokens } from '../lib/text.ts';
import type { Ending } from '../reply/index.ts';
import type { Records } from '../store/index.ts';
import { quotingRule, withoutMarks } from './quoted.ts';

/** An answer, or the part of one, as a conversation keeps it. */
export interface KeptAnswer {
  readonly text: string;
  /**
   * How it ended, with the note that people read below it: only one that is done, without a note, is whole. One that
   * was `interrupted` is what people could read of it when its process ended. Absent in what an earlier version kept,
   * which can be either.
   */
  readonly ending?: Ending;
}

/** One question with its answer. Only turns with an answer are kept. */
export interface Exchange {
  readonly jobId: string;
  readonly speaker: string;
  readonly asked: string;
  /** When its turn began, in milliseconds since the epoch; absent in what an earlier version kept. */
  readonly at?: number;
  /** Quotes that the question referred to. */
  readonly context?: string;
  readonly answered: string;
  /** As a {@link KeptAnswer}'s. */
  readonly ending?: Ending;
  /** Estimated, all of it together. */
  readonly tokens: number;
}

/**
 * A turn that has begun and has no answer yet: its position in the history, so that turns side by side are kept in the
 * order in which they began, whichever ends first, and after a crash too.
 */
interface OpenTurn {
  readonly jobId: string;
  readonly open: true;
  readonly at?: number;
  /** The job whose exchange the answer replaces. */
  readonly replaces?: string;
  /** The sources of what its question quotes, without those that are deleted since. */
  readonly quotes?: readonly string[];
}

/** An entry of a conversation's history, in the order in which turns began. */
export type Entry = Exchange | OpenTurn;

/** Whether a turn is over, with what was answered. */
export function isAnswered(entry: Entry): entry is Exchange {
  return !('open' in entry);
}

/** A message as the service takes it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Makes an exchange with its estimate of tokens. */
export function exchangeOf(exchange: Omit<Exchange, 'tokens'>): Exchange {
  const { asked, context = '', answered } = exchange;
  const sent = [asked, withoutMarks(context), answered];
  return { ...exchange, tokens: sent.reduce((sum, text) => sum + estimateTokens(text), 0) };
}

/** Without what's older, in milliseconds; what doesn't say how old it is counts from now. */
export function youngerThan(most: number, entries: readonly Entry[], now: number): readonly Entry[] {
  return entries.flatMap((entry) => {
    if (entry.at === undefined) return [{ ...entry, at: now }];
    return now - entry.at < most ? [entry] : [];
  });
}

/**
 * What is kept: drops the oldest exchanges until the rest fits into `maxTokens`; what one quoted goes before the exchange
 * itself. Turns without an answer yet stay, and so does the newest answer, whole: it may have to be delivered again.
 */
export function trim(entries: readonly Entry[], maxTokens: number): readonly Entry[] {
  const newest = entries.findLast(isAnswered);
  let room = maxTokens;
  const kept = entries.toReversed().flatMap((entry): readonly Entry[] => {
    if (!isAnswered(entry)) return [entry];
    const short = withoutContext(entry);
    const fits =
      [entry, short].find(({ tokens }) => tokens <= room) ?? (entry === newest ? short : undefined);
    // What is older than one that doesn't fit is dropped too: a conversation has no gaps.
    room = fits ? room - fits.tokens : -1;
    return fits ? [fits] : [];
  });
  return kept.reverse();
}

/**
 * What goes into a request of what was said before: as much as fits into `maxTokens`, so that nobody's question is dear
 * by what somebody else said. Of a newest exchange that is longer, the beginning of the question and the end of its
 * answer, which can be continued.
 */
export function recalled(entries: readonly Entry[], maxTokens: number): readonly Exchange[] {
  return trim(entries, maxTokens)
    .filter(isAnswered)
    .map((exchange) => (exchange.tokens > maxTokens ? shortened(exchange, maxTokens) : exchange));
}

/** How much of the room the question has at least, however long the answer is. */
const shareOfQuestion = 1 / 3;

function shortened(exchange: Exchange, maxTokens: number): Exchange {
  const left = maxTokens - estimateTokens(exchange.answered);
  const asked =
    beginningOfTokens(exchange.asked, Math.max(left, Math.floor(maxTokens * shareOfQuestion))) ?? '';
  const answered = endOfTokens(exchange.answered, maxTokens - estimateTokens(asked));
  return exchangeOf({ ...exchange, asked, answered });
}

/** An exchange without what its question referred to. */
function withoutContext({ context: _, tokens: __, ...exchange }: Exchange): Exchange {
  return exchangeOf(exchange);
}

/**
 * The messages of a chat request: the system prompt, the history, the new question. Where several people
 * take part, each question begins with a name. Quotes stand before their question.
 */
export function messagesOf(
  systemPrompt: string,
  exchanges: readonly Exchange[],
  question: Pick<Exchange, 'speaker' | 'asked' | 'context'>,
): ChatMessage[] {
  const several = exchanges.some((exchange) => exchange.speaker !== question.speaker);
  const said = ({ speaker, asked, context }: typeof question) =>
    [context && withoutMarks(context), several ? `${oneLine(speaker)}: ${asked}` : asked]
      .filter(Boolean)
      .join('\n\n');
  const quotes = [...exchanges, question].some(({ context }) => context !== undefined);
  return [
    { role: 'system', content: quotes ? `${systemPrompt}\n\n${quotingRule}` : systemPrompt },
    ...exchanges.flatMap((exchange): ChatMessage[] => [
      { role: 'user', content: said(exchange) },
      { role: 'assistant', content: exchange.answered },
    ]),
    { role: 'user', content: said(question) },
  ];
}

/** A name on one line, so that it can't pretend to be somebody else's question. */
function oneLine(name: string): string {
  return name.replace(/[\s:：]+/gu, ' ').trim();
}

/** A thread that was opened for a conversation. */
export interface OwnThread {
  /** The conversation that goes on there. */
  readonly conversation: string;
  /** Who opened it; empty where their data is deleted, or an earlier version moved a channel. */
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

  /** Those whose keys begin so are nobody's any more that this person opened: others go on there. */
  async disown(prefix: string, owner: string): Promise<void> {
    for (const key of await this.#records.keysNaming(threadKey(prefix), owner))
      await this.#records.change<OwnThread>(key, this.#lifetime, (own) =>
        own?.owner === owner ? { ...own, owner: '' } : undefined,
      );
  }

  /** Whether a conversation has its thread. */
  isOpened(conversation: string): Promise<boolean> {
    return this.#records.has(openedKey(conversation));
  }
}

const threadKey = (thread: string) => `thread ${thread}`;
const openedKey = (conversation: string) => `opened ${conversation}`;
/** What's known of threads and conversations whose keys begin so. */
export const threadPrefixes = (under: string) => [threadKey(under), openedKey(under)];
