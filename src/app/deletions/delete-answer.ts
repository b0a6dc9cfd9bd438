import {
  adapterOf,
  channelKey,
  isPrivate,
  type Job,
  type MessageAddress,
  type NamedJob,
  type Person,
} from '../../port/index.ts';
import type { Deletions } from './deletions.ts';
import type { DeletionDependencies, ForgottenAnswers } from './forgotten-answers.ts';

type Dependencies = DeletionDependencies & {
  readonly deletions: Deletions;
  readonly forgottenAnswers: ForgottenAnswers;
};

/** Deletes answers where their button is pressed. */
export class AnswerDeletion {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Deletes a job's answer where a button of it was pressed, and its other versions: all their messages on record, and the
   * one that the platform says was pressed. What still waits to be made isn't made. The one with the button goes after the
   * others, so that it can be pressed again if something comes between. Its requester takes it away wherever it stands, also
   * where they shared it; moderators where they pressed it, and of a private one only what's shared. Where none of its own
   * was pressed, `pressed` is where its answer stands, without a message.
   * Resolves once each was tried; what the platform can't remove now is removed later. Where it refuses to for good,
   * `onKept` is called, maybe later.
   */
  async delete(
    job: Job,
    pressed: MessageAddress,
    person: Pick<Person, 'id'>,
    onKept: () => Promise<void>,
  ): Promise<void> {
    const { answerVersions, conversations, deletions, forgottenAnswers, recent, removals } =
      this.#dependencies;
    const isOwn = person.id === job.requester.id;
    const own = await this.#messagesOf(job);
    const versions = await this.#versionsOf(job, this.#reached(job, own, pressed, isOwn));
    const all = await Promise.all(versions.map((version) => this.#messagesOf(version.job)));
    const messages = this.#reached(job, [own, ...all].flat(), pressed, isOwn);
    const { message: button } = adapterOf(this.#dependencies, pressed).underOwnId(pressed);
    // What's still being shared of it looks there.
    for (const { platform, channel, message } of messages)
      if (message !== '') await recent.note({ platform, channel, messages: [message] });
    if (isPrivate(job) && !isOwn) await forgottenAnswers.forgetShared(job, messages);
    else
      for (const { job: one, state } of versions) {
        await forgottenAnswers.forget(one, 'answer', messages);
        await deletions.endRenders(one, 'answer');
        await deletions.endRendersMadeFrom(await conversations.jobsWith([one.id]));
        // A new version may wait for its turn.
        if (state === 'running') await deletions.stop(one);
      }
    // Others may stand in the thread of the first: that's really gone only after them.
    const last = [button, messages.at(-1)?.message];
    const order = messages.toSorted((one, other) => last.indexOf(one.message) - last.indexOf(other.message));
    await removals.remove(order, onKept);
    for (const message of order) await answerVersions.forget(message);
  }

  /** The messages of a job, the oldest first. */
  async #messagesOf(job: Job): Promise<readonly MessageAddress[]> {
    const { answers, deletions, renders } = this.#dependencies;
    // What was made before messages were on record has those of its render.
    const ofRenders = (await renders.ofJob(job.id)).flatMap(({ message, delivered = message }) => [
      message,
      delivered,
    ]);
    const before = await deletions.messagesBefore(job);
    return [...(await answers.messagesOf(job.id)), ...ofRenders].filter(
      ({ message }) => !before.includes(message),
    );
  }

  /** Of a job's known messages those in a channel and its threads, or all, the newest first; each as it's reached best. */
  #reached(
    job: Job,
    known: readonly MessageAddress[],
    pressed: MessageAddress,
    isEverywhere: boolean,
  ): readonly MessageAddress[] {
    const isHere = (message: MessageAddress) =>
      channelKey(message) === channelKey(pressed) && (!isPrivate(job) || message.isShared === true);
    const here = known.filter((message) => message.message !== '' && (isEverywhere || isHere(message)));
    const adapter = adapterOf(this.#dependencies, pressed);
    // It may have been posted a moment ago, and not be on record yet.
    const isKnown = pressed.message !== '' && (adapter.provesPresses || adapter.isReachedByPress(pressed));
    const byId = new Map<string, MessageAddress>();
    for (const message of isKnown ? [...here, adapter.underOwnId(pressed)] : here) {
      const id = `${channelKey(message)} ${message.message}`;
      const before = byId.get(id);
      // The press may reach it where nothing else does; what's on record says how it was posted.
      const platformData = { ...before?.platformData, ...message.platformData };
      const { access } = message;
      const reached = Object.keys(platformData).length > 0 && { platformData, ...(access && { access }) };
      byId.set(id, { ...message, ...before, ...reached });
    }
    return [...byId.values()].reverse();
  }

  /** A job, and the others whose answers are versions in the same messages. */
  async #versionsOf({ id, address }: Job, messages: readonly MessageAddress[]): Promise<readonly NamedJob[]> {
    const { answers, jobs } = this.#dependencies;
    const { platform, channel } = address;
    const names = messages.map(({ message }) => message);
    const others = await answers.jobsWith({ platform, channel, messages: names });
    return jobs.named([id, ...others], []);
  }
}
