import { createHash } from 'node:crypto';
import type { MessageAddress } from '../address.ts';
import { type Job, parseActionId } from '../commands/command.ts';
import type { Button, Message, OutgoingFile } from '../commands/message.ts';
import { PlatformError, type RefusalKind, refusalOf } from './platform-error.ts';

/** A way to people. */
export type DoorName =
  /** Into messages that stand there already: an announcement, the beginning of an answer. */
  | 'edit'
  /** A new message where it was asked for, as the bot. */
  | 'here'
  /** The same by what the command left: an interaction's token, a `response_url`. */
  | 'token'
  /** Where it was asked for, seen by the requester alone. */
  | 'aside'
  /** The requester's direct messages. */
  | 'direct';

/** A form of one message. */
export type FormName = keyof typeof formRules;

interface FormRule {
  /** The refusals of another form after which this one may be taken. */
  readonly cures: readonly RefusalKind[];
  /** It shows people's or a model's words, which moderation may have blocked. */
  readonly hasWords: boolean;
}

/** Refusals of a file that another file of the same may avoid. */
const ofFile = ['file-not-allowed', 'too-large'] as const;

const formRules = {
  whole: { cures: [], hasWords: true },
  mp3: { cures: ofFile, hasWords: true },
  opus: { cures: ofFile, hasWords: true },
  wav: { cures: ofFile, hasWords: true },
  /** That the file is too large, and where else it is. */
  'too-large': { cures: ['too-large'], hasWords: true },
  /** Where the file is, without it. */
  link: { cures: ['refused', 'no-permission', 'file-not-allowed'], hasWords: true },
  /** Without buttons. */
  plain: { cures: ['refused'], hasWords: true },
  /** The words as a file. */
  file: { cures: ['refused'], hasWords: true },
  /** Without buttons and without anybody's words. */
  bare: { cures: ['refused', 'moderated'], hasWords: false },
} as const satisfies Record<string, FormRule>;

/** A way to people, and who reads what comes that way. */
export interface Way {
  readonly name: DoorName;
  readonly seenBy: 'place' | 'requester';
}

/** Something that has to reach people. */
export interface Parcel {
  /** Who is to read it: `anyone` where its requester alone is better than nobody. */
  readonly audience: 'place' | 'requester' | 'anyone';
  /** Whether it was paid for. What's free isn't brought to people in another place than theirs. */
  readonly isPaid: boolean;
  /** Best first. */
  readonly forms: readonly FormName[];
}

export interface Rung {
  readonly door: DoorName;
  readonly form: FormName;
}

/** A rung that was refused, and why. */
export interface Attempt extends Rung {
  readonly refusal: RefusalKind;
}

/**
 * What to try next; undefined if nothing is left. A refusal leads to the next form that cures it, otherwise to the next
 * door: no form cures that a place is closed. What moderation blocked isn't shown there in other forms with the same
 * words. If somebody deleted the message, nothing comes back to that place: what was paid for goes to its requester.
 */
export function nextRung(parcel: Parcel, doors: readonly Way[], tried: readonly Attempt[]): Rung | undefined {
  for (const { name, seenBy } of openDoors(parcel, doors, tried)) {
    const here = tried.filter(({ door }) => door === name);
    const last = here.at(-1)?.refusal;
    const wasModerated = wasRefused('moderated', seenBy, doors, tried);
    const form = parcel.forms.find((each) => {
      const { cures, hasWords }: FormRule = formRules[each];
      if (here.some((attempt) => attempt.form === each) || (wasModerated && hasWords)) return false;
      return last === undefined || cures.includes(last);
    });
    if (form) return { door: name, form };
  }
  return undefined;
}

function openDoors(
  { audience, isPaid }: Parcel,
  doors: readonly Way[],
  tried: readonly Attempt[],
): readonly Way[] {
  const alone = doors.filter(({ seenBy }) => seenBy === 'requester');
  const wasDeleted = wasRefused('deleted', 'place', doors, tried);
  if (wasDeleted && !isPaid) return [];
  if (wasDeleted || audience === 'requester') return alone;
  // What only the requester sees, and Discord and Slack forget, is no result for a place, and the last resort for anyone.
  const others = doors.filter(({ name }) => name !== 'aside');
  return audience === 'place' ? others : [...others, ...doors.filter(({ name }) => name === 'aside')];
}

/** Whether a door was refused so behind which the same people read. One that isn't among the doors is the place's. */
function wasRefused(
  refusal: RefusalKind,
  seenBy: Way['seenBy'],
  doors: readonly Way[],
  tried: readonly Attempt[],
): boolean {
  const seen = new Map(doors.map((door) => [door.name, door.seenBy]));
  return tried.some(
    (attempt) => attempt.refusal === refusal && (seen.get(attempt.door) ?? 'place') === seenBy,
  );
}

