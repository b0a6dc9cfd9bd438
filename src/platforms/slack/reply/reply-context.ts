import type { Clock } from '../../../lib/clock.ts';
import type { Address, Capabilities, Person } from '../../../port/index.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Log } from '../connection/log.ts';
import type { FileKinds } from '../media/file-kinds.ts';
import type { DirectMessages } from '../post/direct-messages.ts';
import type { Threads } from '../post/threads.ts';
import type { LiveSinkDependencies } from './live-sink.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { AgentSessions } from './stream/agent-sessions.ts';
import type { UnfinishedAnswerRecords } from './unfinished-answer-records.ts';
import type { UnfinishedAnswers } from './unfinished-answers.ts';

/** One command's or press's way to answer. */
export interface ReplyContext {
  readonly address: Address;
  readonly requester: Person;
  /** Makes the answers' keys, so that none of them is posted twice. */
  readonly eventId: string;
  readonly seenBy: 'channel' | 'requester' | 'nobody';
  /** The way to answer where the bot is no member. */
  readonly responseUrl?: string;
  /** The answer needs no place of its own: words that are not changed later. */
  readonly textSuffices?: boolean;
  /** Who asked what, where nobody else saw it asked. */
  readonly header?: string;
  /** What the conversation that begins here is called. */
  readonly title?: string;
}

export interface ReplyDependencies extends LiveSinkDependencies {
  readonly api: SlackApi;
  readonly directMessages: DirectMessages;
  readonly responseUrls: ResponseUrls;
  readonly threads: Threads;
  readonly unfinishedAnswers: UnfinishedAnswers;
  readonly unfinishedAnswerRecords: UnfinishedAnswerRecords;
  readonly sessions: AgentSessions;
  readonly capabilities: Capabilities;
  readonly fileKinds: FileKinds;
  /** The bot as people write it to invite it. */
  readonly botName: (workspace: string) => Promise<string>;
  /** Sentences about commands as Slack types them. */
  readonly inSlackStyle: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}
