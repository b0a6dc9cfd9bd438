import type { Job } from '../commands/command.ts';
import { isPrivate } from '../commands/private.ts';
import type { PlatformErrorKind } from './platform-error.ts';

/** How long a private result that couldn't be sent is kept for its requester, in milliseconds. */
const keptFor = 7 * 86_400_000;
/** Between attempts to send it, in milliseconds. */
export const heldRetry = 3_600_000;
/** Direct messages are closed: they may be opened, and the requester can fetch it with `/renders`. */
const unreachedKinds: readonly PlatformErrorKind[] = ['expired', 'no-permission', 'not-a-member', 'gone'];

/** Whether a private result that was refused everywhere waits until its requester fetches it or can be reached. */
export function isHeld(
  job: Pick<Job, 'options' | 'createdAt'>,
  refusal: PlatformErrorKind,
  now: number,
): boolean {
  return isPrivate(job) && unreachedKinds.includes(refusal) && now - job.createdAt < keptFor;
}
