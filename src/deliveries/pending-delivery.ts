import type { CommandEnd, LateNotice, Message, MessageAddress, PlatformErrorKind } from '../port/index.ts';
import type { TooLargeAs } from './other-formats.ts';

/** Texts of a late delivery, from `src/words`. */
export interface DeliveryWords {
  readonly postedBelow: string;
  /** `postedDirectly` appears in the channel, `sentDirectly` above the direct message; `left`: the bot was removed from there. */
  readonly postedDirectly: (why?: PlatformErrorKind) => string;
  readonly sentDirectly: (why?: PlatformErrorKind | 'left') => string;
  readonly answerAsFile: string;
  /** A result couldn't be posted for a while and is retried. */
  readonly notPostedYet: LateNotice;
  /** Nothing could be posted anywhere. */
  readonly postedNowhere: string;
  /** The file is too large in every format; sizes in bytes, the limit if known. */
  readonly tooLargeAnywhere: (size: number, limit: number | undefined) => string;
  /** Below a clip that was too large in its own format. */
  readonly tooLargeAs: TooLargeAs;
  /** Replaces an answer that the platform's moderation blocked. */
  readonly blockedHere: (sentDirectly: boolean) => string;
}

/** A message that still has to be delivered. */
export interface PendingDelivery {
  /** At most one file. */
  readonly message: Message;
  /** The messages that show the start of a live answer. */
  readonly shown?: readonly MessageAddress[];
  /** Text of the last of those. */
  readonly shownText?: string;
  /** Somebody deleted what stood there: it goes to its requester alone. */
  readonly isDeleted?: true;
  /** It's private and could be sent nowhere: its requester can fetch it. */
  readonly isHeld?: true;
  /** How its command ended, apart from its delivery; done by default. */
  readonly end?: CommandEnd;
}
