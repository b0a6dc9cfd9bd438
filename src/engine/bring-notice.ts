import {
  type Address,
  climb,
  conversationKey,
  type Door,
  isPrivate,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformAdapter,
  PlatformError,
  postDirectly,
  type RecordedAnswer,
  type RefusalKind,
  refusalOf,
} from '../port/index.ts';
import { firstMessages } from '../reply/index.ts';
import { words } from '../words/index.ts';
import type { Command } from './command.ts';

/** Shows in a message how it ends, now or as soon as the platform lets the bot do that. */
export type ShowEnd = (message: MessageAddress, shows: Message) => Promise<void>;

/** What becomes of other messages where renders, late deliveries and notices are posted. */
export interface LatePosts {
  /** Whether what's deleted at an address is heard now, or can't be any more; it always is if absent. */
  readonly hears?: (address: Address) => Promise<boolean>;
  /**
   * Reads whether a job's question still stands, before what was held comes to its place.
   * @throws {PlatformError} where it can't be read now.
   */
  readonly readQuestion?: (job: Job) => Promise<void>;
  /** Takes away what stands of a job that was deleted, now or once its platform can be reached. */
  readonly takeAway?: (job: Job) => Promise<void>;
  /**
   * Closes a job's question, which was answered: what comes or is told of the job may come into the same message.
   * @throws {PlatformError} `unreachable` as long as that can't be done.
   */
  readonly closeQuestionOf?: (job: Job) => Promise<void>;
  readonly endMessage?: ShowEnd;
}

/** A notice of what happened to a job's answer. */
export interface Notice {
  readonly message: Message;
  /** It's said once for each name. */
  readonly name: string;
  /** The answer as people see it. */
  readonly answer?: RecordedAnswer | undefined;
  /** What the answer says of how it ends where the notice stands below it, and may be deleted without it. */
  readonly ending?: string;
  /** Stands below all that people can read of the answer. */
  readonly mark?: string | undefined;
  /** Something stands for the answer until it comes, or stood: if it's gone, somebody has deleted it. */
  readonly isAwaited?: boolean;
  /** Only the requester sees the answer, though it isn't private: a list, which isn't worth a direct message. */
  readonly isHidden?: boolean;
  /** It's for the requester directly, where they accept that. */
  readonly isDirect?: boolean;
  /** It's the requester's business alone: only they see it, wherever others write and that can be. */
  readonly isAside?: boolean;
  /** Ends the answer where the notice can't be brought to it. */
  readonly endMessage?: ShowEnd | undefined;
}

/**
 * Brings a notice into the answer's last message or below it, or as the command's reply if there is none yet, or as a new
 * message; where its place takes none of these, to the requester directly, unless it's of a list or a slash command shows
 * nothing yet; at last, of what a mention asked for, to its requester alone in that place. What is private stays private. If
 * somebody deleted the last message, what it said comes with the notice to the requester alone; if it can't be brought there,
 * the message ends with it nonetheless, as soon as that can be. Returns where it is.
 * @throws {PlatformError} the last refusal if it can be said nowhere.
 */
export async function bringNotice(
  adapter: PlatformAdapter,
  job: Job,
  notice: Notice,
): Promise<MessageAddress> {
  const { message, name, answer, mark, endMessage } = notice;
  const ending = notice.ending === undefined ? undefined : withMark(notice.ending, mark);
  /** Where it stands in one message with the answer. */
  const noted = { ...message, text: withMark(message.text, mark) };
  const { isHidden = false, isDirect = false, isAside = false, isAwaited = false } = notice;
  const { address, acknowledgement, requester } = job;
  const isAlone = isHidden || isPrivate(job);
  const shown = answer && (isPrivate(job) || !isHidden) ? answer.messages.at(-1) : undefined;
  const last = isAlone && !shown?.message ? undefined : shown;
  const inPlace = {
    seenBy: isAlone ? 'requester' : 'place',
    maxFileBytes: (kind) => adapter.maxFileBytes(address, kind),
  } as const satisfies Partial<Door>;
  const doors: Door[] = [];
  if (answer && last)
    doors.push({
      ...inPlace,
      name: 'edit',
      put: (said, key) => addNotice(adapter, last, answer, { apart: said, joined: noted }, key, ending),
    });
  else if (acknowledgement) {
    const reply = async (said: Message) => {
      const answered = await adapter.answerInterrupted(acknowledgement, said).catch((error: unknown) => {
        if (!isAwaited || isAlone || refusalOf(error) !== 'gone') throw error;
        throw new PlatformError('deleted', undefined, { cause: error });
      });
      return { ...address, message: '', ...answered };
    };
    doors.push({ ...inPlace, name: isAlone ? 'aside' : 'token', put: reply });
  }
  const here = (said: Message, key: string) =>
    isAside ? adapter.postAside(address, requester.id, said, key) : adapter.post(address, said, key);
  if (!last && !isAlone) doors.push({ ...inPlace, name: 'here', put: here });
  const direct: Door = {
    ...{ ...inPlace, seenBy: 'requester', name: 'direct' },
    put: (said, key) => postDirectly(adapter, job, said, key),
  };
  if (isDirect) doors.unshift(direct);
  // Of a command whose placeholder was deleted nothing more is said.
  else if (isPrivate(job) || (!isHidden && (last || !acknowledgement))) doors.push(direct);
  // A command has its reply; what a mention asked for has nothing else.
  if (!acknowledgement && !isAlone && adapter.hidesAside)
    doors.push({
      ...{ ...inPlace, seenBy: 'requester', name: 'aside' },
      put: (said, key) => adapter.postAside(address, requester.id, said, key),
    });
  const whole = answer && { ...noted, text: below(answer, noted) };
  const end = async (why: RefusalKind | undefined) => {
    if (!endMessage || !answer || !last?.message || answer.isLossy) return;
    if (isDirect || why === 'deleted') return;
    await endMessage(last, { text: await textEnding(adapter, last, answer.lastText, noted.text) });
  };
  try {
    const { at, door, why } = await climb({
      audience: isAlone ? 'requester' : 'anyone',
      isPaid: true,
      doors: () => doors,
      forms: new Map([['whole', (door) => (door === direct && last && whole ? whole : message)]]),
      key: ({ door }) => (door === 'direct' ? `${job.id}:${name}:alone` : `${job.id}:${name}`),
    });
    const isElsewhere = last && conversationKey(at) !== conversationKey(last);
    if (isElsewhere || door.name === 'aside') await end(why);
    return at;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal) await end(refusal);
    throw error;
  }
}

