import { messageSource } from '../../conversation/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import {
  adapterOf,
  type Address,
  commandFor,
  conversationKey,
  type DeletedMessages,
  type DeletedPlace,
  isPrivate,
  type Job,
} from '../../port/index.ts';
import { AnswerDeletion } from './delete-answer.ts';
import { DeletedQuestions, Deletions, hasEnded, idsOf } from './deletions.ts';
import { type DeletionDependencies, ForgottenAnswers } from './forgotten-answers.ts';
import { placesNamed } from './recent-deletions.ts';

/** The parts that know of deletions, put together. */
export function createDeletions(dependencies: DeletionDependencies): {
  readonly answerDeletion: AnswerDeletion;
  readonly deletedQuestions: DeletedQuestions;
  readonly deletions: Deletions;
  readonly forgottenAnswers: ForgottenAnswers;
  readonly noticedDeletions: NoticedDeletions;
} {
  const forgottenAnswers = new ForgottenAnswers(dependencies);
  const deletions = new Deletions({ ...dependencies, forgottenAnswers });
  const deletedQuestions = new DeletedQuestions({ ...dependencies, forgottenAnswers });
  return {
    answerDeletion: new AnswerDeletion({ ...dependencies, deletions, forgottenAnswers }),
    deletedQuestions,
    deletions,
    forgottenAnswers,
    noticedDeletions: new NoticedDeletions({ ...dependencies, deletedQuestions, deletions }),
  };
}

type Dependencies = DeletionDependencies & {
  readonly deletedQuestions: DeletedQuestions;
  readonly deletions: Deletions;
};