/** Told of each message that something takes, once that's there and before the next is posted: none is if this rejects. */
export type OnPosted = (message: MessageAddress) => Promise<void>;

/** A way to people, as their platform opens it. */
export interface Door extends Way {
  /** Posts a message, once for each key. */
  put(message: Message, key: string, onPosted?: OnPosted): Promise<MessageAddress>;
  /** Whether posting under this key was begun, in this process or an earlier one: it may be there. No if absent. */
  isBegun?(key: string): Promise<boolean>;
  /** What was posted under this key, in this process or an earlier one, as far as it can be found. */
  find?(key: string): Promise<MessageAddress | undefined>;
  /** The largest file of a kind that it takes, in bytes. */
  maxFileBytes(kind: OutgoingFile['kind']): Promise<number>;
}

/** A door where something is done before each try; nothing is put where that rejects. */
function doorAfter(door: Door, first: () => Promise<unknown>): Door {
  const put: Door['put'] = async (...content) => {
    await first();
    return door.put(...content);
  };
  return { ...door, put };
}

/**
 * The doors of a job whose acknowledgement may be the message of its question: nothing comes in there before that's closed,
 * which would otherwise take its place.
 */
export function afterQuestion(
  doors: readonly Door[],
  closeQuestion: () => Promise<void> = async () => {},
): readonly Door[] {
  const isOfQuestion = ({ name }: Door) => name === 'token' || name === 'aside';
  return doors.map((door) => (isOfQuestion(door) ? doorAfter(door, closeQuestion) : door));
}

/** *Delete* among a message's buttons. */
export function deleteButtons(buttons: readonly Button[] = []): readonly Button[] {
  return buttons.filter(({ id }) => parseActionId(id)?.action === 'remove');
}

/** A message as its requester alone gets it where it was deleted: other buttons of what was deleted do nothing. */
export function withDeleteOnly(message: Message): Message {
  return message.buttons ? { ...message, buttons: deleteButtons(message.buttons) } : message;
}

/** A door behind which its requester alone gets what was deleted: theirs to delete, and to nobody else. */
export function doorForDeleted(door: Door): Door {
  const kept = (at: MessageAddress): MessageAddress => ({ ...at, isKept: true });
  const put: Door['put'] = async (message, key, onPosted) =>
    kept(await door.put(withDeleteOnly(message), key, onPosted && ((at) => onPosted(kept(at)))));
  return { ...door, put };
}

/** A door of what somebody may delete while it waits, as `deleted` tells: that's asked at each try, and nothing comes then. */
export function unlessDeleted(door: Door, deleted: () => Promise<Job['deleted']>): Door {
  return doorAfter(door, async () => {
    if (await deleted()) throw new PlatformError('deleted');
  });
}

/**
 * Doors of what was held: before it comes to its place, the question is read there by `read`, which rejects if it can't be.
 * Its requester gets it also where that can't be read.
 */
export function onceQuestionRead(doors: readonly Door[], read: () => Promise<void>): readonly Door[] {
  let isRead = false;
  const readOnce = async () => {
    if (!isRead) await read();
    isRead = true;
  };
  const readIfPossible = () => readOnce().catch(() => {});
  return doors.map((door) => doorAfter(door, door.seenBy === 'requester' ? readIfPossible : readOnce));
}

/** Doors where somebody has deleted what stood in its place, or a door is the first to find that. */
export function doorsUnlessDeleted(doors: readonly Door[], isDeleted: boolean): readonly Door[] {
  let isGone = isDeleted;
  return doors.map((door) => {
    if (door.seenBy === 'requester') {
      const put: Door['put'] = (...content) => (isGone ? doorForDeleted(door) : door).put(...content);
      return { ...door, put };
    }
    const put: Door['put'] = async (...content) => {
      try {
        return await door.put(...content);
      } catch (error) {
        isGone ||= refusalOf(error) === 'deleted';
        throw error;
      }
    };
    return { ...door, put };
  });
}

/**
 * Key of one of an event's answer messages, 0 for the first; for platforms that find messages by key. A late delivery
 * reuses the first key; notices have a {@link noticeKey}.
 */
export function answerKey(eventId: string, index: number): string {
  return `${eventId}:${index}`;
}

/** Key of the file with the whole of an event's answer, where that's too long for its place. */
export function wholeKey(eventId: string): string {
  return `${eventId}:whole`;
}

/** Key of a notice that accompanies an event's answer; the same text is posted once. */
export function noticeKey(eventId: string, word = ''): string {
  return `${eventId}:aside:${createHash('sha256').update(word).digest('base64url').slice(0, 16)}`;
}

/**
 * Key of an answer message sent directly because the channel doesn't accept it. The answer and its late delivery
 * share this key, so that it is posted once.
 */
export function directKey(eventId: string, index = 0): string {
  return `${eventId}:direct:${index}`;
}
