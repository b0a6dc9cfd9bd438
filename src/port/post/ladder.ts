import type { RefusalKind } from './platform-error.ts';

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

/** Whether a door was refused so behind which the same people read. */
function wasRefused(
  refusal: RefusalKind,
  seenBy: Way['seenBy'],
  doors: readonly Way[],
  tried: readonly Attempt[],
): boolean {
  return tried.some(
    (attempt) =>
      attempt.refusal === refusal &&
      doors.some((door) => door.name === attempt.door && door.seenBy === seenBy),
  );
}
