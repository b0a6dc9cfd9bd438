import {
  type Address,
  type Button,
  directKeyOf,
  type MessageAddress,
  OutletError,
  type OutletErrorKind,
  type Person,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { words } from '../../../words/index.ts';
import type { Log } from '../connection/log.ts';
import { maxMessageLength, wireLength } from '../markup/blocks.ts';
import { mrkdwn } from '../markup/mrkdwn.ts';
import { renderSections } from '../markup/sections.ts';
import type { SlackOutlet } from '../post/adapter.ts';
import { messageAt, placeOf } from '../post/address.ts';
import { slackWords } from '../words.ts';
import { wholeAnswer } from './live-sink.ts';
import type { Responder } from './responder.ts';

interface Parts {
  readonly outlet: SlackOutlet;
  readonly responder: Responder;
  readonly botName: (workspace: string) => Promise<string>;
  readonly log: Log;
}

const messageLengths = { maxLength: maxMessageLength, length: wireLength };
/** An answer of more messages than this is easier to read as a file. */
const maxDirectMessages = 4;

/** An answer that its place did not take. */
export interface Homeless {
  readonly address: Address;
  readonly requester: Person;
  /** Makes the keys. */
  readonly eventId: string;
  /** What the place said. */
  readonly why: OutletErrorKind;
  /** The whole of it. */
  readonly text: string;
  /** What of it the place doesn't show yet; empty where only its last state is missing. */
  readonly missing: string;
  readonly buttons: readonly Button[];
  readonly header?: string;
  readonly responseUrl?: string;
}

/**
 * Says an answer in another way: as a file in its place, through the response address, in direct messages.
 * @throws what the last of them threw, where none is left.
 */
export async function sayElsewhere(parts: Parts, answer: Homeless): Promise<MessageAddress> {
  const ways = [
    // The place takes messages, but not this one.
    ...(answer.why === 'refused' ? [asFile] : []),
    ...(answer.responseUrl !== undefined ? [byResponseUrl] : []),
    directly,
  ];
  let failure: unknown;
  for (const way of ways) {
    try {
      return await way(parts, answer);
    } catch (error) {
      parts.log.warn({ error: String(error), way: way.name }, 'an answer could not be said in this way');
      failure = error;
    }
  }
  throw failure;
}

function asFile({ outlet }: Parts, { address, eventId, text }: Homeless): Promise<MessageAddress> {
  return outlet.post(address, { files: [wholeAnswer(text)] }, `${eventId}:elsewhere:file`);
}

/** In messages with its buttons; what takes too many, or is refused so, as a file. */
async function directly({ outlet }: Parts, answer: Homeless): Promise<MessageAddress> {
  const { address, requester, eventId, why, text, buttons, header } = answer;
  const direct = await outlet.directMessages(address.workspace, requester.id);
  const note = words(requester.locale).sentDirectly(why);
  const above = header === undefined ? {} : { header };
  const written = { text: `${note}\n\n${text}`, buttons };
  const filed = { text: note, files: [wholeAnswer(text)], buttons };
  const asMessages = () => outlet.postWith(direct, written, directKeyOf(eventId), above);
  const asFile = () => outlet.postWith(direct, filed, directKeyOf(eventId), above);
  const isLong = splitMarkdown(written.text, messageLengths).length > maxDirectMessages;
  const [first, second] = isLong ? [asFile, asMessages] : [asMessages, asFile];
  try {
    return await first();
  } catch (error) {
    // What Slack doesn't answer may be there: a late delivery goes on with it.
    if (!(error instanceof OutletError) || error.kind === 'unreachable') throw error;
    return second();
  }
}

/** What is missing in the place, in as many pieces as the response address takes; what is too long for it comes whole in direct messages. */
async function byResponseUrl(parts: Parts, answer: Homeless): Promise<MessageAddress> {
  const { responder } = parts;
  const { address, requester, missing: text, buttons, responseUrl = '' } = answer;
  const isBegun = text !== answer.text;
  const above = answer.header === undefined || isBegun ? {} : { header: answer.header };
  const place = placeOf(address.workspace, address.channel, undefined, { responseUrl });
  if (text === '') return messageAt(place, '');
  const room = await responder.usesLeft(responseUrl);
  if (renderSections({ text, buttons }, above).length <= room) {
    await responder.say(responseUrl, { text, buttons }, 'channel', above);
    return messageAt(place, '');
  }
  const pieces = splitMarkdown(text, { maxLength: maxMessageLength, length: wireLengthOfMrkdwn });
  const say = slackWords(requester.locale);
  const isDirect = await directly(parts, answer).then(
    () => true,
    () => false,
  );
  const botName = await parts.botName(address.workspace);
  const note = isDirect ? say.restDirect(botName) : say.partsLeftOut(botName);
  for (const [index, piece] of pieces.slice(0, room).entries()) {
    const isLast = index === Math.min(room, pieces.length) - 1;
    const message = isLast ? { text: `${piece}\n\n${note}`, buttons } : { text: piece };
    await responder.say(responseUrl, message, 'channel', index === 0 ? above : {});
  }
  return messageAt(place, '');
}

function wireLengthOfMrkdwn(markdown: string): number {
  return JSON.stringify(mrkdwn(markdown)).length - 2;
}
