import { type Clock, inTime, KeyedQueue } from '../../../../lib/clock.ts';
import {
  type Address,
  ArchivedError,
  type Capabilities,
  type MessageAddress,
} from '../../../../port/index.ts';
import type { KeyValueStore, Records } from '../../../../store/index.ts';
import {
  isFeatureMissing,
  platformError,
  type SlackFeature,
  slackFeatures,
  stopEventMissing,
} from '../../api/errors.ts';
import type { Log } from '../../api/log.ts';
import type { Answer, SlackApi } from '../../api/slack-api.ts';
import { isDirect, threadOf } from '../../post/address.ts';
import { lackedEvent } from '../../setup/manifest.ts';

/** How long text waits for a session to be shown, in milliseconds. */
const patience = 1_000;
const stopEvent = slackFeatures.stopEvent;
/** How long a question counts as open unless its end is seen, in milliseconds. */
const openFor = 86_400_000;
/** How long it's known that a session couldn't be ended, in milliseconds: as long as the bot may be let in again. */
const leftFor = 7 * 86_400_000;

interface AgentSessionDependencies {
  readonly api: SlackApi;
  readonly capabilities: Capabilities;
  readonly records: Pick<KeyValueStore, 'set' | 'delete'> & Pick<Records, 'startingWith'>;
  /** Whether another process is writing an answer in a thread. */
  readonly isAtWorkElsewhere: (address: Address) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who began a conversation, and its title. */
interface Topic {
  readonly title?: string;
  readonly initiator: string;
}

/** What a session is while no answer is being written in its thread. */
type Resting = 'active' | 'suspended';

/** What a session is once an answer in its thread has ended. */
export type StatusAfter = Resting | 'processing';

/** How a processing session is shown: with Slack’s own Stop button, without it, or not at all. */
export type Shown = 'stoppable' | 'shown' | 'none';

/** One answer’s part in its thread’s session. */
export interface AgentSession {
  /** How it’s shown; `none` where Slack doesn’t say so soon enough. */
  readonly shown: () => Promise<Shown>;
  /** The session’s status once this answer has ended. */
  readonly statusAfter: () => Promise<StatusAfter>;
  /**
   * The answer has ended; `isSet`: the end of its stream has already ended the processing. `left`: another process is
   * writing an answer there, too.
   */
  readonly end: (isSet: boolean) => Promise<'ended' | 'left'>;
}

/**
 * Slack’s sessions with an agent, one for each thread: processing while an answer is written, which shows Slack’s own
 * Stop button, active after it, and suspended while a question there waits for its answer. None is closed: a thread
 * can always go on, after `/reset` too. Where a workspace has no sessions that is remembered, and answers come
 * without them.
 */
export class AgentSessions {
  readonly #dependencies: AgentSessionDependencies;
  /** How many answers this process is writing in a thread: the last one of all ends the processing. */
  readonly #atWork = new Map<string, number>();
  readonly #ending = new Set<Promise<void>>();
  /** A thread’s questions begin and end in turn. */
  readonly #waiting = new KeyedQueue();
  /** Workspaces for which it’s being noted whether the app gets the event of Slack’s Stop button. */
  readonly #noting = new Set<string>();

