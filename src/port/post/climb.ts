import { type Clock, untilDone, type Waits } from '../../lib/clock.ts';
import { isLocal, type LocalFaults, onNewError } from '../../lib/local-faults.ts';
import type { MessageAddress, PlatformName } from '../address.ts';
import { isPrivate, type Job } from '../commands/command.ts';
import type { Message } from '../commands/message.ts';
import {
  type Attempt,
  type Door,
  type FormName,
  nextRung,
  type OnPosted,
  type Parcel,
  type Rung,
  withDeleteOnly,
} from './ladder.ts';
import type { PlatformAdapter } from './platform-adapter.ts';
import {
  isAccessLostForGood,
  PlatformError,
  type PlatformErrorKind,
  type RefusalKind,
  refusalOf,
} from './platform-error.ts';

/** Makes a message for a door, which refused other forms before; or throws the refusal that's to be expected there. */
export type MakeForm = (door: Door, refused: readonly Attempt[]) => Message | Promise<Message>;

/** Something to bring to people, in each form that may be tried. */
export interface Outgoing extends Omit<Parcel, 'forms'> {
  /** The ways to its people, best first. @throws {PlatformError} `unreachable` while the platform isn't running. */
  doors(): readonly Door[] | Promise<readonly Door[]>;
  /** Best first. */
  readonly forms: ReadonlyMap<FormName, MakeForm>;
  /** The same for the same message, which is posted once. */
  key(rung: Rung): string;
  /** Stands above it in direct messages: why it isn't where it was asked for. */
  readonly sentDirectly?: ((why: RefusalKind | undefined) => string) | undefined;
  /** Refusals of an earlier try, or what's known to have been deleted. */
  readonly tried?: readonly Attempt[];
  readonly onPosted?: OnPosted;
  /** Told of every refusal. */
  readonly refused?: (refusal: PlatformError, rung: Rung) => void;
}

/** Where something was posted. */
export interface Landed {
  readonly at: MessageAddress;
  readonly door: Door;
  /** The first refusal: why it isn't where it was to be. */
  readonly why: RefusalKind | undefined;
}

/** Does a step of the work, perhaps again and again. */
export type Run = <T>(name: string, work: () => Promise<T>) => Promise<T>;

const once: Run = (_, work) => work();

/**
 * Brings something to people by the first door, in the best form, that takes it. What was begun before comes first, or
 * it could be posted twice.
 * @throws {PlatformError} the last refusal if nothing takes it.
 */
export async function climb(outgoing: Outgoing, run: Run = once): Promise<Landed> {
  const { forms, key, sentDirectly, onPosted, refused } = outgoing;
  const doors = await run('doors', async () => outgoing.doors());
  const parcel = { ...outgoing, forms: [...forms.keys()] };
  const tried: Attempt[] = [...(outgoing.tried ?? [])];
  let why = tried[0]?.refusal;
  let last: unknown = new PlatformError(tried.at(-1)?.refusal ?? 'refused');
  const attempt = async (rung: Rung): Promise<Landed | undefined> => {
    const door = doors.find(({ name }) => name === rung.door);
    const make = forms.get(rung.form);
    if (!door || !make) throw new Error(`there is no ${rung.door} for ${rung.form}`);
    const put = async () => {
      const refusedHere = tried.filter((attempt) => attempt.door === door.name);
      const message = await make(door, refusedHere);
      const content = door.name === 'direct' ? addressed(message, why, sentDirectly) : message;
      return door.put(content, key(rung), onPosted);
    };
    try {
      return { at: await run(`${rung.door}-${rung.form}`, put), door, why };
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      tried.push({ ...rung, refusal });
      last = error;
      return undefined;
    }
  };
  for (const rung of await begun(outgoing, doors, run)) {
    const landed = await attempt(rung);
    if (landed) return landed;
  }
  for (let rung = nextRung(parcel, doors, tried); rung; rung = nextRung(parcel, doors, tried)) {
    const landed = await attempt(rung);
    if (landed) return landed;
    if (last instanceof PlatformError) refused?.(last, rung);
    why ??= refusalOf(last);
  }
  throw last;
}

