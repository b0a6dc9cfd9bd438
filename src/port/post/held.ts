import type { Job } from '../commands/command.ts';
import { isPrivate } from '../commands/private.ts';
import type { PlatformAdapter } from './platform-adapter.ts';
import type { PlatformErrorKind } from './platform-error.ts';

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