  constructor(dependencies: AgentSessionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Shows that an answer is being written, once that's on record: if this process dies right after, another one ends the
   * processing.
   */
  begin(address: Address, topic: Topic, onRecord?: Promise<void>): AgentSession {
    const key = keyOf(address);
    if (key !== undefined) this.#atWork.set(key, (this.#atWork.get(key) ?? 0) + 1);
    const shown = this.#show(address, topic, onRecord);
    return {
      shown: () => inTime(this.#dependencies.clock, patience, shown, 'none'),
      statusAfter: async () => {
        const isLast =
          key !== undefined && this.#atWork.get(key) === 1 && !(await this.#isAtWorkElsewhere(address));
        return isLast ? this.#resting(key) : 'processing';
      },
      end: (isSet) => this.#end(address, key, shown, isSet),
    };
  }

  /**
   * A question was posted: shows that its thread waits for somebody’s decision, once no answer is being written there.
   * Resolves when it’s on record, without waiting for Slack: whichever process ends the question from then on ends the
   * waiting.
   */
  async questionAsked(question: MessageAddress, initiator: string): Promise<void> {
    const key = keyOf(question);
    if (key === undefined) return;
    const isOver = async () => (await this.#resting(key)) === 'active';
    const show = async () => {
      if ((await isOver()) || (await this.#isAtWork(question, key))) return;
      await this.#set(question, 'suspended', { initiator_user_id: initiator });
      // Another process may have ended it meanwhile.
      if (await isOver()) await this.settle(question);
    };
    try {
      if (await this.#isRefused(question)) return;
      await this.#dependencies.records.set(recordOf(key, question), true, openFor);
      this.#waiting.run(key, show).catch((error: unknown) => this.#noteFailure(error));
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  /** A question has ended: its thread waits for nobody’s decision any more, unless another one is open there. */
  async questionEnded(question: MessageAddress): Promise<void> {
    const key = keyOf(question);
    if (key === undefined) return;
    const work = async () => {
      const wasOpen = await this.#dependencies.records.delete(recordOf(key, question));
      if (wasOpen && (await this.#resting(key)) === 'active') await this.settle(question);
    };
    await this.#waiting.run(key, work).catch((error: unknown) => this.#noteFailure(error));
  }

  /** Ends a session’s processing in a thread where no answer is being written any more, or its waiting. */
  async settle(address: Address): Promise<void> {
    const key = keyOf(address);
    if (key === undefined || (await this.#isAtWork(address, key)) || (await this.#isRefused(address))) return;
    await this.#rest(address, key);
  }

  /** Resolves when ended sessions are shown as ended, or after a short while. */
  async settled(): Promise<void> {
    await inTime(this.#dependencies.clock, patience, Promise.all(this.#ending), undefined);
  }

  async #show(
    address: Address,
    { title, initiator }: Topic,
    onRecord: Promise<void> | undefined,
  ): Promise<Shown> {
    if (threadOf(address) === undefined || (await this.#isRefused(address))) return 'none';
    try {
      await onRecord;
      const more = { ...(title !== undefined && { title }), initiator_user_id: initiator };
      const answer = await this.#set(address, 'processing', more);
      if (title !== undefined && answer.title !== title) this.#rename(address, title);
      const isStoppable = hearsStops(answer);
      void this.#noteStopEvent(address.workspace, isStoppable);
      return isStoppable ? 'stoppable' : 'shown';
    } catch (error) {
      this.#noteFailure(error);
      if (isFeatureMissing(error)) {
        await this.#dependencies.capabilities.note(address.workspace, featureOf(address), 'refused');
      }
      return 'none';
    }
  }

  async #end(
    address: Address,
    key: string | undefined,
    shown: Promise<Shown>,
    isSet: boolean,
  ): Promise<'ended' | 'left'> {
    const was = await shown;
    if (key === undefined) return 'ended';
    const left = (this.#atWork.get(key) ?? 1) - 1;
    if (left > 0) this.#atWork.set(key, left);
    else this.#atWork.delete(key);
    if (left > 0 || isSet || was === 'none') return 'ended';
    if (await this.#isAtWorkElsewhere(address)) return 'left';
    await this.#rest(address, key);
    return 'ended';
  }

  /** Where the bot is shut out, that's noted. */
  async #rest(address: Address, key: string): Promise<void> {
    try {
      await this.#set(address, await this.#resting(key), {});
    } catch (error) {
      this.#noteFailure(error);
      const known = platformError(error);
      const isShutOut = known.kind === 'not-a-member' || known instanceof ArchivedError;
      if (!isShutOut) return;
      const noted = this.#dependencies.records.set(leftRecordOf(key), true, leftFor);
      await noted.catch((fault: unknown) => this.#noteFailure(fault));
    }
  }

  /** The bot writes in a thread, so it may have been let in again: a session that it couldn't end there ends. */
  settleLeft(address: Address): void {
    const key = keyOf(address);
    if (key === undefined) return;
    const work = async () => {
      if (await this.#dependencies.records.delete(leftRecordOf(key))) await this.settle(address);
    };
    this.#untilSettled(work());
  }

  /** Where the database is away nothing is known of questions. */
  async #resting(key: string): Promise<Resting> {
    const open = await this.#dependencies.records.startingWith(questionsIn(key)).catch(() => []);
    return open.length > 0 ? 'suspended' : 'active';
  }

  async #isAtWork(address: Address, key: string): Promise<boolean> {
    return this.#atWork.has(key) || this.#isAtWorkElsewhere(address);
  }

  /** Where the database is away nothing is known of others. */
  async #isAtWorkElsewhere(address: Address): Promise<boolean> {
    return this.#dependencies.isAtWorkElsewhere(address).catch(() => false);
  }

  #set(address: Address, status: string, more: object): Promise<Answer> {
    const args = { channel_id: address.channel, thread_ts: threadOf(address), status, ...more };
    return this.#dependencies.api.call(address.workspace, 'agents.sessions.setStatus', args);
  }

  /** An existing session keeps its title until it’s renamed. */
  #rename({ workspace, ...rest }: Address, title: string): void {
    const args = { channel_id: rest.channel, thread_ts: threadOf({ workspace, ...rest }), title };
    this.#dependencies.api
      .call(workspace, 'agents.sessions.rename', args, { urgent: false })
      .catch((error: unknown) => this.#noteFailure(error));
  }

  async #isRefused(address: Address): Promise<boolean> {
    return (await this.#dependencies.capabilities.find(address.workspace, featureOf(address))) === 'refused';
  }

  /** Remembers whether the app gets the event of Slack’s Stop button; logs once when it doesn’t. */
  async #noteStopEvent(workspace: string, isHeard: boolean): Promise<void> {
    const { capabilities, log } = this.#dependencies;
    if (this.#noting.has(workspace)) return;
    this.#noting.add(workspace);
    try {
      const isKnownMissing = (await capabilities.find(workspace, stopEvent)) === 'refused';
      if (isHeard !== isKnownMissing) return;
      await capabilities.note(workspace, stopEvent, isHeard ? 'works' : 'refused');
      if (!isHeard) log.warn({ workspace }, `the app lacks the event agent_session_stopped: ${lackedEvent}`);
    } catch (error) {
      this.#noteFailure(error);
    } finally {
      this.#noting.delete(workspace);
    }
  }

  #noteFailure(error: unknown): void {
    this.#dependencies.log.debug({ error: String(error) }, 'a session could not be shown');
  }

  /**
   * Takes an answer off the record with `forget` once its end is shown; `settled` waits for it. Where the end of the
   * processing was left to another process, that one may have ended at the same moment, so it’s looked at again.
   */
  whenEnded(address: Address, ended: Promise<'ended' | 'left'>, forget: () => Promise<void>): void {
    const work = ended.then(async (how) => {
      await forget();
      if (how === 'left') await this.settle(address);
    });
    this.#untilSettled(work);
  }

  /** `settled` waits for it. */
  #untilSettled(work: Promise<void>): void {
    const done = work.catch((error: unknown) => this.#noteFailure(error));
    this.#ending.add(done);
    void done.finally(() => this.#ending.delete(done));
  }
}

/** Kept apart: direct messages may allow what channels don’t. */
function featureOf({ channel }: Address): SlackFeature {
  return isDirect(channel) ? slackFeatures.agentSessions : slackFeatures.agentSessionsInChannel;
}

function keyOf(address: Address): string | undefined {
  const thread = threadOf(address);
  return thread === undefined ? undefined : `${address.workspace} ${address.channel} ${thread}`;
}

/** How the records of a thread’s open questions begin. */
function questionsIn(key: string): string {
  return `question ${key} `;
}

function recordOf(key: string, { message }: MessageAddress): string {
  return `${questionsIn(key)}${message}`;
}

/** The record of a thread whose session couldn't be ended. */
function leftRecordOf(key: string): string {
  return `left ${key}`;
}

/** Whether the app gets `agent_session_stopped`, by Slack’s response about a session. */
export function hearsStops(answer: Answer): boolean {
  const { warning, response_metadata: more } = answer;
  return ![...String(warning ?? '').split(','), ...(more?.warnings ?? [])].includes(stopEventMissing);
}
