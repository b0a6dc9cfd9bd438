import type { types } from '@slack/bolt';
import {
  type Address,
  type AnsweredJob,
  answerKey,
  directKey,
  type MessageAddress,
  type PostedAnswer,
} from '../../../port/index.ts';
import type { Chrome, MessageChrome } from '../markup/message-formats.ts';
import { unescaped } from '../markup/safe-text.ts';
import { messageAt, slackAddress, type SlackAddressData, streamAt, threadOf } from './address.ts';
import { type FoundMessage, insteadOfKeyOf, liveKeyOf, type PostedMessages } from './posted-messages.ts';

/** Streams that an earlier process left open. */
export interface LeftoverStreams {
  /** Resolves when those at an address have been ended. */
  settled(address: Address): Promise<void>;
  /** The stream begun under a key whose start was answered to nobody; undefined if there is none. */
  lostStream(address: Address, key: string): Promise<FoundMessage | undefined>;
}

interface FindAnswerDependencies {
  readonly postedMessages: PostedMessages;
  readonly messageChrome: MessageChrome;
  readonly unfinishedAnswers: LeftoverStreams;
}

/** Finds the answer to an event that a process began before it died; undefined where nothing of it was posted. */
export async function findAnswer(
  { postedMessages, messageChrome, unfinishedAnswers }: FindAnswerDependencies,
  { address, eventId }: AnsweredJob,
): Promise<PostedAnswer | undefined> {
  if (eventId === undefined) return undefined;
  // Otherwise ending what was left over could undo what is said in its place.
  await unfinishedAnswers.settled(address);
  for (const key of [answerKey(eventId, 0), liveKeyOf(eventId, 0), directKey(eventId)]) {
    const found = await postedMessages.foundUnder(address, key);
    // What came whole in direct messages, with its buttons, a delivery finds under the same key.
    if (!found || (key === directKey(eventId) && hasButtons(found))) continue;
    const message = messageAt(address, found.ts);
    const { chrome, ...shown } = readMessage(found);
    await messageChrome.keep(message, chrome);
    return { message, ...shown };
  }
  const stream = await unfinishedAnswers.lostStream(address, liveKeyOf(eventId, 0));
  if (!stream) return undefined;
  const { chrome: _, ...shown } = readMessage(stream);
  return { message: streamAt(address, stream.ts), ...shown };
}

/** The message in which a live answer goes on below those that are known, or instead of a stream: below a root message in its thread. */
export async function findContinuation(
  { postedMessages, unfinishedAnswers }: FindAnswerDependencies,
  { eventId = '' }: AnsweredJob,
  known: readonly MessageAddress[],
): Promise<PostedAnswer | undefined> {
  const last = known.at(-1);
  if (!last) return undefined;
  const { workspace, channel, thread } = last;
  const { stream, ...data }: SlackAddressData = last.platformData ?? {};
  const under = threadOf(last) ?? last.message;
  const address = slackAddress(workspace, channel, thread, thread === undefined ? { ...data, under } : data);
  await unfinishedAnswers.settled(address);
  const after = stream === undefined ? [] : [insteadOfKeyOf(eventId, known.length - 1)];
  let found: FoundMessage | undefined;
  for (const key of [liveKeyOf(eventId, known.length), ...after])
    found ??= await postedMessages.foundUnder(address, key);
  if (!found) return undefined;
  const { chrome: _chrome, ...shown } = readMessage(found);
  return { message: messageAt(address, found.ts), ...shown };
}

/** What a message shows, as far as Slack returns it. */
interface ReadMessage {
  readonly text: string;
  /**
   * Slack returned its Markdown as other blocks, so only the plain text was read: shortened, and without formatting.
   */
  readonly isLossy?: true;
  readonly files: number;
  /** What is around its text. */
  readonly chrome: Chrome;
}

/**
 * Reads one of the bot’s messages. Slack may return Markdown as it was sent, or as other blocks; the plain text
 * beside them says about the same in any case.
 */
function readMessage({ text = '', blocks = [], files = [], metadata }: FoundMessage): ReadMessage {
  const markdown = blocks.flatMap((block) => (block.type === 'markdown' ? [block.text] : []));
  const ids = metadata?.event_payload?.files ?? files.map(({ id }) => id);
  const header = headerIn(blocks[0]);
  const isLossy =
    markdown.length === 0 && blocks.some(({ type }) => type === 'rich_text' || type === 'table');
  return {
    text: markdown.length > 0 ? markdown.join('\n\n') : unescaped(text),
    ...(isLossy && { isLossy }),
    files: ids.length,
    chrome: { ...(header !== undefined && { header }), ...(ids.length > 0 && { files: ids }) },
  };
}

function hasButtons({ blocks = [] }: FoundMessage): boolean {
  return blocks.some(({ type }) => type === 'actions' || type === 'context_actions');
}

/** The line above a message’s text. */
function headerIn(block: types.KnownBlock | undefined): string | undefined {
  if (block?.type !== 'context') return undefined;
  const [line] = block.elements;
  return line?.type === 'mrkdwn' ? line.text : undefined;
}
