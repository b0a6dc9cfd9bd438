import { actionId, type Button, type Job } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import type { Words } from '../../words/index.ts';
import { shareButtons } from '../share-button.ts';

/** The buttons of a chat answer: while it's being written (no ending yet), and by how it ended. */
export function answerButtons(job: Job, ending: Ending | undefined, say: Words): readonly Button[] {
  const button = (action: string, label: string): Button => ({ id: actionId('ask', action, job.id), label });
  if (!ending) return [{ ...button('stop', say.stop), style: 'danger' }];
  if (ending.kind === 'failed') return [button('regenerate', say.tryAgain)];
  const isComplete = ending.kind === 'done' && !ending.note;
  return [
    button('regenerate', say.regenerate),
    ...(isComplete ? [] : [button('continue', say.continue)]),
    button('listen', say.listen),
    // Five stand comfortably in a row: what isn't complete yet is rather continued than drawn.
    ...(isComplete ? [button('draw', say.drawIt)] : []),
    { ...button('good', '👍'), description: say.feedback.good, vote: 'good' },
    { ...button('bad', '👎'), description: say.feedback.bad, vote: 'bad' },
    ...shareButtons(job, say),
  ];
}
