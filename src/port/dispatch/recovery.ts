import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import { conversationKey, type MessageAddress } from '../address.ts';
import { type AnyCommand, actionId, type Job } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import type { Locale } from '../locale.ts';
import { isAccessLostForGood, onNewError } from '../post/no-access.ts';
import {
  type PlatformAdapter,
  type PlatformAdapters,
  PlatformError,
  type PostedAnswer,
} from '../post/platform-adapter.ts';
import { postDirectly } from '../post/post-variants.ts';
import { searchResult } from '../post/search-result.ts';
import type { Explanation, Jobs, LiveAnswers, RecordedAnswer } from './dispatcher-dependencies.ts';

/** The sentences of a recovery; `src/words` has them. */
export interface RecoveryWords {
  readonly interrupted: (about: string) => string;
  readonly tryAgain: string;
}

export interface RecoveryDependencies<Dependencies> {
  readonly commands: readonly AnyCommand<Dependencies>[];
  readonly commandDependencies: Dependencies;
  readonly jobs: Jobs;
  readonly answers: LiveAnswers;
  readonly adapters: PlatformAdapters;
  readonly words: (locale: Locale) => RecoveryWords;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Waits between tries while a platform is away, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };
/** An error that nobody expected is tried so often. */
const triesOfUnexpected = 3;

/**
 * Ends honestly what a former process was at when it died: what was written stays, a word says that it was
 * interrupted, and a button goes on or begins again. Nothing is sent to the service by it.
 */
export class Recovery<Dependencies> {
  readonly #dependencies: RecoveryDependencies<Dependencies>;
  readonly #stop = new AbortController();
  #unfinished: readonly Job[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(dependencies: RecoveryDependencies<Dependencies>) {
    this.#dependencies = dependencies;
  }

  /** Notes what was left. Call before anything new can begin. */
  async findUnfinished(): Promise<number> {
    this.#unfinished = await this.#dependencies.jobs.unfinished();
    return this.#unfinished.length;
  }

  /** Tells the people concerned, as soon as their platform can post. */
  notifyAll(): void {
    const places = Map.groupBy(this.#unfinished, ({ address }) => conversationKey(address));
    for (const jobs of places.values()) this.#track(this.#notifyInOrder(jobs));
    this.#unfinished = [];
  }

  /**
   * Tells of a command of this process that failed while its platform took nothing: `word`, where it's known what to say
   * about that.
   */
  notifyLater(job: Job, error: unknown, word?: Explanation): void {
    this.#dependencies.log.warn({ job: job.id, error }, 'the requester is told later');
    this.#track(this.#notifyInOrder([job], word));
  }

  /** Resolves when everybody has been told, or the recovery was closed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Leaves the rest for the next start. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.settled();
  }

  #track(telling: Promise<void>): void {
    const told = telling.finally(() => this.#underWay.delete(told));
    this.#underWay.add(told);
  }

  /** One place's in the order in which they were given, so that its conversation keeps that order. */
  async #notifyInOrder(jobs: readonly Job[], word?: Explanation): Promise<void> {
    for (const job of jobs) {
      await this.#notifyPersistently(job, word).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#dependencies.log.warn({ job: job.id, error }, 'left for the next start');
      });
    }
  }

  /** A platform that is away and trouble of this machine are waited for; nobody has to start the bot anew. */
  async #notifyPersistently(job: Job, word: Explanation | undefined): Promise<void> {
    const { clock, jobs, answers, log } = this.#dependencies;
    let unexpected = 0;
    const later = onNewError((error) =>
      log.warn({ job: job.id, error }, 'people could not be told of an interruption yet'),
    );
    const failed = (error: unknown) => {
      const passes = error instanceof PlatformError || isLocal(error);
      if (!passes && ++unexpected >= triesOfUnexpected) throw error;
      if (isAccessLostForGood(error)) throw error;
      later(error);
    };
    this.#stop.signal.throwIfAborted();
    const persistence = { clock, waits, signal: this.#stop.signal, failed };
    await untilDone(() => this.#notify(job, word), persistence).catch((error: unknown) => {
      if (!isAccessLostForGood(error)) throw error;
      log.warn({ job: job.id, error }, 'nobody could be told of an interruption');
    });
    // Apart, so that nobody is told twice because that could not be written down.
    await untilDone(() => jobs.end(job.id, 'failed'), persistence);
    await untilDone(() => answers.remove(job.id), persistence);
  }

  /** What is on record of an answer, with the message in which it went on and that its process did not write down. */
  async #onRecord(adapter: PlatformAdapter | undefined, job: Job): Promise<RecordedAnswer | undefined> {
    const known = await this.#dependencies.answers.find(job.id);
    if (known?.kind !== 'growing' || known.messages.length === 0) return known;
    const found = await this.#found(adapter?.findContinuation?.(job, known.messages));
    return found ? { ...known, messages: [...known.messages, found.message], lastText: found.text } : known;
  }

  /** A message that a process posted and did not live to write down. */
  #found(search: Promise<PostedAnswer | undefined> | undefined): Promise<PostedAnswer | undefined> {
    return searchResult(search, this.#stop.signal);
  }

  async #notify(job: Job, word: Explanation | undefined): Promise<void> {
    const { commands, commandDependencies: parts, words } = this.#dependencies;
    const command = commands.find(({ name }) => name === job.command);
    const adapter = this.#dependencies.adapters(job.address.platform);
    const known = await this.#onRecord(adapter, job);
    const isSought = !known && command?.seenBy !== 'requester';
    const found = isSought ? await this.#found(adapter?.findAnswer?.(job)) : undefined;
    const say = words(job.requester.locale);
    // Nobody knows whether what was found is words of an answer: people keep it, the conversation does without.
    const progress = found ? { messages: [found.message], lastText: '' } : undefined;
    const buttons = (await command?.interrupted?.(job, known ?? progress, parts)) ?? [
      { id: actionId(job.command, 'again', job.id), label: say.tryAgain },
    ];
    if (buttons === 'goes-on') return;
    if (!adapter) throw new PlatformError('unreachable');
    const shown: RecordedAnswer | undefined =
      known ?? (found && { ...found, kind: 'said', messages: [found.message], lastText: found.text });
    const answer = shown && withoutInterim(shown, (text) => command?.isInterim?.(text, job));
    try {
      const { privately: alone, ...told } = word ?? {
        text: say.interrupted(aboutOf(job, command?.textOption)),
        buttons,
      };
      if (command?.seenBy === 'requester') await notifyPrivately(adapter, job, told);
      else if (!alone || !(await notifiedDirectly(adapter, job, told)))
        await postNotice(adapter, job, answer, told, 'interrupted');
    } catch (error) {
      // Where nothing can be said any more nothing is left to be said.
      if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
      this.#dependencies.log.warn({ job: job.id, error }, 'nobody could be told of an interruption');
    }
  }
}

