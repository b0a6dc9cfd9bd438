import type { PressRequest } from './dispatcher-dependencies.ts';

/** Whether an answer takes the place of a press's acknowledgement, by who sees it. */
export function settlesPress(
  { settledBy = 'anyone' }: Pick<PressRequest, 'settledBy'>,
  seenBy: 'channel' | 'requester',
): boolean {
  return settledBy === 'anyone' || seenBy === 'requester';
}
