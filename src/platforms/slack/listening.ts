import type { Clock } from '../../clock.ts';
import type { Address, Dispatcher, Person } from '../../port/index.ts';
import type { SlackApi } from './api.ts';
import type { Log } from './log.ts';
import type { People } from './people.ts';
import type { Recent } from './recent.ts';
import { type ReplyContext, type ReplyParts, SlackReply } from './reply.ts';

/** What the platform needs of the dispatcher. */
export type Commands = Pick<Dispatcher<never>, 'commands' | 'prepare' | 'preparePress' | 'suggest'>;

/** What those who listen to Slack work with. */
export interface Listening extends ReplyParts {
  readonly dispatcher: Commands;
  readonly people: People;
  readonly recent: Recent;
  readonly clock: Clock;
  readonly log: Log;
  /** What stands before every command's name. */
  readonly prefix: string;
  /** The bot as people write it to invite it. */
  readonly botName: string;
  readonly api: SlackApi;
}

/** Tells somebody something that they alone see. */
export async function tell(
  parts: Listening,
  about: {
    readonly address: Address;
    readonly requester: Person;
    readonly eventId: string;
    readonly responseUrl?: string;
  },
  text: string,
): Promise<void> {
  await replyIn(parts, { ...about, seenBy: 'requester' }).whisper({ text });
}

/** The way to answer. */
export function replyIn(parts: Listening, context: ReplyContext): SlackReply {
  return new SlackReply(parts, context);
}
