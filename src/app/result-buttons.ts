import { actionId, type Button, isPrivate, type Job } from '../port/index.ts';
import type { Words } from '../words/index.ts';

/** *Delete*, under everything the bot made. */
export function removeButton({ command, id }: Pick<Job, 'command' | 'id'>, say: Words): Button {
  return {
    id: actionId(command, 'remove', id),
    label: say.remove,
    style: 'danger',
    confirm: say.confirmRemove,
  };
}

/** *Try again*, under what failed; `action` is what that means for its command. */
export function tryAgainButton(
  { command, id }: Pick<Job, 'command' | 'id'>,
  say: Words,
  action = 'again',
): Button {
  return { id: actionId(command, action, id), label: say.tryAgain };
}

/** The id of the button that shares a job's answer. */
export function shareId({ command, id }: Pick<Job, 'command' | 'id'>): string {
  return actionId(command, 'share', id);
}

/** *Share here* under a private answer; none under others, or where nobody else could see it. */
export function shareButtons(job: Job, say: Words): readonly Button[] {
  const { direct, unseen } = job.requester;
  return isPrivate(job) && !direct && !unseen ? [{ id: shareId(job), label: say.sharing.share }] : [];
}

/** Which version of several is shown, from 1. */
export interface PageNumber {
  readonly number: number;
  readonly count: number;
}

/** Pages through the versions of a result in one message, if there are several: actions of the job's command. */
export function pageButtons(
  { command, id }: Pick<Job, 'command' | 'id'>,
  { number, count }: PageNumber,
): readonly Button[] {
  if (count < 2) return [];
  const button = (action: string, label: string) => ({ id: actionId(command, action, id), label, row: 1 });
  return [button('previous', '‹'), button('newest', `${number}/${count}`), button('next', '›')];
}