/** What a message says of something to come, which never will, makes way. */
function withoutInterim(
  answer: RecordedAnswer,
  isInterim: (text: string) => boolean | undefined,
): RecordedAnswer {
  return answer.kind === 'said' && isInterim(answer.lastText) ? { ...answer, lastText: '' } : answer;
}

/**
 * Says what became of a job's answer: in its last message or right below, where nothing was said yet in the place of
 * what people wait for. Once by `name`.
 */
export async function postNotice(
  adapter: PlatformAdapter,
  job: Job,
  answer: RecordedAnswer | undefined,
  word: Message,
  name: string,
): Promise<void> {
  const last: MessageAddress | undefined = answer?.messages.at(-1);
  const key = `${job.id}:${name}`;
  if (answer && last) await addNotice(adapter, last, answer, word, key);
  else if (job.acknowledgement && adapter.answerInterrupted) {
    await settleOrPost(adapter, job, job.acknowledgement, word, key);
  } else {
    await adapter.post(job.address, word, key);
  }
}

/** Tells it in the answer's last message, or right below. */
async function addNotice(
  adapter: PlatformAdapter,
  last: MessageAddress,
  answer: RecordedAnswer,
  word: Message,
  key: string,
): Promise<void> {
  const { message: _, ...address } = last;
  const text = [answer.lastText, word.text].filter(Boolean).join('\n\n');
  // A live answer without words shows only why it took long: the word takes the place of that.
  const mayJoin = answer.kind === 'said' && !answer.isLossy;
  const joins = answer.lastText === '' || (mayJoin && (await fits(adapter, last, text)));
  // Else it stays as it is, but without the button that could stop it.
  const stays = answer.kind === 'said' && !joins;
  const fate = stays
    ? 'edited'
    : await edited(adapter, last, joins ? { ...word, text } : { text: answer.lastText });
  if (fate === 'gone') await adapter.post(address, { ...word, text }, key);
  else if (fate === 'refused' || !joins) await adapter.post(address, word, key);
}

/** Whether a text is one message, and not cut. */
async function fits(adapter: PlatformAdapter, message: MessageAddress, text: string): Promise<boolean> {
  const { maxLength, length } = (await adapter.messageLimits?.(message)) ?? {
    maxLength: Number.POSITIVE_INFINITY,
  };
  return (length?.(text) ?? text.length) <= maxLength;
}

/** What becomes of an edit: some messages cannot be changed any more, and some are not there. */
async function edited(
  adapter: PlatformAdapter,
  message: MessageAddress,
  content: Message,
): Promise<'edited' | 'refused' | 'gone'> {
  try {
    await adapter.edit(message, content);
    return 'edited';
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.kind === 'gone') return 'gone';
    if (error.kind === 'refused' || error.kind === 'moderated') return 'refused';
    throw error;
  }
}

/** What was never acknowledged, or too long ago, gets a message of its own. */
async function settleOrPost(
  adapter: PlatformAdapter,
  job: Job,
  acknowledgement: Readonly<Record<string, string>>,
  message: Message,
  key: string,
): Promise<void> {
  try {
    await adapter.answerInterrupted?.(acknowledgement, message);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    await adapter.post(job.address, message, key);
  }
}

/** What only the requester was to see is told where only the requester sees it, or not at all. */
async function notifyPrivately(adapter: PlatformAdapter, job: Job, message: Message): Promise<void> {
  if (job.acknowledgement) await adapter.answerInterrupted?.(job.acknowledgement, message);
}

/** What is nobody else's business goes to the requester directly; false where they take no direct messages. */
async function notifiedDirectly(adapter: PlatformAdapter, job: Job, message: Message): Promise<boolean> {
  try {
    await postDirectly(adapter, job, message, `${job.id}:alone`);
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    return false;
  }
}

const aboutLength = 80;

/** The first words of what was asked for, on one line. */
function aboutOf(job: Job, textOption: string | undefined): string {
  const text = String(job.options[textOption ?? ''] ?? '')
    .replace(/\s+/gu, ' ')
    .trim();
  return text.length > aboutLength ? `${text.slice(0, aboutLength - 1)}…` : text;
}
