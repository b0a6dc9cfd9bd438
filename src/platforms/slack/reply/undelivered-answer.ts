import {
  type Address,
  type Button,
  deleteButtons,
  directKey,
  type MessageAddress,
  type Person,
  PlatformError,
  type PlatformErrorKind,
  refusalOf,
  textFile,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { words } from '../../../words/index.ts';
import type { Log } from '../api/log.ts';
import { maxMessageLength, wireLength } from '../markup/blocks.ts';
import { renderSections, sectionPieces } from '../markup/sections.ts';
import type { SlackAdapter } from '../post/adapter.ts';
import { messageAt, slackAddress } from '../post/address.ts';
import type { ResponseUrls } from '../post/response-urls.ts';
import { slackWords } from '../words.ts';

interface Dependencies {
  readonly adapter: SlackAdapter;
  readonly responseUrls: ResponseUrls;
  readonly botName: (workspace: string) => Promise<string>;
  readonly log: Log;
}

const messageLengths = { maxLength: maxMessageLength, length: wireLength };
/** An answer of more messages than this is easier to read as a file. */
const maxDirectMessages = 4;

/** An answer that couldn’t be posted where it was asked for. */
export interface UndeliveredAnswer {
  readonly address: Address;
  readonly requester: Person;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly since: number;
  /** Makes the keys. */
  readonly eventId: string;
  /** Why it couldn’t be posted there. */
  readonly why: PlatformErrorKind;
  /** The whole answer. */
  readonly text: string;
  /** What isn’t shown there yet; empty where only its last state is missing. */
  readonly missing: string;
  readonly buttons: readonly Button[];
  readonly header?: string;
  readonly responseUrl?: string;
}

/**
 * Delivers an answer in another way: as a file in the channel, through the `response_url`, or in direct messages.
 * @throws the last way’s error, where none works.
 */
export async function deliverAnotherWay(
  dependencies: Dependencies,
  answer: UndeliveredAnswer,
): Promise<MessageAddress> {
  const ways = (await isTakenOut(dependencies, answer))
    ? [directly, aside]
    : [
        // The channel takes messages, but not this one.
        ...(answer.why === 'refused' ? [asFile] : []),
        ...(answer.responseUrl !== undefined ? [byResponseUrl] : []),
        directly,
      ];
  let failure: unknown;
  for (const way of ways) {
    try {
      return await way(dependencies, answer);
    } catch (error) {
      dependencies.log.warn(
        { error: String(error), way: way.name },
        'an answer could not be delivered in this way',
      );
      failure = error;
    }
  }
  throw failure;
}

/** Who takes the bot out of a channel in the middle of an answer wants no more of it there. */
async function isTakenOut(
  { adapter }: Dependencies,
  { address, since, why, text, missing }: UndeliveredAnswer,
): Promise<boolean> {
  if (why !== 'not-a-member' || missing === '') return false;
  return missing !== text || adapter.isTakenOut(address, since);
}

/** The rest to the requester alone, where that takes few enough messages. */
async function aside({ responseUrls }: Dependencies, answer: UndeliveredAnswer): Promise<MessageAddress> {
  const { address, missing: text, buttons, responseUrl } = answer;
  if (responseUrl === undefined) throw new PlatformError('not-a-member');
  await responseUrls.say(responseUrl, { text, buttons }, 'requester');
  return messageAt(slackAddress(address.workspace, address.channel, undefined, { responseUrl }), '');
}

function asFile(
  { adapter }: Dependencies,
  { address, eventId, text }: UndeliveredAnswer,
): Promise<MessageAddress> {
  return adapter.post(address, { files: [textFile(text)] }, `${eventId}:elsewhere:file`);
}

/** In direct messages with its buttons; as a file where that takes too many messages or is refused. */
async function directly({ adapter }: Dependencies, answer: UndeliveredAnswer): Promise<MessageAddress> {
  const { address, requester, eventId, why, text, buttons, header } = answer;
  const direct = await adapter.directMessages(address.workspace, requester.id);
  const note = words(requester.locale).sentDirectly(why);
  const above = header === undefined ? {} : { header };
  const written = { text: `${note}\n\n${text}`, buttons };
  const filed = { text: note, files: [textFile(text)], buttons };
  const asMessages = () => adapter.postWith(direct, written, directKey(eventId), above);
  const asFile = () => adapter.postWith(direct, filed, directKey(eventId), above);
  const isLong = splitMarkdown(written.text, messageLengths).length > maxDirectMessages;
  const [first, second] = isLong ? [asFile, asMessages] : [asMessages, asFile];
  try {
    return await first();
  } catch (error) {
    // What got no response may be there: a late delivery continues with it.
    if (!refusalOf(error)) throw error;
    return second();
  }
}

/**
 * Posts what is missing in the channel, in as many pieces as the `response_url` takes; where that’s too few, the
 * whole answer also goes to direct messages.
 */
async function byResponseUrl(dependencies: Dependencies, answer: UndeliveredAnswer): Promise<MessageAddress> {
  const { responseUrls } = dependencies;
  const { address, requester, missing: text, buttons, responseUrl = '' } = answer;
  const isBegun = text !== answer.text;
  const above = answer.header === undefined || isBegun ? {} : { header: answer.header };
  const target = slackAddress(address.workspace, address.channel, undefined, { responseUrl });
  if (text === '') return messageAt(target, '');
  const room = await responseUrls.usesLeft(responseUrl);
  if (renderSections({ text, buttons }, above).length <= room) {
    await responseUrls.say(responseUrl, { text, buttons }, 'channel', above);
    return messageAt(target, '');
  }
  const pieces = sectionPieces(text);
  const say = slackWords(requester.locale);
  const isDirect = await directly(dependencies, answer).then(
    () => true,
    () => false,
  );
  const botName = await dependencies.botName(address.workspace);
  const note = isDirect ? say.restDirect(botName) : say.partsLeftOut(botName);
  for (const [index, piece] of pieces.slice(0, room).entries()) {
    const isLast = index === Math.min(room, pieces.length) - 1;
    const message = isLast
      ? { text: `${piece}\n\n${note}`, buttons }
      : { text: piece, buttons: deleteButtons(buttons) };
    await responseUrls.say(responseUrl, message, 'channel', index === 0 ? above : {});
  }
  return messageAt(target, '');
}