/** The rungs that were begun before, one of each key. */
async function begun({ forms, key }: Outgoing, doors: readonly Door[], run: Run): Promise<readonly Rung[]> {
  const rungs: Rung[] = [];
  for (const door of doors) {
    const { isBegun } = door;
    if (!isBegun) continue;
    const byKey = new Map<string, Rung>();
    for (const form of forms.keys()) {
      const rung = { door: door.name, form };
      if (!byKey.has(key(rung))) byKey.set(key(rung), rung);
    }
    for (const [each, rung] of byKey) {
      const isIt = await run(`${rung.door}-${rung.form}`, () => isBegun.call(door, each)).catch((error) => {
        // What can't be looked up counts as not begun.
        if (!refusalOf(error)) throw error;
        return false;
      });
      if (isIt) rungs.push(rung);
    }
  }
  return rungs;
}

/** A message as it comes directly, where nobody has to be notified. */
function addressed(
  { mentions: _, directly, ...message }: Message,
  why: RefusalKind | undefined,
  sentDirectly: Outgoing['sentDirectly'],
): Message {
  const { text, unquoted } = message;
  if (directly !== undefined) return { ...message, text: directly };
  const note = sentDirectly?.(why);
  if (note === undefined) return message;
  const below = (words: string | undefined) => [note, words].filter(Boolean).join('\n\n');
  return { ...message, text: below(text), ...(unquoted !== undefined && { unquoted: below(unquoted) }) };
}

export interface Persistence {
  /** Name of the work, for `/readyz` and the log. */
  readonly work: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly troubles: LocalFaults;
  readonly log: { warn(data: object, message: string): void };
}

/** Delays between attempts while a platform is unreachable, in milliseconds. */
const waits: Waits = { first: 5_000, longest: 300_000 };
/** The same while this machine or the database has a fault: asking them again costs little, and nobody else anything. */
const localWaits: Waits = { first: 2_000, longest: 15_000 };
/** An unexpected error may be temporary: after this many attempts it counts as a refusal. */
const triesOfUnexpected = 3;

/**
 * Retries each step for as long as its platform is unreachable, a disk full or the database locked; a workspace that lost
 * the bot for a month. Rejects with a refusal, with access lost for good, or with the signal's reason.
 */
export function persistently({ work: about, clock, signal, troubles, log }: Persistence): Run {
  const byError = (error: unknown) => (isLocal(error) ? localWaits : waits);
  return async (name, work) => {
    let unexpected = 0;
    const logIfNew = onNewError((error) =>
      log.warn({ work: about, rung: name, error }, 'a result could not be posted yet'),
    );
    const failed = (error: unknown) => {
      if (isAccessLostForGood(error)) throw error;
      if (isLocal(error)) troubles.note(about, error);
      else if (refusalOf(error)) throw error;
      else if (!(error instanceof PlatformError) && ++unexpected >= triesOfUnexpected)
        throw new PlatformError('refused', undefined, { cause: error });
      logIfNew(error);
    };
    try {
      return await untilDone(work, { clock, waits: byError, signal, failed });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ work: about, rung: name, error }, 'a result was refused');
      throw error;
    } finally {
      troubles.clear(about);
    }
  };
}

/** When a pending result counts as late, in milliseconds of running time. */
const lateAfter = 15 * 60_000;

/** Texts of the notice that a result is late. */
export interface LateNotice {
  /** For the channel where the result will appear. */
  readonly here: string;
  /** For the requester's direct messages, if the channel accepts no messages. */
  readonly directly: string;
}