/** Stands above a result in direct messages: why it isn't in its place. */
export function sentDirectly(
  { requester: { locale }, address: { platform }, deleted }: Job,
  why: RefusalKind | undefined,
): string {
  return words(locale, platform).sentDirectly(why === 'deleted' && deleted === 'left' ? deleted : why);
}

/** What a message says with a note below its text, of which so much is left out as the note takes. */
export async function textEnding(
  adapter: PlatformAdapter,
  message: MessageAddress,
  text: string,
  note: string,
): Promise<string> {
  if (text.trim() === '') return note;
  const [ended = note] = firstMessages([text, ''], 1, note, await adapter.messageLimits(message)).messages;
  return ended;
}

/** Adds a notice to the answer's last message, or below it. */
async function addNotice(
  adapter: PlatformAdapter,
  last: MessageAddress,
  answer: RecordedAnswer,
  { apart: notice, joined }: { readonly apart: Message; readonly joined: Message },
  key: string,
  ending?: string,
): Promise<MessageAddress> {
  const { message: _, ...address } = last;
  // An earlier try got through; only its response was lost.
  if (joined.text && answer.lastText.trimEnd().endsWith(joined.text.trimEnd())) return last;
  const text = below(answer, joined);
  // A message below would come twice where nobody recognises it after this process died, too; an edit can be repeated.
  const isBelow = answer.kind === 'growing' && adapter.postsOnce(last);
  const mayJoin = !isBelow && !answer.isLossy;
  // A live answer without text shows only why it's slow: the notice replaces that.
  const joins = answer.lastText === '' || (mayJoin && (await fits(adapter, last, text)));
  if (answer.kind === 'said' && !joins) return adapter.post(address, notice, key);
  // Otherwise the text stays with its ending, but its stop button is removed.
  const ended = async () => {
    const isEnded = ending === undefined || answer.lastText.trimEnd().endsWith(ending);
    return isEnded ? answer.lastText : textEnding(adapter, last, answer.lastText, ending);
  };
  try {
    await adapter.edit(last, joins ? { ...notice, text } : { text: await ended() });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === 'gone' || refusal === 'expired') return adapter.post(address, { ...notice, text }, key);
    if (refusal !== 'refused' && refusal !== 'moderated') throw error;
    return adapter.post(address, joined, key);
  }
  return joins ? last : adapter.post(address, notice, key);
}

function withMark(text = '', mark?: string): string {
  return [text, mark].filter(Boolean).join('\n\n');
}

function below({ lastText }: RecordedAnswer, { text }: Message): string {
  return [lastText, text].filter(Boolean).join('\n\n');
}

async function fits(adapter: PlatformAdapter, message: MessageAddress, text: string): Promise<boolean> {
  const { maxLength, length } = await adapter.messageLimits(message);
  return (length?.(text) ?? text.length) <= maxLength;
}

/** What takes the place of a command's placeholder: below what was asked for, as that stood there. */
export function belowAbout(command: Pick<Command, 'about'> | undefined, job: Job, message: Message): Message {
  const { text = '', unquoted = text, whose } = message;
  const about = command?.about?.(job);
  if (about === undefined) return message;
  return {
    ...message,
    text: `${about}\n${text}`,
    unquoted,
    ...(whose && { whose: { ...whose, text: '' } }),
  };
}
