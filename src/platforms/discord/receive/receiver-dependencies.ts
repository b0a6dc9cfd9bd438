import type { Dispatcher, Locale, Reply } from '../../../port/index.ts';
import type { FirstTime } from '../../../store/index.ts';
import type { AllowedServers } from '../connection/allowed-servers.ts';
import type { AnswerHeaders } from '../post/message-header.ts';
import type { DiscordServices } from '../post/services.ts';
import type { ReplyTarget } from '../reply/reply-target.ts';
import type { RecentEvents } from './recent-events.ts';

/** What {@link Interactions} and {@link Messages} need. */
export interface ReceiverDependencies extends DiscordServices {
  readonly dispatcher: Pick<
    Dispatcher<never>,
    'commands' | 'takeTurn' | 'prepare' | 'prepareFromMessage' | 'preparePress' | 'suggest'
  >;
  readonly allowedServers: AllowedServers;
  readonly recentEvents: RecentEvents;
  readonly firstTime: FirstTime;
  /** Whether Discord shows the bot what messages say that don't mention it. */
  readonly readsAll: () => boolean;
  /** How much other people's words may add to a question, in estimated tokens. */
  readonly contextTokens: number;
  /** Opens a reply at a target; `headers` has the line above its first message. */
  readonly openReply: (target: ReplyTarget, locale: Locale, headers?: AnswerHeaders) => Reply;
}
