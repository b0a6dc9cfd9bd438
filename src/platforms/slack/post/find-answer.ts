import type { types } from '@slack/bolt';
import {
  type Address,
  type AnsweredJob,
  answerKey,
  directKey,
  type MessageAddress,
  type PostedAnswer,
} from '../../../port/index.ts';
import { markdownIn } from '../markup/blocks.ts';
import type { Chrome, MessageChrome } from '../markup/message-formats.ts';
import { unescaped } from '../markup/mrkdwn.ts';
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
    await messageChrome.keep(message, chromeOf(found));
    return answerIn(message, found);
  }
  const stream = await unfinishedAnswers.lostStream(address, liveKeyOf(eventId, 0));
  return stream && answerIn(streamAt(address, stream.ts), stream);
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
  return found && answerIn(messageAt(address, found.ts), found);
}

/**
 * One of the bot’s messages as an answer. Slack may return its Markdown as it was sent, or as other blocks: then the plain text
 * beside them says about the same, shortened and without formatting.
 */
function answerIn(message: MessageAddress, { text = '', blocks = [] }: FoundMessage): PostedAnswer {
  const markdown = markdownIn(blocks);
  if (markdown !== undefined) return { message, text: markdown };
  const isLossy = blocks.some(({ type }) => type === 'rich_text' || type === 'table');
  return { message, text: unescaped(text), ...(isLossy && { isLossy }) };
}

/** What is around a message’s text. */
function chromeOf({ blocks = [], files = [], metadata }: FoundMessage): Chrome {
  const header = headerIn(blocks[0]);
  const ids = metadata?.event_payload?.files ?? files.map(({ id }) => id);
  return { ...(header !== undefined && { header }), ...(ids.length > 0 && { files: ids }) };
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
