import { actionId, type Button, isPrivate, type Job } from '../port/index.ts';
import type { Words } from '../words/index.ts';

/** The id of the button that shares a job's answer. */
export function shareId({ command, id }: Pick<Job, 'command' | 'id'>): string {
  return actionId(command, 'share', id);
}

/** *Share here* under a private answer; none under others, or where nobody else could see it. */
export function shareButtons(job: Job, say: Words): readonly Button[] {
  const { direct, unseen } = job.requester;
  return isPrivate(job) && !direct && !unseen ? [{ id: shareId(job), label: say.sharing.share }] : [];
}
