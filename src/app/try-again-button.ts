import { actionId, type Button, type Job } from '../port/index.ts';
import type { Words } from '../words/index.ts';

/** *Try again*, under what failed; `action` is what that means for its command. */
export function tryAgainButton(
  { command, id }: Pick<Job, 'command' | 'id'>,
  say: Words,
  action = 'again',
): Button {
  return { id: actionId(command, action, id), label: say.tryAgain };
}
