import type { Dispatcher, Locale, Reply } from '../../../port/index.ts';
import type { FirstTime } from '../../../store/index.ts';
import type { PostingDependencies } from '../api/message-access.ts';
import type { PermissionName } from '../api/permissions.ts';
import type { AllowedServers } from '../connection/allowed-servers.ts';
import type { Download } from '../media/download.ts';
import type { UploadLimits } from '../media/upload-limits.ts';
import type { RememberedMessages } from '../post/remembered-messages.ts';
import type { AnswerHeaders } from '../reply/header.ts';
import type { ReplyTarget } from '../reply/reply-target.ts';
import type { RecentEvents } from './recent-events.ts';

/** What takes events in: shared by interactions and messages. */
export interface ReceiverDependencies {
  readonly dispatcher: Pick<
    Dispatcher<never>,
    'commands' | 'takeTurn' | 'prepare' | 'preparePress' | 'suggest'
  >;
  /** Where the bot runs. */
  readonly allowed: AllowedServers;
  readonly routes: PostingDependencies;
  readonly recent: RecentEvents;
  /** The way to answer at a seat; `headers` has the line above the first message. */
  readonly reply: (target: ReplyTarget, locale: Locale, headers?: AnswerHeaders) => Reply;
  /** How large files may be in servers and direct messages. */
  readonly uploads: UploadLimits;
  /** The permissions that writing in a channel needs and the bot lacks, as far as that is known. */
  readonly missingIn: (channelId: string) => readonly string[];
  /** Which of these permissions the bot lacks in a channel, as far as that is known. */
  readonly lacking: (channelId: string, names: readonly PermissionName[]) => readonly string[];
  /** Whether a channel is a thread that was locked, and takes nothing of the bot's. */
  readonly isLocked: (channelId: string) => boolean;
  /** Whether somebody timed the bot out in a channel's server. */
  readonly isTimedOut: (channelId: string) => boolean;
  readonly firstTime: FirstTime;
  /** What is remembered of the bot's own messages. */
  readonly notes: RememberedMessages;
  /** Reads files that people attached. */
  readonly download: Download;
}
