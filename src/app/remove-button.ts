import { actionId, type Button, type Job } from '../port/index.ts';
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
