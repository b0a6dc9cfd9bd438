import type { Conversations } from '../../conversation/index.ts';
import type { PlaceSettings } from '../../place-settings/index.ts';
import {
  channelKey,
  type Job,
  type Jobs,
  type LiveAnswers,
  type MessageAddress,
  type PlatformAdapters,
  PlatformError,
} from '../../port/index.ts';
import type { Renders } from '../../renders/index.ts';
import { adapterOf } from '../adapter-of.ts';
import type { AnswerVersions } from '../answers/answer-versions.ts';
import { type ImageVersions, rootOf } from '../image-versions.ts';
import { possibleConversations, privateConversation, threadConversation } from '../policy/conversation-of.ts';

export interface DeletionDependencies {
  readonly jobs: Pick<Jobs, 'find' | 'markDeleted'>;
  readonly answers: Pick<LiveAnswers, 'messagesOf' | 'jobsWith' | 'forget'>;
  readonly adapters: PlatformAdapters;
  readonly conversations: Pick<Conversations, 'forget'>;
  readonly placeSettings: Pick<PlaceSettings, 'at'>;
  readonly renders: Pick<Renders, 'ofJob'>;
  readonly answerVersions: Pick<AnswerVersions, 'forget' | 'forgetText'>;
  readonly imageVersions: Pick<ImageVersions, 'forget'>;
}

/** Answers that are deleted: what stands of them, and what is kept of them to be quoted later. */
export class Deletions {
  readonly #dependencies: DeletionDependencies;

  constructor(dependencies: DeletionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Deletes a job's answer where a button of it was pressed: all its messages on record, and the one that the platform
   * says was pressed. The one with the button goes after the others, so that
   * it can be pressed again if something comes between.
   * @returns whether all of them are gone.
   */
  async delete(job: Job, pressed: MessageAddress): Promise<boolean> {
    const { answerVersions } = this.#dependencies;
    const messages = await this.#messagesAt(job, pressed);
    for (const one of await this.#jobsIn(job, messages)) await this.#forget(one);
    // Others may stand in the thread of the first: that's really gone only after them.
    const last = [pressed.message, messages.at(-1)?.message];
    const order = messages.toSorted((one, other) => last.indexOf(one.message) - last.indexOf(other.message));
    let areGone = true;
    for (const message of order) {
      if (!(await this.#remove(message))) areGone = false;
      await answerVersions.forget(message);
    }
    return areGone;
  }

  /** The messages of a job in a channel and its threads, the newest first; each as it's reached best. */
  async #messagesAt(job: Job, pressed: MessageAddress): Promise<readonly MessageAddress[]> {
    const { answers, renders } = this.#dependencies;
    // What was made before messages were on record has those of its render.
    const ofRenders = (await renders.ofJob(job.id)).flatMap(({ message, delivered = message }) => [
      message,
      delivered,
    ]);
    const known = [...(await answers.messagesOf(job.id)), ...ofRenders];
    const here = known.filter(
      (message) => channelKey(message) === channelKey(pressed) && message.message !== '',
    );
    const adapter = adapterOf(this.#dependencies, pressed);
    const reached = adapter.isReachedByPress?.(pressed) ? [pressed] : [];
    // It may have been posted a moment ago, and not be on record yet.
    const shown = adapter.provesPresses ? [pressed] : [];
    const byId = new Map(
      [...here, ...shown, ...here, ...reached].map((message) => [message.message, message]),
    );
    return [...byId.values()].reverse();
  }

  /** A job, and the others whose answers are versions in the same messages. */
  async #jobsIn(job: Job, messages: readonly MessageAddress[]): Promise<readonly Job[]> {
    const { answers, jobs } = this.#dependencies;
    const { platform, channel } = job.address;
    const ids = await answers.jobsWith({
      platform,
      channel,
      messages: messages.map(({ message }) => message),
    });
    const others = await Promise.all(ids.filter((id) => id !== job.id).map((id) => jobs.find(id)));
    return [job, ...others.filter((other) => other !== undefined)];
  }

  /** Notes that an answer is deleted, and forgets what it said: no later answer quotes it, and nobody pages back to it. */
  async #forget(job: Job): Promise<void> {
    const { jobs, conversations, placeSettings, answerVersions, imageVersions } = this.#dependencies;
    await jobs.markDeleted(job.id, 'answer');
    const { address, requester } = job;
    const settings = await placeSettings.at(address);
    const places = new Set([
      threadConversation(job),
      privateConversation(address, requester),
      ...possibleConversations({ ...job, settings }),
      // Where it was shared.
      ...possibleConversations({ address, requester, settings, options: {} }),
    ]);
    for (const place of places) await conversations.forget(place, job.id);
    await answerVersions.forgetText(job.id);
    await imageVersions.forget(rootOf(job));
  }

  /** Whether a message is gone. */
  async #remove(message: MessageAddress): Promise<boolean> {
    try {
      await adapterOf(this.#dependencies, message).remove(message);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.kind !== 'gone') return false;
    }
    await this.#dependencies.answers.forget(message);
    return true;
  }
}
