import type { Clock } from '../../lib/clock.ts';
import type { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';
import { noHelper } from '../nobody.ts';
import { type StepResult, skipped } from '../step.ts';
import type { Answer, PacedClient } from './paced-client.ts';
import type { SocketListener } from './socket-listener.ts';

/** Where something is posted: in a thread of the channel, or under a message of the person's direct messages. */
export interface Place {
  readonly channel: string;
  readonly thread: string;
  /** For whom a stream is, where Slack wants to know. */
  readonly recipient: { readonly recipient_user_id: string; readonly recipient_team_id: string } | undefined;
}

/** Somebody who helps, and what they press. */
export interface Helping {
  readonly helper: Helper;
  readonly presses: SocketListener;
}

/** What the steps on Slack share. */
export interface SlackContext {
  readonly slack: PacedClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
  /** The thread in the channel that everything is posted in. */
  readonly inChannel: Place;
  /** Undefined where there is nobody in the channel. */
  readonly inDirectMessage: Place | undefined;
  /** The first person in the channel. */
  readonly person: string | undefined;
  /** What `auth.test` says of the token. */
  readonly me: Answer;
  /** What the token was given. */
  readonly scopes: readonly string[];
  /** Undefined where nobody said that they would help; a sentence where nobody can. */
  readonly helping: Helping | string | undefined;
  /** Where streams were found to work. */
  streams: Place | undefined;
}

/** Begins every text the check posts, so that it is known for what it is. */
export const label = 'troupe live check';

/** Posts in the thread, and takes the message away in the end. */
export async function post(
  { slack, cleanUp }: Pick<SlackContext, 'slack' | 'cleanUp'>,
  { channel, thread }: Pick<Place, 'channel'> & { readonly thread?: string },
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { ts } = await slack.call('chat.postMessage', {
    channel,
    ...(thread !== undefined && { thread_ts: thread }),
    unfurl_links: false,
    unfurl_media: false,
    ...args,
  });
  return removeLater({ slack, cleanUp }, channel, String(ts));
}

/** Has a message taken away in the end. */
export function removeLater(
  { slack, cleanUp }: Pick<SlackContext, 'slack' | 'cleanUp'>,
  channel: string,
  ts: string,
): string {
  cleanUp.later(`a message (${channel} ${ts})`, () => slack.callOrGone('chat.delete', { channel, ts }));
  return ts;
}

/** Opens a stream, and has it ended and taken away in the end. */
export async function openStream(
  { slack, cleanUp }: SlackContext,
  { channel, thread, recipient }: Omit<Place, 'thread'> & { readonly thread: string | undefined },
  chunks: readonly object[],
): Promise<string> {
  const { ts }: Answer = await slack.call('chat.startStream', {
    channel,
    ...(thread !== undefined && { thread_ts: thread }),
    ...recipient,
    ...(chunks.length > 0 && { chunks }),
  });
  removeLater({ slack, cleanUp }, channel, String(ts));
  cleanUp.later(`a stream (${channel} ${ts})`, () =>
    slack.callOrGone('chat.stopStream', { channel, ts: String(ts) }),
  );
  return String(ts);
}

/** A piece of a stream's text. */
export const textChunk = (text: string) => ({ type: 'markdown_text', text });

/** Does what takes a person, where one helps. */
export async function withHelper(
  { helping: company }: SlackContext,
  work: (company: Helping) => Promise<StepResult>,
): Promise<StepResult> {
  if (company === undefined) return noHelper;
  return typeof company === 'string' ? skipped(company) : work(company);
}
