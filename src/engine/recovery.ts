import { type Clock, untilDone, type Waits } from '../lib/clock.ts';
import { isLocal, onNewError } from '../lib/local-faults.ts';
import { titleOf } from '../lib/text.ts';
import {
  actionId,
  askedIn,
  type Button,
  channelKey,
  type CommandEnd,
  conversationKey,
  isAccessLostForGood,
  isPrivate,
  type Job,
  type Jobs,
  type LiveAnswers,
  type LiveProgress,
  type Message,
  type PlatformAdapter,
  type PlatformAdapters,
  PlatformError,
  type PostedAnswer,
  type RecordedAnswer,
  refusalOf,
  type RunEnd,
  searchResult,
  seenBy,
} from '../port/index.ts';
import { isInstead } from '../reply/index.ts';
import { words } from '../words/index.ts';
import { belowAbout, bringNotice, type LatePosts } from './bring-notice.ts';
import type { CommandWatch } from './command-watch.ts';
import type { Admitted, Command, Explanation, Interruption } from './command.ts';
import { questionLife } from './questions.ts';

export interface RecoveryDependencies
  extends Required<Pick<LatePosts, 'takeAway' | 'closeQuestionOf'>>, Pick<LatePosts, 'endMessage'> {
  readonly commands: readonly Command[];
  readonly jobs: Jobs;
  readonly answers: LiveAnswers;
  readonly adapters: PlatformAdapters;
  /**
   * What a job whose requester has yet to be asked about it asks them now, and what that promises; undefined where it may not
   * be carried out.
   */
  readonly question: (
    job: Job,
  ) => Promise<({ readonly message: Message } & Pick<Admitted, 'promised'>) | undefined>;
  readonly watch: CommandWatch;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Delays between attempts while a platform is unreachable, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };
/** Attempts for an unexpected error. */
const triesOfUnexpected = 3;

/**
 * Ends commands that another process left unfinished when it died: keeps what was written, posts that it was
 * interrupted, and adds a button to continue or run it again. Sends nothing to the service.
 */