/** Deletions on a platform, of messages and of whole places, and their consequences. */
class NoticedDeletions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Messages or a whole place were deleted on a platform, by whomever: what is being made there, or was asked for in one of
   * them, is stopped, in whichever process, and what has ended is forgotten. What the bot itself takes away counts for
   * nothing: it isn't on record any more, or its answer is as deleted. What conversations quote of it is forgotten, whoever
   * wrote it. Where the database doesn't let that happen now, it happens later: what grows there in this process stops at
   * once.
   */
  async noticed(deleted: DeletedMessages): Promise<void> {
    const { answers, answersInProgress, missed } = this.#dependencies;
    try {
      await this.#follow(deleted);
    } catch (error) {
      if (!isLocal(error)) throw error;
      const growing = answers.growingIn(deleted);
      missed.add({ take: () => this.#follow(deleted), jobs: growing });
      for (const id of growing) answersInProgress.stopHere(id);
    }
  }

  /**
   * Reads whether a job's question still stands, since the bot may have been shut out when it was deleted and have heard
   * nothing of that: then what follows is the same.
   * @throws {PlatformError} where it can't be read now; `deleted` if its place is deleted.
   */
  async readQuestion(job: Job): Promise<void> {
    const { jobs } = this.#dependencies;
    // A private answer goes on without it.
    if (job.question === undefined || isPrivate(job)) return;
    const asked = (await jobs.ofEvent(job.question))?.job;
    if (!asked) return;
    const told = await adapterOf(this.#dependencies, asked.address).deletedQuestion(asked);
    for (const deleted of told) await this.#follow(deleted);
  }

  /** Does what follows from a deletion; again where the database came between, without harm. */
  async #follow(deleted: DeletedMessages): Promise<void> {
    const { answers, conversations, deletedQuestions, deletions, jobs, recent } = this.#dependencies;
    await recent.note(deleted);
    const sources = sourcesNamed(deleted);
    const quoting = await conversations.forgetQuotes(sources, 'ifQuoted');
    const ids = await answers.jobsWith(deleted);
    const namedJobs = await jobs.named(ids, deleted.events ?? []);
    for (const { job, named, state } of namedJobs) {
      const isQuestion = named === 'question';
      if (isQuestion && (await deletedQuestions.goesOn(job, state))) await deletedQuestions.forgetAtEnd(job);
      // What stands of images, a video or a clip while it's made only says that it's coming.
      else if (!isQuestion && state === 'running' && job.command !== commandFor.chat)
        await deletions.endAnnounced(job, named);
      else await deletions.stopOrForget({ job, state }, named, deleted);
    }
    const madeFromJobs = await conversations.jobsWith(namedJobs.map(({ job }) => job.id));
    await deletions.endRendersMadeFrom([...quoting, ...madeFromJobs]);
    await this.#followPlace(deleted);
    // By these it's found where this is done again.
    for (const { job, named, state } of namedJobs)
      if (named === 'answer' && hasEnded(state)) await deletions.forgetMessages(job, deleted);
  }

  /** Does what follows from the deletion of a place; nothing where only messages are deleted. */
  async #followPlace(deleted: DeletedMessages): Promise<void> {
    const { place } = deleted;
    if (place?.thread !== undefined) await this.#endThread(deleted, place.thread);
    if (place) await this.#endPlace(deleted, place);
    for (const workspace of await this.#goneWorkspaces(deleted)) await this.#endPlace(deleted, { workspace });
  }

  /**
   * What's under way at a deleted place stops, though nothing of it may be there yet, and nothing more is bought for it. What
   * is paid for goes only to its requester, or waits there if the place may come back. What its requester has to fetch is
   * theirs already. What was said there is forgotten.
   */
  async #endPlace(deleted: DeletedMessages, place: DeletedPlace): Promise<void> {
    const { deletions, deliveries, jobs, renders } = this.#dependencies;
    const what = place.channel === undefined ? 'left' : 'answer';
    for (const { job, state } of await jobs.at(deleted.platform, place)) {
      if ((await renders.isAlone(job)) || (await deliveries.isAlone(job))) continue;
      // Where the bot isn't any more, a person's own token may still be.
      if (deleted.isGone?.(job.address) === false) continue;
      if (deleted.isWaitedFor && state !== 'running') {
        await renders.cancel(job.id);
        continue;
      }
      await deletions.stopOrForget({ job, state }, what, deleted);
    }
    if (!deleted.isWaitedFor) await this.#forgetSaidAt(deleted, place);
  }

  /**
   * Images and videos that were to come in a deleted thread aren't made, or go only to their requester: it has the id of the
   * message under which it was opened. Those that stood there are deleted with it.
   */
  async #endThread(deleted: DeletedMessages, thread: string): Promise<void> {
    const { answers, deletions, jobs, renders } = this.#dependencies;
    const { platform } = deleted;
    for (const id of await answers.jobsWith({ platform, messages: [thread] })) {
      const made = await renders.ofJob(id);
      const isThere = made.some(({ message }) => message.thread === thread);
      const job = isThere ? await jobs.find(id) : undefined;
      if (!job) continue;
      const stood = made.flatMap(({ delivered }) => (delivered?.thread === thread ? idsOf(delivered) : []));
      const gone = { ...deleted, messages: stood };
      if (stood.length > 0) {
        await deletions.forget(job, 'answer', gone);
        await deletions.forgetMessages(job, gone);
      }
      await deletions.endRenders(job, 'answer');
    }
  }

  /** The workspaces with something under way that aren't there any more, where the platform tells only what's left. */
  async #goneWorkspaces({ platform, isGone }: DeletedMessages): Promise<ReadonlySet<string>> {
    const underWay = isGone ? await this.#dependencies.jobs.at(platform, {}) : [];
    return new Set(
      underWay.flatMap(({ job: { address } }) => (isGone?.(address) ? [address.workspace] : [])),
    );
  }

  /**
   * What was asked and answered in a deleted thread, or in a deleted channel with its threads, is forgotten. The answer above
   * a thread still stands, and its conversation can go on from there.
   */
  async #forgetSaidAt(deleted: DeletedMessages, place: DeletedPlace): Promise<void> {
    const { workspace, channel, thread } = place;
    if (channel === undefined) return;
    const { answers, answerVersions, credits, jobs } = this.#dependencies;
    const { platform } = deleted;
    await credits.forgetPromptsAt({ platform, ...place });
    // Of several versions of an answer, its conversation has one.
    const versions = await jobs.named(await answerVersions.jobsIn({ platform, channel }), []);
    const workspaces = workspace === undefined ? await answers.workspacesAt(platform, channel) : [workspace];
    for (const one of workspaces) {
      const address = { platform, workspace: one, channel, ...(thread !== undefined && { thread }) };
      await this.#forgetSaidIn(deleted, address);
    }
    for (const { job, state } of versions)
      if (hasEnded(state) && isSaidAt(job, place)) await this.#forgetSaid(deleted, job);
  }

  async #forgetSaidIn(deleted: DeletedMessages, place: Address): Promise<void> {
    const { conversations, jobs } = this.#dependencies;
    const key = conversationKey(place);
    for (const conversation of place.thread === undefined
      ? await conversations.conversationsIn(key)
      : [key]) {
      const ids = await conversations.jobsIn(conversation);
      const known = new Map((await jobs.named(ids, [])).map(({ job }) => [job.id, job]));
      for (const id of ids) {
        const job = known.get(id);
        // Of what isn't on record any more, nobody knows where it stood.
        if (!job) await conversations.forget(conversation, id);
        else if (isSaidAt(job, place)) await this.#forgetSaid(deleted, job);
      }
    }
  }

  async #forgetSaid(deleted: DeletedMessages, job: Job): Promise<void> {
    const { deletions } = this.#dependencies;
    await deletions.forget(job, 'answer', deleted);
    await deletions.forgetMessages(job, deleted);
  }
}

/** Whether a job was given in a thread, or in a channel or one of its threads. */
function isSaidAt({ address }: Job, { channel, thread }: DeletedPlace): boolean {
  return address.channel === channel && (thread === undefined || address.thread === thread);
}

/** The sources of what's quoted of what a platform names. */
function sourcesNamed(deleted: DeletedMessages): readonly string[] {
  const { platform, channel, messages } = deleted;
  return [...messages.map((message) => messageSource(platform, message, channel)), ...placesNamed(deleted)];
}
