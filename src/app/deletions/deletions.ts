import { type Conversations, messageSource, placeSource } from '../../conversation/index.ts';
import type { Deliveries } from '../../deliveries/index.ts';
import { isLocal } from '../../lib/local-faults.ts';
import type { EffectiveSettings, PlaceSettings } from '../../place-settings/index.ts';
import {
  type Address,
  channelKey,
  commandFor,
  conversationKey,
  type Deleted,
  type DeletedMessages,
  type DeletedPlace,
  isPrivate,
  type Job,
  type JobState,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
  type NamedJob,
  type Person,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import { adapterOf } from '../adapter-of.ts';
import type { AnswerVersions } from '../answers/answer-versions.ts';
import type { AnswersInProgress } from '../answers/answers-in-progress.ts';
import type { ReadAnswer } from '../answers/listen.ts';
import { type ImageVersions, rootOf } from '../image-versions.ts';
import { possibleConversations, privateConversation, threadConversation } from '../policy/conversation-of.ts';
import type { MissedDeletions } from './missed-deletions.ts';
import type { RecentDeletions } from './recent-deletions.ts';
import type { Removals } from './removals.ts';

export interface DeletionDependencies {
  readonly recent: Pick<
    RecentDeletions,
    'note' | 'keepEvent' | 'hasOneOf' | 'hasEvent' | 'hasPlace' | 'hasQuestion'
  >;
  readonly jobs: Pick<Jobs, 'find' | 'named' | 'at' | 'markDeleted'>;
  readonly missed: Pick<MissedDeletions, 'add' | 'concerns' | 'ofJob'>;
  readonly answers: Pick<LiveAnswers, 'forget' | 'messagesOf' | 'jobsWith' | 'growingIn' | 'workspacesAt'>;
  readonly removals: Pick<Removals, 'remove'>;
  readonly adapters: PlatformAdapters;
  readonly conversations: Pick<Conversations, 'forget' | 'forgetQuotes' | 'jobsIn' | 'conversationsIn'>;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
  readonly renders: Pick<Renders, 'ofJob' | 'cancel' | 'isOpen' | 'isHeld' | 'whileOpen'>;
  readonly deliveries: Pick<Deliveries, 'isOnItsWay'>;
  readonly answersInProgress: Pick<AnswersInProgress, 'stop' | 'stopHere'>;
  readonly answerVersions: Pick<AnswerVersions, 'forget' | 'forgetText'>;
  readonly imageVersions: Pick<ImageVersions, 'forget' | 'withdraw'>;
}

/**
 * Takes away answers that are deleted, by their button or by anybody on the platform, and forgets what was kept of them to
 * be quoted later.
 */
export class Deletions {
  readonly #dependencies: DeletionDependencies;

  constructor(dependencies: DeletionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Deletes a job's answer where a button of it was pressed: all its messages on record, and the one that the platform
   * says was pressed. What still waits to be made isn't made. The one with the button goes after the others, so that it can
   * be pressed again if something comes between. Its requester takes it away wherever it stands, also where they shared it;
   * moderators where they pressed it, and of a private one only what's shared.
   * Resolves once each was tried; what the platform can't remove now is removed later. Where it refuses to for good,
   * `onKept` is called, maybe later.
   */
  async delete(
    job: Job,
    pressed: MessageAddress,
    person: Pick<Person, 'id'>,
    onKept: () => Promise<void>,
  ): Promise<void> {
    const { answerVersions, recent, removals } = this.#dependencies;
    const isOwn = person.id === job.requester.id;
    const messages = await this.#messagesAt(job, pressed, isOwn);
    // What's still being shared of it looks there.
    for (const { platform, channel, message } of messages)
      if (message !== '') await recent.note({ platform, channel, messages: [message] });
    if (isPrivate(job) && !isOwn) await this.#forgetShared(job, messages);
    else
      for (const { job: one, state } of await this.#jobsIn(job, messages)) {
        await this.#forget(one, 'answer', messages);
        await this.#endRenders(one, 'answer');
        // A new version may wait for its turn.
        if (state === 'running') await this.stop(one);
      }
    // Others may stand in the thread of the first: that's really gone only after them.
    const last = [pressed.message, messages.at(-1)?.message];
    const order = messages.toSorted((one, other) => last.indexOf(one.message) - last.indexOf(other.message));
    await removals.remove(order, onKept);
    for (const message of order) await answerVersions.forget(message);
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

  /** Does what follows from a deletion; again where the database came between, without harm. */
  async #follow(deleted: DeletedMessages): Promise<void> {
    const { answers, conversations, jobs, recent } = this.#dependencies;
    await recent.note(deleted);
    await conversations.forgetQuotes(sourcesNamed(deleted), 'ifQuoted');
    const ids = await answers.jobsWith(deleted);
    for (const { job, named, state } of await jobs.named(ids, deleted.events ?? [])) {
      if (named === 'question' && (await this.#goesOn(job, state))) {
        await this.#forgetAtEnd(job);
        continue;
      }
      if (state === 'done' || state === 'failed') await this.#noticedLate(job, named, deleted);
      else if (state !== 'running' || named === 'question' || job.command === commandFor.chat)
        await this.#stopUnderWay(job, state, named);
      await this.#endRenders(job, named);
    }
    if (deleted.place?.thread !== undefined) await this.#noticedThread(deleted, deleted.place.thread);
    if (deleted.place) await this.#noticedPlace(deleted, deleted.place);
    for (const workspace of await this.#goneWorkspaces(deleted))
      await this.#noticedPlace(deleted, { workspace });
  }

  /** The workspaces with something under way that aren't there any more, where the platform tells only what's left. */
  async #goneWorkspaces({ platform, isGone }: DeletedMessages): Promise<ReadonlySet<string>> {
    const underWay = isGone ? await this.#dependencies.jobs.at(platform, {}) : [];
    return new Set(
      underWay.flatMap(({ job: { address } }) => (isGone?.(address) ? [address.workspace] : [])),
    );
  }

  /**
   * What's under way at a deleted place stops, though nothing of it may be there yet, and nothing more is bought for it. What
   * is paid for goes to its requester alone, or waits there if the place may come back. What its requester has to fetch is
   * theirs already. What was said there is forgotten.
   */
  async #noticedPlace(deleted: DeletedMessages, place: DeletedPlace): Promise<void> {
    const what = place.channel === undefined ? 'left' : 'answer';
    for (const { job, state } of await this.#dependencies.jobs.at(deleted.platform, place)) {
      if (await this.#dependencies.renders.isHeld(job)) continue;
      // Where the bot isn't any more, a person's own token may still be.
      if (deleted.isGone?.(job.address) === false) continue;
      if (deleted.isWaitedFor && state !== 'running') {
        await this.#dependencies.renders.cancel(job.id);
        continue;
      }
      if (state === 'done' || state === 'failed') await this.#noticedLate(job, what, deleted);
      else await this.#stopUnderWay(job, state, what);
      await this.#endRenders(job, what);
    }
    if (!deleted.isWaitedFor) await this.#forgetSaidAt(deleted, place);
  }

  /**
   * What was asked and answered in a deleted thread, or in a deleted channel with its threads, is forgotten. The answer above
   * a thread still stands, and its conversation can go on from there.
   */
  async #forgetSaidAt(deleted: DeletedMessages, { workspace, channel, thread }: DeletedPlace): Promise<void> {
    if (channel === undefined) return;
    const { platform } = deleted;
    const workspaces =
      workspace === undefined
        ? await this.#dependencies.answers.workspacesAt(platform, channel)
        : [workspace];
    for (const one of workspaces)
      await this.#forgetSaidIn(deleted, {
        ...{ platform, workspace: one, channel },
        ...(thread !== undefined && { thread }),
      });
  }

  async #forgetSaidIn(deleted: DeletedMessages, place: Address): Promise<void> {
    const { conversations, jobs } = this.#dependencies;
    const { channel, thread } = place;
    const key = conversationKey(place);
    const isGone = ({ address }: Job) =>
      address.channel === channel && (thread === undefined || address.thread === thread);
    for (const conversation of thread === undefined ? await conversations.conversationsIn(key) : [key]) {
      const ids = await conversations.jobsIn(conversation);
      const known = new Map((await jobs.named(ids, [])).map(({ job }) => [job.id, job]));
      for (const id of ids) {
        const job = known.get(id);
        // Of what isn't on record any more, nobody knows where it stood.
        if (!job) await conversations.forget(conversation, id);
        else if (isGone(job)) await this.#noticedLate(job, 'answer', deleted);
      }
    }
  }

  /**
   * Whether a command goes on though its question was deleted: what only its requester sees, who doesn't want others to read
   * what they asked for.
   */
  async #goesOn(job: Job, state: JobState): Promise<boolean> {
    if (!isPrivate(job)) return false;
    const { deliveries, renders } = this.#dependencies;
    const isOver = state === 'done' || state === 'failed';
    return !isOver || (await renders.isOpen(job.id)) || (await deliveries.isOnItsWay(job.id));
  }

  /** What goes on though its question was deleted is forgotten: what its conversation has of it now, and the rest at its end. */
  async #forgetAtEnd(job: Job): Promise<void> {
    if (job.question !== undefined) await this.#dependencies.recent.keepEvent(job.question);
    await this.#forgetSaid(job, 'question');
  }

  /** Forgets what an answer said whose question was deleted while it was under way. */
  async forgetEnded(job: Job): Promise<void> {
    if (!isPrivate(job) || !(await this.hasLostQuestion(job))) return;
    await this.#forgetSaid(job, 'question');
    await this.#dependencies.answerVersions.forgetText(job.id);
  }

  /** Whether what stands of a job stands without its question, which was deleted, maybe while it was under way. */
  async hasLostQuestion({ question, deleted }: Job): Promise<boolean> {
    if (deleted === 'question' || question === undefined) return deleted === 'question';
    return this.#dependencies.recent.hasEvent(question);
  }

  /** Whether a command that comes only now isn't carried out, since its question or its place was deleted before. */
  async cameLate(event: string, job: Job): Promise<boolean> {
    const { recent } = this.#dependencies;
    const isAnotherGone = job.question !== event && (await this.#isQuestionGone(job));
    if (!isPrivate(job)) return isAnotherGone || recent.hasQuestion(event, job.address);
    if (await recent.hasPlace(job.address)) return true;
    if (isAnotherGone || (await recent.hasEvent(event))) await this.#forgetAtEnd(job);
    return false;
  }

  /** Whether the question of a job that a press gave was deleted, maybe before that was on record. */
  async #isQuestionGone({ question }: Job): Promise<boolean> {
    if (question === undefined) return false;
    const { jobs, recent } = this.#dependencies;
    if (await recent.hasEvent(question)) return true;
    return (await jobs.named([], [question])).some(({ job }) => job.deleted === 'question');
  }

  /** Stops a command that runs or waits for an answer to its question. */
  async #stopUnderWay(job: Job, state: JobState, what: Deleted): Promise<void> {
    const isAsked = state === 'asking' || state === 'asked';
    // Its conversation may have it already.
    if (!isAsked) await this.#forgetSaid(job, what);
    await this.stop(job, what);
    // The platform may take long.
    if (isAsked) this.takeAway(job).catch(() => {});
  }

  /**
   * What has ended is forgotten: an answer, or a question with its answer, which stays to be seen. An answer that still waits
   * to be posted goes to its requester alone, or if its question was deleted, to nobody; what stands of it goes. With images
   * or a video goes what else says that they're there. Others can delete nothing of a private answer but its shared copy:
   * only the conversation there forgets that.
   */
  async #noticedLate(job: Job, what: Deleted, deleted: DeletedMessages): Promise<void> {
    const { answers, answerVersions, deliveries, jobs, removals } = this.#dependencies;
    const isGone = (message: string) => deleted.messages.includes(message);
    const messages = await answers.messagesOf(job.id);
    if (what === 'answer') await this.#removeThreadNames(messages.filter(({ message }) => isGone(message)));
    const results = what === 'question' ? undefined : await this.#resultsOf(job);
    // What's gone is their announcement, or the notice that they're there.
    if (results && !results.flatMap(idsOf).some(isGone)) return;
    if (what !== 'question' && isPrivate(job)) {
      const isSharedThere = ({ message, isShared }: MessageAddress) =>
        isShared && (deleted.place || isGone(message));
      return this.#forgetShared(job, messages.filter(isSharedThere));
    }
    const isOnItsWay = await deliveries.isOnItsWay(job.id);
    // It may come any moment.
    if (isOnItsWay) await jobs.markDeleted(job.id, what);
    await this.#forget(job, what);
    for (const message of messages) if (isGone(message.message)) await answerVersions.forget(message);
    // What else stands of it only says that it's there, or is the file of a message that's gone.
    const left = messages.filter(
      ({ message, parts = [], isKept }) => !isKept && (!isGone(message) || !parts.every(isGone)),
    );
    const stands = ({ message }: MessageAddress) =>
      !isGone(message) && (results?.length === 1 || messages.some((one) => one.message === message));
    // The platform, which was away, may take long.
    if (results && !results.some(stands)) removals.remove(left.reverse()).catch(() => {});
    // Some platforms tell of each message of a job by itself.
    else if (results)
      for (const message of messages) if (isGone(message.message)) await answers.forget(message);
    if (isOnItsWay) this.takeAway(job).catch(() => {});
  }

  /** The messages with a job's images or video; undefined where it makes none. */
  async #resultsOf(job: Job): Promise<readonly MessageAddress[] | undefined> {
    const renders = await this.#dependencies.renders.ofJob(job.id);
    if (renders.length === 0) return undefined;
    return renders.flatMap(({ delivered }) => delivered ?? []);
  }

  /** A thread that the bot opened is named by the words of the message that it's under. */
  async #removeThreadNames(gone: readonly MessageAddress[]): Promise<void> {
    const { adapters, removals } = this.#dependencies;
    for (const message of gone) {
      const hasThread = await adapters(message.platform)?.hasThread?.(message);
      if (hasThread) removals.remove([message]).catch(() => {});
    }
  }

  /**
   * Images and videos that were to come in a deleted thread aren't made, or go to their requester alone: it has the id of the
   * message under which it was opened. Those that stood there are deleted with it.
   */
  async #noticedThread(deleted: DeletedMessages, thread: string): Promise<void> {
    const { answers, jobs, renders } = this.#dependencies;
    const { platform } = deleted;
    for (const id of await answers.jobsWith({ platform, messages: [thread] })) {
      const made = await renders.ofJob(id);
      const isThere = made.some(({ message }) => message.thread === thread);
      const job = isThere ? await jobs.find(id) : undefined;
      if (!job) continue;
      const stood = made.flatMap(({ delivered }) => (delivered?.thread === thread ? idsOf(delivered) : []));
      if (stood.length > 0) await this.#noticedLate(job, 'answer', { ...deleted, messages: stood });
      await this.#endRenders(job, 'answer');
    }
  }

  /**
   * What hasn't been sent to be made of images and videos never is; their announcement goes. Resolves when that's on record:
   * what's posted now, which is waited for, may take long.
   */
  async #endRenders(job: Job, what: Deleted): Promise<void> {
    const { jobs, renders } = this.#dependencies;
    if (!(await renders.isOpen(job.id))) return;
    await jobs.markDeleted(job.id, what);
    // It comes to its requester alone, and what stands there stays.
    if (what === 'question') await this.#dependencies.imageVersions.withdraw(job);
    await renders.cancel(job.id);
    // What fails of this is done when the renders end.
    renders.whileOpen(job.id, () => this.takeAway(job)).catch(() => {});
  }

  /**
   * Images and videos that still wait for their turn aren't made where the platform doesn't know their announcement any more.
   * Where they don't wait, the bot itself may have put their result in its place.
   */
  async endQueued(job: Job): Promise<void> {
    const renders = await this.#dependencies.renders.ofJob(job.id);
    if (renders.some(({ state }) => state === 'reserved')) await this.#endRenders(job, 'answer');
  }

  /** Stops what somebody deleted, or whose question; in whichever process. */
  async stop(job: Job, what: Deleted = 'answer'): Promise<void> {
    const { jobs, answersInProgress } = this.#dependencies;
    // It may have been noted, and then the database was away.
    await jobs.markDeleted(job.id, what);
    await answersInProgress.stop(job.id);
  }

  /** Forgets an answer that somebody deleted when it was written, and takes away what is left of it. */
  async withdraw(job: Job): Promise<void> {
    await this.#forget(job);
    await this.takeAway(job);
  }

  /** Stops an answer one of whose messages was deleted before it was on record. */
  async stopIfGone(job: Job, messages: readonly MessageAddress[]): Promise<void> {
    if (await this.#dependencies.recent.hasOneOf(messages)) await this.stop(job);
  }

  /**
   * Takes back what's shared of a private answer if one of its messages was deleted before all of it was on record.
   * @returns whether that's so.
   */
  async unshareIfGone(job: Job, messages: readonly MessageAddress[]): Promise<boolean> {
    // Some have no id that the bot knows.
    const known = new Map(messages.filter(({ message }) => message !== '').map((one) => [one.message, one]));
    if (known.size === 0 || !(await this.#dependencies.recent.hasOneOf([...known.values()]))) return false;
    await this.#forgetShared(job, [...known.values()]);
    await this.#dependencies.removals.remove([...known.values()].reverse());
    return true;
  }

  /**
   * What of a job was deleted: its question, its answer, or the answer that it reads aloud or is a new version of. That a
   * chat answer is deleted is known at once, though the database doesn't take it yet.
   */
  async of(job: Job): Promise<Job['deleted']> {
    const { jobs, missed } = this.#dependencies;
    if (job.command === commandFor.chat && missed.concerns(job.id)) return 'answer';
    const { answer = replacedBy(job) } = job.options as ReadAnswer;
    const own = (await jobs.find(job.id))?.deleted;
    if (own || answer === undefined) return own;
    const read = (await jobs.find(answer))?.deleted;
    // What stands though its question was deleted is still its requester's, for them alone.
    const isTheirs = isPrivate(job) || job.requester.direct;
    if (read === 'question') return isTheirs ? undefined : answer === replacedBy(job) ? read : 'answer';
    return read && 'answer';
  }

  /**
   * Takes away what is left of a job's answer, as far as the platform lets it; what it can't remove now, later. What that is
   * the database knows: a deletion that waits for it is waited for. What stood before its question was deleted stays.
   */
  async takeAway(job: Job): Promise<void> {
    const { answers, missed, removals } = this.#dependencies;
    await missed.ofJob(job.id);
    const messages = await answers.messagesOf(job.id);
    const before = (await this.of(job)) === 'question' ? await this.#messagesBefore(job) : [];
    const isLeft = ({ message, isKept }: MessageAddress) => isKept || before.includes(message);
    await removals.remove(messages.filter((message) => !isLeft(message)).reverse());
  }

  /** The ids of the messages in which a new version is made, which show the one before. */
  async #messagesBefore(job: Job): Promise<readonly string[]> {
    const root = rootOf(job);
    if (root !== job.id)
      return (await this.#dependencies.answers.messagesOf(root)).map(({ message }) => message);
    return typeof job.options.rewrites === 'string' ? [job.options.rewrites] : [];
  }

  /** The messages of a job in a channel and its threads, or in all, the newest first; each as it's reached best. */
  async #messagesAt(
    job: Job,
    pressed: MessageAddress,
    isEverywhere: boolean,
  ): Promise<readonly MessageAddress[]> {
    const { answers, renders } = this.#dependencies;
    // What was made before messages were on record has those of its render.
    const ofRenders = (await renders.ofJob(job.id)).flatMap(({ message, delivered = message }) => [
      message,
      delivered,
    ]);
    const known = [...(await answers.messagesOf(job.id)), ...ofRenders];
    const isHere = (message: MessageAddress) =>
      channelKey(message) === channelKey(pressed) && (!isPrivate(job) || message.isShared === true);
    const here = known.filter((message) => message.message !== '' && (isEverywhere || isHere(message)));
    const adapter = adapterOf(this.#dependencies, pressed);
    // It may have been posted a moment ago, and not be on record yet.
    const isKnown = adapter.provesPresses || adapter.isReachedByPress?.(pressed);
    const byId = new Map<string, MessageAddress>();
    for (const message of isKnown ? [...here, pressed] : here) {
      const id = `${channelKey(message)} ${message.message}`;
      const before = byId.get(id);
      // The press may reach it where nothing else does; what's on record says how it was posted.
      const platformData = { ...before?.platformData, ...message.platformData };
      byId.set(id, { ...message, ...before, ...(Object.keys(platformData).length > 0 && { platformData }) });
    }
    return [...byId.values()].reverse();
  }

  /** A job, and the others whose answers are versions in the same messages. */
  async #jobsIn({ id, address }: Job, messages: readonly MessageAddress[]): Promise<readonly NamedJob[]> {
    const { answers, jobs } = this.#dependencies;
    const { platform, channel } = address;
    const names = messages.map(({ message }) => message);
    const others = await answers.jobsWith({ platform, channel, messages: names });
    return jobs.named([id, ...others], []);
  }

  /**
   * Forgets what an answer said that's deleted, or whose question is: no later answer quotes it, and nobody pages back to
   * it. Then that's on record. `messages` are known besides: some are on record without their ids.
   */
  async #forget(job: Job, what: Deleted = 'answer', messages: readonly MessageAddress[] = []): Promise<void> {
    await this.#forgetSaid(job, what, messages);
    await this.#dependencies.answerVersions.forgetText(job.id);
    if (what !== 'question') await this.#dependencies.imageVersions.forget(rootOf(job));
    await this.#dependencies.jobs.markDeleted(job.id, what);
  }

  /**
   * In all conversations that may have it. A private answer stands for its requester alone, though its question is deleted:
   * they may go on with it, and only what's quoted of its shared copies is forgotten.
   */
  async #forgetSaid(job: Job, what: Deleted, messages: readonly MessageAddress[] = []): Promise<void> {
    const { answers, conversations, placeSettings } = this.#dependencies;
    const { address, requester } = job;
    const settings = await placeSettings.at(address);
    const own = [privateConversation(address, requester), ...possibleConversations({ ...job, settings })];
    for (const place of new Set([...sharedConversations(job, settings), ...own]))
      await conversations.forget(place, job.id);
    const known = [...messages, ...(await answers.messagesOf(job.id))];
    const stands = what === 'question' && isPrivate(job);
    const gone = stands ? known.filter(({ isShared }) => isShared) : known;
    await conversations.forgetQuotes([...(stands ? [] : [job.id]), ...new Set(sourcesIn(gone))]);
  }

  /** Of a private answer only where everybody sees it, and what's quoted of these messages. */
  async #forgetShared(job: Job, messages: readonly MessageAddress[]): Promise<void> {
    const { conversations, placeSettings } = this.#dependencies;
    const settings = await placeSettings.at(job.address);
    for (const place of new Set(sharedConversations(job, settings)))
      await conversations.forget(place, job.id);
    await conversations.forgetQuotes(sourcesIn(messages));
  }
}