export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #stop = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Notifies the requesters of commands whose process died, as soon as their platform can post. */
  notifyAll(unfinished: readonly Job[]): void {
    const places = Map.groupBy(unfinished, ({ address }) => conversationKey(address));
    for (const jobs of places.values()) this.#track(this.#notifyInOrder(jobs));
  }

  /**
   * Notifies later about a command of this process that failed while its platform was unavailable; `explanation` is
   * what to say, if known; `end` is how it ended.
   */
  notifyLater(job: Job, error: unknown, explanation?: Explanation, end?: CommandEnd): void {
    this.#dependencies.log.warn({ job: job.id, error }, 'will notify the requester later');
    this.#track(this.#notifyInOrder([job], explanation, end));
  }

  /** Resolves when everyone is notified, or the recovery is closed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Leaves the rest to another process. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.settled();
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  /** Handles a conversation's jobs in the order they were given. */
  async #notifyInOrder(
    jobs: readonly Job[],
    explanation?: Explanation,
    end: CommandEnd = { outcome: 'interrupted' },
  ): Promise<void> {
    for (const job of jobs) {
      await this.#notifyPersistently(job, explanation, end).catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#dependencies.log.warn(
            { job: job.id, error },
            "couldn't notify the requester; left for another process",
          );
      });
    }
  }

  /** Retries while the platform is unreachable or this machine has a fault. */
  async #notifyPersistently(job: Job, explanation: Explanation | undefined, end: CommandEnd): Promise<void> {
    const { clock, jobs, answers, log } = this.#dependencies;
    let unexpected = 0;
    const later = onNewError((error) =>
      log.warn({ job: job.id, error }, "couldn't notify about an interruption yet"),
    );
    const failed = (error: unknown) => {
      const passes = error instanceof PlatformError || isLocal(error);
      if (!passes && ++unexpected >= triesOfUnexpected) throw error;
      if (isAccessLostForGood(error)) throw error;
      later(error);
    };
    this.#stop.signal.throwIfAborted();
    const persistence = { clock, waits, signal: this.#stop.signal, failed };
    const work = () => (job.isAsking ? this.#ask(job) : this.#notify(job, explanation));
    const fate = await untilDone(work, persistence).catch((error: unknown) => {
      if (!isAccessLostForGood(error)) throw error;
      log.warn({ job: job.id, error }, "couldn't notify anyone about an interruption");
      return undefined;
    });
    if (fate === 'asked') return untilDone(() => jobs.asked(job.id), persistence);
    // Separate, so that a failed write doesn't notify people twice.
    const how = fate === 'goes-on' ? undefined : (fate ?? end);
    await untilDone(() => jobs.end(job.id, isDone(fate) ? 'done' : 'failed', how), persistence);
    if (how) this.#dependencies.watch.ended(job, how);
    await untilDone(() => answers.remove(job.id), persistence);
  }

  /** The recorded answer, with its last message if the process didn't record that. */
  async #onRecord(adapter: PlatformAdapter | undefined, job: Job): Promise<RecordedAnswer | undefined> {
    const known = await this.#dependencies.answers.find(job.id);
    if (known?.kind !== 'growing') return known;
    // Of what's to be taken away nothing may be missed.
    const goes = isInstead(known.ending);
    const isBegun = known.messages.length > 0;
    if (!goes && (!isBegun || known.ending)) return known;
    const found = isBegun
      ? await this.#found(adapter?.findContinuation(job, known.messages))
      : await this.#answerTo(adapter, job);
    // Of one whose formatting is lost the platform itself takes the Stop button away: an edit would show it so.
    if (!found || (found.isLossy && !goes)) return known;
    const { pieces = [known.lastText] } = known;
    const { message, text } = found;
    return { ...known, messages: [...known.messages, message], lastText: text, pieces: [...pieces, text] };
  }

  /**
   * The first message of a job's answer that was posted but not recorded: where it was asked for or, where it's private, in
   * direct messages.
   */
  async #answerTo(adapter: PlatformAdapter | undefined, job: Job): Promise<PostedAnswer | undefined> {
    const found = await this.#found(adapter?.findAnswer(job));
    if (found || !adapter || !isPrivate(job)) return found;
    const { acknowledgement: _, ...asked } = job;
    const { address, requester } = job;
    const find = async () => {
      const direct = await adapter.directMessages(address.workspace, requester.id, address);
      // A button in direct messages may carry out what was asked for in a channel.
      const isSame = channelKey(direct) === channelKey(address);
      return isSame ? undefined : adapter.findAnswer({ ...asked, address: direct });
    };
    return this.#found(find());
  }

  /** A message that was posted but not recorded. */
  #found(search: Promise<PostedAnswer | undefined> | undefined): Promise<PostedAnswer | undefined> {
    return searchResult(search, this.#stop.signal);
  }

  /** Asks what wasn't asked, or isn't on record as asked; nothing where somebody has answered meanwhile. */
  async #ask(given: Job): Promise<RunEnd | undefined | 'asked'> {
    const { jobs, answers, adapters, commands, question, clock } = this.#dependencies;
    const job = (await jobs.find(given.id)) ?? given;
    if (!job.isAsking) return 'asked';
    const isOnRecord = (await answers.messagesOf(job.id)).length > 0;
    const adapter = adapters(job.address.platform);
    if (job.deleted) {
      if (!isOnRecord && !adapter) throw new PlatformError('unreachable');
      // The process may have died before it recorded where it asked.
      const posted = isOnRecord ? undefined : await this.#answerTo(adapter, job);
      if (posted) await answers.note(job.id, [posted.message]);
      const command = commands.find(({ name }) => name === job.command);
      return this.#withdraw(job, command, undefined);
    }
    if (isOnRecord) return 'asked';
    if (clock.now() > job.createdAt + questionLife) return this.#notify(job, undefined);
    if (!adapter) throw new PlatformError('unreachable');
    const asked = await question(job);
    if (!asked) return this.#notify(job, undefined);
    try {
      const found = job.acknowledgement ? undefined : await this.#answerTo(adapter, job);
      // What's told now counts, not what was to be told.
      if (!found && asked.promised) await jobs.askWith(job.id, { ...job.options, ...asked.promised });
      const notice = { message: asked.message, name: 'asked', isAside: true };
      await answers.note(job.id, [found?.message ?? (await bringNotice(adapter, job, notice))]);
    } catch (error) {
      // Where nothing can be asked, people can try again.
      if (!refusalOf(error)) throw error;
      return this.#notify(job, undefined);
    }
    return 'asked';
  }

  /** @returns how the command ended, if it did not by being interrupted. */
  async #notify(given: Job, explanation: Explanation | undefined): Promise<RunEnd | undefined> {
    // Somebody may have deleted it since it was read: the platform may have been away for hours.
    const { commands, jobs } = this.#dependencies;
    const job = (await jobs.find(given.id)) ?? given;
    const command = commands.find(({ name }) => name === job.command);
    const adapter = this.#dependencies.adapters(job.address.platform);
    const known = await this.#onRecord(adapter, job);
    const isHidden = command !== undefined && seenBy(command, job.options) === 'requester';
    // A list that only its requester sees ends by itself; what somebody asked for privately may still look as if it went on.
    const isSought = !known && (!isHidden || isPrivate(job));
    const found = isSought ? await this.#answerTo(adapter, job) : undefined;
    const say = words(job.requester.locale);
    // The found text may not belong to an answer: it stays in the channel but isn't added to the conversation.
    const progress = known ?? (found && { messages: [found.message], lastText: '' });
    if (job.deleted) return this.#withdraw(job, command, progress);
    // Nobody knows which of two commands would be tried again.
    const isEither = job.isAsking && job.instead !== undefined;
    const again: readonly Button[] = [{ id: actionId(job.command, 'again', job.id), label: say.tryAgain }];
    const end = isEither
      ? { buttons: [] }
      : ((await command?.interrupted?.(job, progress)) ?? { buttons: again });
    if (isEnd(end)) return end;
    const { buttons, mark } = end;
    // Another version's, which no button could carry out again.
    const read = command?.revive(job.options) ?? { values: {} };
    const why =
      explanation ?? ('faults' in read ? { text: say.faults(job.command, read.faults) } : undefined);
    if (!adapter) throw new PlatformError('unreachable');
    const shown: RecordedAnswer | undefined =
      known ?? (found && { ...found, kind: 'said', messages: [found.message], lastText: found.text });
    const answer = shown && withoutInterim(shown, (text) => command?.isInterim?.(text, job));
    const whose = askedIn(job, command);
    // That it was interrupted says before what.
    const text = say.interrupted(aboutOf(job, command?.textOption));
    const { privately, ...told }: Explanation = why
      ? { ...why, whose }
      : { text, whose: { ...whose, text: '' }, buttons };
    const isPlaceholder = answer !== shown;
    const notice = why && isPlaceholder ? belowAbout(command, job, told) : told;
    const isAwaited = !shown && (await this.#dependencies.answers.messagesOf(job.id)).length > 0;
    await this.#dependencies.closeQuestionOf(job);
    try {
      const isDirect = privately === true && !isHidden;
      const { endMessage } = this.#dependencies;
      const ending = why ? say.endings.cutOff : say.endings.interrupted;
      const how = { ending, mark, isAwaited, isHidden, isDirect, endMessage };
      const at = await bringNotice(adapter, job, { message: notice, name: 'interrupted', answer, ...how });
      // Somebody may have deleted it while that was said. What its requester was told alone stays.
      const { deleted } = (await jobs.find(job.id)) ?? job;
      const messages = [...(progress?.messages ?? []), at];
      if (deleted && channelKey(at) === channelKey(job.address))
        return await this.#withdraw({ ...job, deleted }, command, { lastText: '', ...progress, messages });
    } catch (error) {
      // If nothing can be posted any more, give up.
      if (!refusalOf(error)) throw error;
      this.#dependencies.log.warn({ job: job.id, error }, "couldn't notify anyone about an interruption");
    }
    return undefined;
  }

  /** Nothing more comes where somebody deleted it, and nothing of it stays. */
  async #withdraw(job: Job, command: Command | undefined, shown: LiveProgress | undefined): Promise<RunEnd> {
    const { answers, takeAway } = this.#dependencies;
    // The process may have died before it recorded the last of them.
    if (shown) await answers.note(job.id, shown.messages);
    await takeAway(job);
    return (await command?.withdrawn?.(job, shown)) ?? { outcome: 'canceled' };
  }
}

function isEnd(found: Interruption | RunEnd): found is RunEnd {
  return found === 'goes-on' || 'outcome' in found;
}

/** As a command that was stopped is done, whoever stopped it. */
function isDone(fate: RunEnd | undefined): boolean {
  return fate === 'goes-on' || fate?.outcome === 'done' || fate?.outcome === 'canceled';
}

/** Removes interim text, because what it announces will never come. */
function withoutInterim(
  answer: RecordedAnswer,
  isInterim: (text: string) => boolean | undefined,
): RecordedAnswer {
  return answer.kind === 'said' && isInterim(answer.lastText) ? { ...answer, lastText: '' } : answer;
}

const aboutLength = 80;

/** The start of the request's text, on one line. */
function aboutOf(job: Job, textOption: string | undefined): string {
  return titleOf(String(job.options[textOption ?? ''] ?? ''), aboutLength);
}
