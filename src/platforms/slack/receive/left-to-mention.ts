import type { Clock } from '../../../lib/clock.ts';
import { mentionedUsers } from '../markup/incoming-text.ts';
import type { Arrivals } from './arrivals.ts';
import { type MessageEvent, messageId } from './context/slack-message.ts';

/** What's read of an event's payload. */
interface EventPayload {
  readonly event?: MessageEvent;
  readonly authorizations?: readonly { readonly user_id?: string }[] | null;
  readonly is_ext_shared_channel?: boolean;
}

/** So long after its `message` a mention must have come, in milliseconds, and been answered or told about. */
const mentionWithin = 6_000;
/** How much longer it's waited, in milliseconds: a database that has just come back learns within a second who was told. */
const notedWithin = 3_000;

/** Whether a message mentions the bot. */
export function isMention(
  { text = '' }: MessageEvent,
  authorizations: EventPayload['authorizations'],
): boolean {
  const mentioned = mentionedUsers(text);
  return (authorizations ?? []).some(({ user_id }) => user_id !== undefined && mentioned.includes(user_id));
}

/**
 * Whether a `message` also comes as an `app_mention`, perhaps to another process: a mention in a channel does. With files,
 * and in channels shared with other workspaces, it may come as a `message` alone (bolt-python#925; seen in Slack Connect).
 */
export function isLeftToMention(body: object): boolean {
  const { event, authorizations, is_ext_shared_channel: isShared }: EventPayload = body;
  if (event?.type !== 'message' || isShared === true) return false;
  const { channel_type: kind, files = [], subtype } = event;
  if ((kind !== 'channel' && kind !== 'group') || files.length > 0 || subtype === 'file_share') return false;
  return isMention(event, authorizations);
}

/**
 * Handles a `message` whose `app_mention` may be in another process's hands, only if nothing has come of that after some
 * seconds. If both took it at once, one could tell its author that the database is away, and the other answer.
 */
export function unlessMentionComes(
  { arrivals, clock }: { readonly arrivals: Pick<Arrivals, 'isDone'>; readonly clock: Pick<Clock, 'after'> },
  event: MessageEvent,
  { handle, failed }: { readonly handle: () => Promise<void>; readonly failed: (error: unknown) => void },
): void {
  const unlessDone = (otherwise: () => Promise<void> | void) => async () => {
    if (!(await arrivals.isDone(messageId(event)))) await otherwise();
  };
  const lookIn = (milliseconds: number, look: () => Promise<void>) =>
    void clock.after(milliseconds, () => void look().catch(failed));
  lookIn(
    mentionWithin,
    unlessDone(() => lookIn(notedWithin, unlessDone(handle))),
  );
}
