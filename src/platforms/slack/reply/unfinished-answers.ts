import type { types } from '@slack/bolt';
import { type Clock, untilDone, type Waits } from '../../../lib/clock.ts';
import { onNewError } from '../../../lib/local-faults.ts';
import { beginningOf } from '../../../lib/text.ts';
import { type Address, channelKey } from '../../../port/index.ts';
import { BrokenWriteError, platformError } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, messageAt, threadOf, timeOf } from '../post/address.ts';
import { type Edits, endStream, sendable } from '../post/edits.ts';
import { clockSlack, type FoundMessage, markOf, type PostedMessages } from '../post/posted-messages.ts';
import type { AgentSessions } from './stream/agent-sessions.ts';
import type { NativeStreams } from './stream/native-streams.ts';
import type { UnfinishedAnswer, UnfinishedAnswerRecords } from './unfinished-answer-records.ts';

interface UnfinishedAnswersDependencies {
  readonly api: SlackApi;
  readonly sessions: AgentSessions;
  readonly nativeStreams: NativeStreams;
  readonly postedMessages: PostedMessages;
  readonly edits: Edits;
  readonly records: UnfinishedAnswerRecords;
  readonly clock: Clock;
  readonly log: Log;
}

/** An answer that can’t be ended is given up after this long, in milliseconds: the bot may have been removed. */
const givenUpAfter = 7 * 86_400_000;
/** Even an answer that old is tried this often, because one failure may pass. */
const triesOfOld = 4;
/** Slack may fail on some content every time: after this many tries the channel’s other answers continue. */
const triesOfBroken = 7;
/** Between tries while Slack is away, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 300_000 };

/**
 * Answers that are being written, on record from before their first message. A process that dies right after a post,
 * before it knows about it, leaves no message behind that looks as if it were still being written.
 */
export class UnfinishedAnswers {
  readonly #dependencies: UnfinishedAnswersDependencies;
  /** What is being ended, by channel. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Resolves when it's known for the first time what was left. */
  readonly #known = Promise.withResolvers<void>();
  /** Resolves when Slack was reached. */
  readonly #reached = Promise.withResolvers<void>();
  readonly #stop = new AbortController();

  constructor(dependencies: UnfinishedAnswersDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Messages in an answer’s thread that may be its stream whose start got no response: messages of the bot without a
   * mark, and not known to belong to anything else.
   */
  async unknownStreams(answer: UnfinishedAnswer): Promise<string[]> {
    return (await this.#unknown(answer, mayStream)).map(({ ts }) => ts);
  }

  async #unknown(
    { address, at }: UnfinishedAnswer,
    mayBeIt: (message: FoundMessage) => boolean,
  ): Promise<FoundMessage[]> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    if (thread === undefined || !isDirect(channel)) return [];
    const others = await this.#dependencies.records.inThread(workspace, channel, thread);
    const known = others.flatMap(({ streams = [] }) => streams);
    const found = new Map<string, FoundMessage>();
    for await (const message of this.#dependencies.postedMessages.since(address, at)) {
      if (!mayBeIt(message) || timeOf(message.ts) < at - clockSlack) continue;
      const isKnown =
        known.includes(message.ts) || this.#dependencies.nativeStreams.isOpen(workspace, channel, message.ts);
      if (!isKnown) found.set(message.ts, message);
    }
    return [...found.values()];
  }

  /** The stream in which an answer began, where its start got no response and only one message can be it. */
  async lostStream(address: Address, key: string): Promise<FoundMessage | undefined> {
    const { workspace, channel } = address;
    const thread = threadOf(address);
    if (thread === undefined || !isDirect(channel)) return undefined;
    const answers = await this.#dependencies.records.inThread(workspace, channel, thread);
    const answer = answers.find((one) => one.key === key && !one.streams?.length);
    const [found, ...others] = answer ? await this.#unknown(answer, mayBeLost) : [];
    return others.length === 0 ? found : undefined;
  }

  /** Resolves when nothing of what was left in a channel is being ended: until then that may still change. */
  async settled(address: Address): Promise<void> {
    await this.#known.promise;
    await this.#ending.get(channelKey(address));
  }

  /** Slack can be reached: what was left can be ended. */
  reached(): void {
    this.#reached.resolve();
  }

  /**
   * Ends what processes that don't live any more left: removes the button, and stops what still streams. While Slack is
   * away it’s tried again; what Slack refuses or fails on every time is left to another process, and given up a week
   * after it began. Resolves when it's known what was left.
   */
  async takeUp(): Promise<void> {
    const taken: UnfinishedAnswer[] = [];
    try {
      for (const answer of await this.#dependencies.records.abandoned()) {
        await this.#dependencies.records.begin(answer);
        taken.push(answer);
      }
    } finally {
      const channels = Map.groupBy(taken, ({ address }) => channelKey(address));
      for (const [channel, answers] of channels) this.#end(channel, answers);
    }
    this.#known.resolve();
  }

