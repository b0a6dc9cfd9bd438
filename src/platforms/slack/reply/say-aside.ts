import { deleteButtons, type Message, noticeKey, PlatformError } from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { maxMessageLength, wireLength } from '../markup/blocks.ts';
import type { SlackAdapter } from '../post/adapter.ts';
import { threadOf } from '../post/address.ts';
import type { ResponseUrls } from '../post/response-urls.ts';
import type { ReplyContext } from './reply-context.ts';

interface Dependencies {
  readonly responseUrls: ResponseUrls;
  readonly adapter: SlackAdapter;
}

/**
 * Says something only to the requester, as much as one message takes: by the `response_url`, as an ephemeral message, or
 * in direct messages where neither is possible.
 */
export async function sayAside(
  { responseUrls, adapter }: Dependencies,
  { address, requester, responseUrl, eventId }: ReplyContext,
  part: Message,
): Promise<void> {
  const thread = threadOf(address);
  const options = { ...adapter.above(part), ...(thread !== undefined && { thread }) };
  if (responseUrl !== undefined && (await responseUrls.usesLeft(responseUrl)) > 0) {
    try {
      return await responseUrls.say(responseUrl, part, 'requester', options);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
  }
  await adapter.postHidden(address, requester.id, part, noticeKey(eventId, part.text));
}

/** Splits a message into pieces that Slack takes. Each has the button that deletes it: no press reaches the others. */
export function piecesOf(message: Message): Message[] {
  const { text = '', files: _, ...rest } = message;
  const pieces = splitMarkdown(text, { maxLength: maxMessageLength, length: wireLength });
  const last = pieces.pop() ?? '';
  const buttons = deleteButtons(message.buttons);
  return [...pieces.map((piece) => ({ text: piece, buttons })), { ...rest, text: last }];
}
