import type { Clock } from '../../lib/clock.ts';
import type { CleanUp } from '../clean-up.ts';
import type { Helper } from '../helper.ts';
import { noHelper, type StepResult, skipped } from '../step.ts';
import type { Answer, PacedClient } from './paced-client.ts';
import type { SocketListener } from './socket-listener.ts';

/** A thread in the channel or in the person's direct messages. */
export interface Place {
  readonly channel: string;
  readonly thread: string;
  /** The recipient of a stream, where Slack requires one. */
  readonly recipient: { readonly recipient_user_id: string; readonly recipient_team_id: string } | undefined;
}

/** A person who helps, and the socket that receives what they do. */
export interface HelperSession {
  readonly helper: Helper;
  readonly socket: SocketListener;
}

/** What the steps on Slack share. */
export interface SlackContext {
  readonly slack: PacedClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly cleanUp: CleanUp;
  /** The check's thread in the channel. */
  readonly inChannel: Place;
  /** Undefined if no person is in the channel. */
  readonly inDirectMessage: Place | undefined;
  /** The first person in the channel. */
  readonly person: string | undefined;
  /** The response of `auth.test`. */
  readonly me: Answer;
  /** The token's scopes. */
  readonly scopes: readonly string[];
  /** Undefined if nobody helps; a sentence if that isn't possible. */
  readonly session: HelperSession | string | undefined;
  /** A thread in which streams work. */
  streams: Place | undefined;
}

/** The start of every text that the check posts. */
export const label = 'troupe live check';

/** Posts a message, which is deleted at the end. */
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

/** Deletes a message at the end. */
export function removeLater(
  { slack, cleanUp }: Pick<SlackContext, 'slack' | 'cleanUp'>,
  channel: string,
  ts: string,
): string {
  cleanUp.add(`a message (${channel} ${ts})`, () => slack.callOrGone('chat.delete', { channel, ts }));
  return ts;
}

/** Starts a stream, which is ended and deleted at the end. */
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
  cleanUp.add(`a stream (${channel} ${ts})`, () =>
    slack.callOrGone('chat.stopStream', { channel, ts: String(ts) }),
  );
  return String(ts);
}

/** A piece of a stream's text. */
export const textChunk = (text: string) => ({ type: 'markdown_text', text });

/** Tries something that only a person can do, if one helps. */
export async function withHelper(
  { session }: SlackContext,
  work: (session: HelperSession) => Promise<StepResult>,
): Promise<StepResult> {
  if (session === undefined) return noHelper;
  return typeof session === 'string' ? skipped(session) : work(session);
}