export interface LateNoticeOptions {
  readonly job: Job;
  /** The ways to its people. @throws {PlatformError} `unreachable` while the platform isn't running. */
  readonly doors: () => readonly Door[];
  readonly adapters: (platform: PlatformName) => Pick<PlatformAdapter, 'remove'> | undefined;
  readonly say: LateNotice;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Waits for a result to be posted, and notifies the requester, once for each job, if that takes long. The notice goes once that's
 * over.
 */
export function withLateNotice<T>(work: Promise<T>, options: LateNoticeOptions): Promise<T> {
  const { adapters, clock, log } = options;
  const failed = onNewError((error) =>
    log.warn({ error }, "couldn't notify the requester that a result is late"),
  );
  let isOver = false;
  let cancel = () => {};
  let notice: Promise<Landed | void> | undefined;
  const watch = () => {
    cancel = clock.after(lateAfter, () => {
      notice = postLateNotice(options).catch((error: unknown) => {
        failed(error);
        // If the platform is unreachable, retry later; a refusal is final.
        if (!refusalOf(error) && !isOver) watch();
      });
    });
  };
  watch();
  const takeBack = async () => {
    const told = (await notice)?.at ?? (await earlierNotice(options));
    if (told) await adapters(told.platform)?.remove(told);
  };
  // A process that stops leaves it: the next one goes on.
  const end = work.then(takeBack, async (error: unknown) => refusalOf(error) && takeBack());
  end.catch((error: unknown) => log.warn({ error }, 'it still says that a result is late'));
  return work.finally(() => {
    isOver = true;
    cancel();
  });
}

/** The notice of a process that died, or whose response was lost. */
async function earlierNotice({ job, clock, doors }: LateNoticeOptions): Promise<MessageAddress | undefined> {
  if (clock.now() - job.createdAt < lateAfter) return undefined;
  for (const door of doors()) {
    const found = await door.find?.(lateKey(job));
    if (found) return found;
  }
  return undefined;
}

const lateKey = ({ id }: Pick<Job, 'id'>) => `${id}:late-word`;

/** Posts that a result is late: where it will be, or only to the requester if only they may know. */
async function postLateNotice({ job, doors, say }: LateNoticeOptions): Promise<Landed> {
  const { here: text, directly } = say;
  const isAlone = isPrivate(job);
  return climb({
    audience: isAlone ? 'requester' : 'place',
    isPaid: false,
    doors: () => doors().filter(({ name }) => (isAlone ? name === 'direct' : name !== 'edit')),
    forms: new Map([
      ['whole', () => (isAlone ? { text } : { text, directly, mentions: [job.requester.id] })],
    ]),
    key: () => lateKey(job),
  });
}

/** How long a result that neither its place nor its requester could be sent is kept for them, in milliseconds. */
const keptFor = 7 * 86_400_000;
/** Between attempts to post it, in milliseconds. */
export const heldRetry = 3_600_000;
/**
 * The last way, direct messages, is closed: they may be opened, the place may take it again, and the requester can fetch it
 * with `/renders`.
 */
const unreachedKinds: readonly PlatformErrorKind[] = ['expired', 'no-permission', 'not-a-member', 'gone'];

/**
 * Whether a result can reach only its requester in the end: it's private, its place closes after a while, or it was deleted
 * there.
 */
export function endsWithRequester(
  job: Pick<Job, 'options' | 'address' | 'deleted'>,
  adapter: Pick<PlatformAdapter, 'closesAt'> | undefined,
): boolean {
  if (isPrivate(job) || job.deleted !== undefined) return true;
  return adapter?.closesAt({ ...job.address, message: '' }) !== undefined;
}

/** Whether a result that was refused everywhere, at last so, waits until its requester fetches it or people can be reached. */
export function isHeld(
  { createdAt }: Pick<Job, 'createdAt'>,
  refusal: PlatformErrorKind,
  now: number,
): boolean {
  return unreachedKinds.includes(refusal) && now - createdAt < keptFor;
}

/** A held result as its requester fetches it: other buttons than *Delete* work only under what nobody else was to see. */
export function fetched({ mentions: _, ...message }: Message, isTheirs: boolean): Message {
  return isTheirs ? message : withDeleteOnly(message);
}