/** The conversations that may have a job's answer where everybody sees it. */
function sharedConversations(job: Job, settings: EffectiveSettings): readonly string[] {
  const { address, requester } = job;
  return [threadConversation(job), ...possibleConversations({ address, requester, settings, options: {} })];
}

/** The ids of a message and of what else belongs to it. */
function idsOf({ message, parts = [] }: MessageAddress): readonly string[] {
  return [message, ...parts];
}

/** The sources of what's quoted of messages: some platforms name them by their id alone. */
function sourcesIn(messages: readonly MessageAddress[]): readonly string[] {
  return messages.flatMap(({ platform, channel, message }) => [
    messageSource(platform, message),
    messageSource(platform, message, channel),
  ]);
}

/** The sources of what's quoted of what a platform names. */
function sourcesNamed({ platform, channel, messages, place }: DeletedMessages): readonly string[] {
  const gone = place?.thread ?? place?.channel;
  return [
    ...messages.map((message) => messageSource(platform, message, channel)),
    ...(gone === undefined ? [] : [placeSource(platform, gone)]),
  ];
}

/** The answer whose message a new version is written in. */
function replacedBy({ options: { rewrites, replaces } }: Job): string | undefined {
  return typeof rewrites === 'string' && typeof replaces === 'string' ? replaces : undefined;
}
