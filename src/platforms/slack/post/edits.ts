import type { types } from '@slack/bolt';
import { KeyedQueue } from '../../../lib/clock.ts';
import type { Address, MessageAddress } from '../../../port/index.ts';
import { editError, isAnswerLost, platformError, slackCode, writeError } from '../api/errors.ts';
import type { RateLimits } from '../api/rate-limits.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { quietMarkdown } from '../markup/mrkdwn.ts';

/** What a message shows after the edit: text, blocks, metadata. */
type Replacement = Readonly<Record<string, unknown>>;

interface Waiting {
  /** Undefined once nothing is to be edited any more. */
  replacement: Replacement | undefined;
  readonly done: Promise<void>;
}

/**
 * Edits of messages: one at a time for each message, and always the latest. A workspace may make fewer than one a
 * second, so an edit that a later one replaces while it waits is never sent.
 */
export class Edits {
  readonly #api: SlackApi;
  readonly #rateLimits: RateLimits;
  readonly #waiting = new Map<string, Waiting>();
  readonly #queue = new KeyedQueue();

  constructor(api: SlackApi, rateLimits: RateLimits) {
    this.#api = api;
    this.#rateLimits = rateLimits;
  }

  /** Edits a message; resolves when it shows this, or something later. */
  edit(message: MessageAddress, replacement: Replacement): Promise<void> {
    const key = keyOf(message);
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.replacement = replacement;
      return waiting.done;
    }
    const done = this.#queue.run(key, () => this.#write(key, message));
    this.#waiting.set(key, { replacement, done });
    return done;
  }

  /**
   * Edits a message by what it shows: `change` reads it, and nothing is written into it in between. No edit is made where
   * `change` returns none. Edits that were asked for before are made first, and later ones after it.
   */
  change(message: MessageAddress, change: () => Promise<Replacement | undefined>): Promise<void> {
    return this.#queue.run(keyOf(message), async () => {
      const replacement = await change();
      if (!replacement) return;
      const { workspace, channel } = message;
      await this.#rateLimits.of('chat.update', workspace, channel).slot();
      await this.#send(message, replacement);
    });
  }

  /** An edit that waits is not made: its message is about to be deleted. */
  forget(message: MessageAddress): void {
    const waiting = this.#waiting.get(keyOf(message));
    if (waiting) waiting.replacement = undefined;
  }

  async #write(key: string, message: MessageAddress): Promise<void> {
    const { workspace, channel } = message;
    await this.#rateLimits.of('chat.update', workspace, channel).slot();
    const replacement = this.#waiting.get(key)?.replacement;
    this.#waiting.delete(key);
    if (replacement) await this.#send(message, replacement);
  }

  /** Sends an edit for which the caller holds a slot. */
  async #send({ workspace, channel, message: ts }: MessageAddress, replacement: Replacement): Promise<void> {
    const args = { channel, ts, ...replacement };
    try {
      await this.#api
        .call(workspace, 'chat.update', args, { hasSlot: true })
        .catch(async (error: unknown) => {
          // A stream whose process died before it ended it.
          if (slackCode(error) !== 'streaming_state_conflict') throw error;
          await this.#api.call(workspace, 'chat.stopStream', { channel, ts });
          await this.#api.call(workspace, 'chat.update', args);
        });
    } catch (error) {
      throw editError(error);
    }
  }
}

function keyOf({ workspace, channel, message }: MessageAddress): string {
  return `${workspace} ${channel} ${message}`;
}

/** Deletes one of the bot's messages, if it's still there; false where Slack refuses. */
export async function deleteMessage(api: SlackApi, address: Address, ts: string): Promise<boolean> {
  return (await deletionOf(api, address, ts)) !== 'refused';
}

/** The same, and tells what came of it; `gone`: somebody deleted it before. */
export async function deletionOf(
  api: SlackApi,
  { workspace, channel }: Address,
  ts: string,
): Promise<'done' | 'gone' | 'refused'> {
  let tries = 0;
  const beforeSending = async () => {
    tries++;
  };
  try {
    await api.call(workspace, 'chat.delete', { channel, ts }, { beforeSending });
    return 'done';
  } catch (error) {
    // The response to an earlier try may have been lost.
    if (slackCode(error) === 'message_not_found') return tries > 1 ? 'done' : 'gone';
    const known = platformError(error);
    if (known.kind === 'unreachable') throw known;
    return 'refused';
  }
}

/**
 * A message's blocks as Slack returned them, as it takes them again: it adds sizes and URLs to images, and refuses an
 * image that has them (bolt-js#1841).
 */
export function sendable(blocks: readonly types.KnownBlock[]): types.KnownBlock[] {
  return blocks.map((block) => {
    if (block.type !== 'image' || !('slack_file' in block)) return block;
    const { type, slack_file: file, alt_text } = block;
    return { type, slack_file: 'id' in file ? { id: file.id } : { url: file.url }, alt_text };
  });
}

/** A message's blocks with another label on one button; undefined if they haven't that button. */
export function relabelled(
  blocks: readonly types.KnownBlock[],
  buttonId: string,
  label: string,
): types.KnownBlock[] | undefined {
  let isFound = false;
  const changed = sendable(blocks).map((block): types.KnownBlock => {
    if (block.type !== 'actions') return block;
    const elements = block.elements.map((element) => {
      if (element.type !== 'button' || element.action_id !== buttonId) return element;
      isFound = true;
      return { ...element, text: { ...element.text, text: label } };
    });
    return { ...block, elements };
  });
  return isFound ? changed : undefined;
}

/**
 * Ends a stream as it is, no matter which process began it. One that has ended already, or is gone, needs nothing
 * more.
 */
export async function endStream(
  api: SlackApi,
  { workspace, channel }: Address,
  ts: string,
): Promise<'ended' | 'gone'> {
  const stop = async (more: object, triesLeft = 2): Promise<'ended' | 'gone' | 'empty'> => {
    try {
      await api.call(workspace, 'chat.stopStream', { channel, ts, ...more });
      return 'ended';
    } catch (error) {
      // Ending it twice does no harm.
      if (isAnswerLost(error) && triesLeft > 0) return stop(more, triesLeft - 1);
      const code = slackCode(error);
      if (code === 'no_text') return 'empty';
      const known = writeError(error);
      if (known.kind === 'unreachable') throw known;
      return code === 'message_not_found' ? 'gone' : 'ended';
    }
  };
  const first = await stop({});
  if (first !== 'empty') return first;
  // Slack refuses to end a stream that shows nothing; an empty message would be useless.
  await stop({ chunks: chunksOf('…') });
  await api.call(workspace, 'chat.delete', { channel, ts }).catch(() => undefined);
  return 'gone';
}

/** Text as a stream’s content. Only chunks: a stream’s mode is fixed by its first content. */
export function chunksOf(text: string) {
  return text === '' ? [] : [{ type: 'markdown_text', text: quietMarkdown(text) }];
}
