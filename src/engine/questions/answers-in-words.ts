import { sleep } from '../../lib/clock.ts';
import {
  type Address,
  actionId,
  type CommandRequest,
  channelKey,
  conversationKey,
  type Decision,
  type Job,
  type MessageAddress,
  type PressRequest,
} from '../../port/index.ts';
import { decisionIn } from '../../words/decisions.ts';
import type { DispatcherDependencies } from '../dispatcher-dependencies.ts';
import { type QuestionAnswer, questionLife } from './questions.ts';

/** Waits between looks for the message of a question that's being posted, in milliseconds. */
const looksForMessage = [25, 50, 100, 200, 400];

/** Finds the question that plain words answer. */
export class AnswersInWords {
  readonly #dependencies: DispatcherDependencies;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The press that plain words stand for, in reply to a question or right after it in the same place, by the person who was
   * asked; `repeated` where they've answered one before, and undefined where they're a message like any other.
   */
  async pressInWords(request: CommandRequest): Promise<PressRequest | 'repeated' | undefined> {
    const { jobs, clock } = this.#dependencies;
    const { said, address, requester, eventId } = request;
    const decision = said && decisionIn(said.text);
    if (!decision) return undefined;
    // An answer may come until the question's time is over, and its event once more after that.
    if (await jobs.hasAnswered(eventId, clock.now() - 2 * questionLife)) return 'repeated';
    const job =
      said.replyTo === undefined
        ? await this.#askedLast(address, requester)
        : await this.#askedIn(address, said.replyTo);
    const answer = job?.requester.id === requester.id && answerOf(decision, job);
    if (!job || !answer || !isSameSession(job.address, address)) return undefined;
    // One that only its person sees may have no address: it keeps its buttons, which order nothing any more.
    const message = (await this.#messageOf(job)) ?? { ...address, message: '' };
    return { eventId, actionId: actionId(job.command, answer, job.id), address, message, requester };
  }

  /**
   * The job about which a person was asked in the place where they write, if nothing else was given there since; in their
   * own direct messages with the bot, in any thread of those.
   */
  async #askedLast(address: Address, { id, direct }: CommandRequest['requester']): Promise<Job | undefined> {
    const { jobs, clock } = this.#dependencies;
    const isHere = (other: Address) => this.#placesOf(other).some((one) => here.includes(one));
    const here = this.#placesOf(address);
    const isInChannel = (other: Address) => channelKey(other) === channelKey(address);
    for (const job of await jobs.askedOf(id, clock.now() - questionLife))
      if (job.address.platform === address.platform && isHere(await this.#shownAt(job)))
        return (await jobs.isFollowed(job, direct ? isInChannel : isHere)) ? undefined : job;
    return undefined;
  }

  #placesOf(address: Address): readonly string[] {
    return this.#dependencies.adapters(address.platform)?.placesOf(address) ?? [conversationKey(address)];
  }

  /** Where a question stands: in the place that it's about, unless it was sent to its person's direct messages. */
  async #shownAt(job: Job): Promise<Address> {
    const message = await this.#messageOf(job);
    return message && channelKey(message) !== channelKey(job.address) ? message : job.address;
  }

  /** The message of a question, which people may answer a moment before it's on record. */
  async #messageOf({ id, isAsking }: Job): Promise<MessageAddress | undefined> {
    const { answers, clock } = this.#dependencies;
    let message = (await answers.messagesOf(id)).at(-1);
    for (const wait of isAsking ? looksForMessage : []) {
      if (message) break;
      await sleep(clock, wait);
      message = (await answers.messagesOf(id)).at(-1);
    }
    return message;
  }

  async #askedIn({ platform }: Address, message: string): Promise<Job | undefined> {
    const { jobs, answers } = this.#dependencies;
    for (const id of await answers.jobsWith({ platform, messages: [message] }))
      if (await jobs.awaitsConfirmation(id)) return jobs.find(id);
    return undefined;
  }
}

/** On the console everybody is the same person: what's private is its session's. */
function isSameSession({ onlyFor, platformData }: Address, other: Address): boolean {
  return onlyFor === undefined || platformData?.session === other.platformData?.session;
}

/** The button that says what words decide; undefined if there's none under a job's question. */
function answerOf(decision: Decision, { command, instead }: Job): QuestionAnswer | undefined {
  const isEither = instead !== undefined && instead.command !== command;
  if (decision.kind === 'order') return isEither && decision.command === command ? 'yes' : undefined;
  return (decision.kind === 'instead') === isEither ? decision.kind : undefined;
}
