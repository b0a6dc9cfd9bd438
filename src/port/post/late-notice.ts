import type { Clock } from '../../lib/clock.ts';
import type { Job } from '../commands/command.ts';
import { isPrivate } from '../commands/private.ts';
import { climb } from './climb.ts';
import type { Door } from './door.ts';
import type { PlatformAdapter } from './platform-adapter.ts';
import { onNewError, type PlatformErrorKind, refusalOf } from './platform-error.ts';

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
  readonly say: LateNotice;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Waits for a result to be posted, and notifies the requester, once for each job, if that takes long. */
export function withLateNotice<T>(work: Promise<T>, options: LateNoticeOptions): Promise<T> {
  const { clock, log } = options;
  const failed = onNewError((error) =>
    log.warn({ error }, "couldn't notify the requester that a result is late"),
  );
  let isOver = false;
  let cancel = () => {};
  const watch = () => {
    cancel = clock.after(lateAfter, () => {
      postLateNotice(options).catch((error: unknown) => {
        failed(error);
        // If the platform is unreachable, retry later; a refusal is final.
        if (!refusalOf(error) && !isOver) watch();
      });
    });
  };
  watch();
  return work.finally(() => {
    isOver = true;
    cancel();
  });
}

/** Posts that a result is late: where it will be, or to the requester alone if only they may know. */
async function postLateNotice({ job, doors, say }: LateNoticeOptions): Promise<void> {
  const { here: text, directly } = say;
  const isAlone = isPrivate(job);
  await climb({
    audience: isAlone ? 'requester' : 'place',
    isPaid: false,
    doors: () => doors().filter(({ name }) => (isAlone ? name === 'direct' : name !== 'edit')),
    forms: new Map([
      ['whole', () => (isAlone ? { text } : { text, directly, mentions: [job.requester.id] })],
    ]),
    key: () => `${job.id}:late-word`,
  });
}

/** How long a result that couldn't be sent to its requester is kept for them, in milliseconds. */
const keptFor = 7 * 86_400_000;
/** Between attempts to send it, in milliseconds. */
export const heldRetry = 3_600_000;
/** Direct messages are closed: they may be opened, and the requester can fetch it with `/renders`. */
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

/** Whether such a result that was refused everywhere waits until its requester fetches it or can be reached. */
export function isHeld(
  job: Pick<Job, 'options' | 'address' | 'deleted' | 'createdAt'>,
  adapter: Pick<PlatformAdapter, 'closesAt'> | undefined,
  refusal: PlatformErrorKind,
  now: number,
): boolean {
  return endsWithRequester(job, adapter) && unreachedKinds.includes(refusal) && now - job.createdAt < keptFor;
}
