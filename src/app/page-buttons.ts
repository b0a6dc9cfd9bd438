import { actionId, type Button, type Job } from '../port/index.ts';

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
