import { type Address, type AnsweredJob, answerKey, type PostedAnswer } from '../../../port/index.ts';
import type { MessageChrome } from '../markup/message-chrome.ts';
import { messageAt, streamAt } from './address.ts';
import { type FoundMessage, liveKeyOf, type PostedMessages } from './posted-messages.ts';
import { readMessage } from './read-message.ts';

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
  for (const key of [answerKey(eventId, 0), liveKeyOf(eventId, 0)]) {
    const found = await postedMessages.foundUnder(address, key);
    if (!found) continue;
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