  #end(channel: string, answers: readonly UnfinishedAnswer[]): void {
    const ending = Promise.all([this.#ending.get(channel), this.#reached.promise])
      .then(() => this.#settleInTurn(answers))
      .finally(() => {
        if (this.#ending.get(channel) === ending) this.#ending.delete(channel);
      });
    this.#ending.set(channel, ending);
  }

  /** Leaves the rest to another process. */
  close(): void {
    this.#stop.abort(new Error('shutting down'));
  }

  async #settleInTurn(answers: readonly UnfinishedAnswer[]): Promise<void> {
    const { clock, log, records } = this.#dependencies;
    const { signal } = this.#stop;
    const warn = (error: unknown) => log.warn({ error }, 'an unfinished answer stays on record');
    const later = onNewError((error) =>
      log.warn({ error }, 'an unfinished answer could not be ended in Slack yet'),
    );
    for (const answer of answers) {
      const isOld = () => clock.now() - answer.at > givenUpAfter;
      let broken = 0;
      const failed = (error: unknown, tries: number) => {
        if (platformError(error).kind !== 'unreachable' || (isOld() && tries >= triesOfOld)) throw error;
        if (error instanceof BrokenWriteError && ++broken >= triesOfBroken) throw error;
        later(error);
      };
      const work = async () => {
        signal.throwIfAborted();
        await this.#settleOne(answer);
        await records.end(answer);
      };
      await untilDone(work, { clock, waits, signal, failed }).catch(async (error: unknown) => {
        if (signal.aborted) return;
        log.warn({ error }, 'an unfinished answer could not be ended in Slack');
        if (isOld()) await records.end(answer).catch(warn);
      });
    }
  }

  /** An answer’s messages that have its button. */
  async *messagesOf({ address, at, key, stop }: UnfinishedAnswer): AsyncGenerator<[Address, FoundMessage]> {
    const { postedMessages } = this.#dependencies;
    const mark = markOf(address, key);
    for await (const message of postedMessages.since(address, at)) {
      if (hasButton(message, stop)) yield [address, message];
      if (message.metadata?.event_payload?.key !== mark) continue;
      const below: Address = { ...address, platformData: { ...address.platformData, under: message.ts } };
      for await (const reply of postedMessages.since(below, at))
        if (hasButton(reply, stop)) yield [below, reply];
    }
  }

  async #settleOne(answer: UnfinishedAnswer): Promise<void> {
    const { api, edits, postedMessages, sessions } = this.#dependencies;
    const streams = [...(answer.streams ?? []), ...(await this.unknownStreams(answer))];
    for (const ts of new Set(streams)) await endStream(api, answer.address, ts);
    for await (const [address, message] of this.messagesOf(answer)) {
      // What comes of the answer may be written there meanwhile, by whoever goes on with it.
      await edits.change(messageAt(address, message.ts), async () => {
        const shown = await postedMessages.at(address, message.ts);
        return shown && hasButton(shown, answer.stop) ? withoutButtons(shown) : undefined;
      });
    }
    await sessions.settle(answer.address);
  }
}

function hasButton({ blocks = [] }: FoundMessage, stop: string): boolean {
  return blocks.some(
    (block) =>
      block.type === 'actions' &&
      block.elements.some((element) => 'action_id' in element && element.action_id === stop),
  );
}

function mayStream(message: FoundMessage): boolean {
  const { streaming_state: state } = message;
  return isOwnPlain(message) && (state === undefined || state === 'in_progress');
}

/** A stream that nobody ended: Slack ends it after some minutes. */
function mayBeLost(message: FoundMessage): boolean {
  return isOwnPlain(message) && message.streaming_state !== 'completed';
}

/** A message of the bot without metadata, as streams are before their end. */
function isOwnPlain({ bot_id, metadata, files = [] }: FoundMessage): boolean {
  return bot_id !== undefined && metadata === undefined && files.length === 0;
}

/** A message as it is, without its buttons. */
function withoutButtons({ text = '', blocks = [] }: FoundMessage) {
  const rest = sendable(blocks).filter(({ type }) => type !== 'actions');
  const shown: types.KnownBlock[] = rest.length > 0 ? rest : [{ type: 'markdown', text: text || '…' }];
  return { text: beginningOf(text, 3_000) || '…', blocks: shown };
}
