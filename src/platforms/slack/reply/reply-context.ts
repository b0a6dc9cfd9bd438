import type { Clock } from '../../../lib/clock.ts';
import {
  type Address,
  type Capabilities,
  deleteButtons,
  type Message,
  noticeKey,
  type Person,
  PlatformError,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import type { Log } from '../api/log.ts';
import { textLimits } from '../markup/blocks.ts';
import type { FileKinds } from '../media/files.ts';
import { isNewThread, threadOf } from '../post/address.ts';
import type { DirectMessages } from '../post/channels/direct-messages.ts';
import type { Threads } from '../post/channels/threads.ts';
import type { ResponseUrls } from '../post/response-urls.ts';
import type { LiveSinkDependencies } from './live-sink.ts';
import type { AgentSessions } from './stream/agent-sessions.ts';
import type { UnfinishedAnswerRecords } from './unfinished-answer-records.ts';
import type { UnfinishedAnswers } from './unfinished-answers.ts';

/** How one command or button press is answered. */
export interface ReplyContext {
  readonly address: Address;
  readonly requester: Person;
  /** Makes the messages’ keys, so that none is posted twice. */
  readonly eventId: string;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly since: number;
  readonly seenBy: 'channel' | 'requester' | 'nobody';
  /**
   * Somebody asked for a private answer outside their direct messages: text is shown only to them there (`here`); files,
   * and what’s edited later, come in their direct messages (`directly`).
   */
  readonly privately?: 'here' | 'directly';
  /** For answers where the bot isn’t a member. */
  readonly responseUrl?: string;
  /** The answer is only text that isn’t edited later, so a `response_url` is enough. */
  readonly textSuffices?: boolean;
  /** Who asked what, where nobody else saw the command. */
  readonly header?: string;
  /** The title of the conversation that begins here. */
  readonly title?: string;
}

export interface ReplyDependencies extends LiveSinkDependencies {
  readonly directMessages: DirectMessages;
  readonly responseUrls: ResponseUrls;
  readonly threads: Threads;
  readonly unfinishedAnswers: UnfinishedAnswers;
  readonly unfinishedAnswerRecords: UnfinishedAnswerRecords;
  readonly sessions: AgentSessions;
  readonly capabilities: Capabilities;
  readonly fileKinds: FileKinds;
  /** The bot’s name as people type it to invite it. */
  readonly botName: (workspace: string) => Promise<string>;
  /** Rewrites the commands in a text as Slack types them. */
  readonly inSlackStyle: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Says something only to the requester, as much as one message takes: in their thread, which no `response_url` reaches
 * (bolt-js#963); by the `response_url`, as an ephemeral message, or in direct messages where neither is possible.
 */
export async function sayAside(
  { responseUrls, adapter }: Pick<ReplyDependencies, 'responseUrls' | 'adapter'>,
  { address, requester, responseUrl, eventId }: ReplyContext,
  part: Message,
): Promise<void> {
  const thread = threadOf(address);
  const ways: (() => Promise<unknown>)[] = [];
  if (responseUrl !== undefined) {
    const options = { ...adapter.above(part), ...(thread !== undefined && { thread }) };
    if (thread !== undefined && !isNewThread(address))
      ways.push(() => adapter.showHidden(address, requester.id, part));
    if ((await responseUrls.usesLeft(responseUrl)) > 0)
      ways.push(() => responseUrls.say(responseUrl, part, 'requester', options));
  }
  for (const way of ways) {
    try {
      await way();
      return;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  await adapter.postHidden(address, requester.id, part, noticeKey(eventId, part.text));
}

/** Splits a message into pieces that Slack takes; who speaks stands above the first. Each has the button that deletes it: no press reaches the others. */
export function piecesOf(message: Message): Message[] {
  const { text = '', files: _, persona, ...rest } = message;
  const pieces = splitMarkdown(text, textLimits);
  const last = pieces.pop() ?? '';
  const buttons = deleteButtons(message.buttons);
  const [first, ...others] = [...pieces.map((piece) => ({ text: piece, buttons })), { ...rest, text: last }];
  return [{ ...(persona !== undefined && { persona }), ...first }, ...others];
}
