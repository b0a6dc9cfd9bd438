import { actionId, type Button, type ButtonAmount, type Job } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import type { Words } from '../../words/index.ts';
import { removeButton, shareButtons } from '../result-buttons.ts';

/**
 * The buttons of a chat answer: while it's being written (no ending yet), and by how it ended. `amount` is for those that
 * can be left out: what's under way can always be stopped, what was interrupted be continued or tried again, what failed be
 * tried again, and everything be deleted.
 */
export function answerButtons(
  job: Job,
  ending: Ending | undefined,
  say: Words,
  amount: ButtonAmount,
): readonly Button[] {
  const button = (action: string, label: string): Button => ({ id: actionId('ask', action, job.id), label });
  if (!ending) return [{ ...button('stop', say.stop), style: 'danger' }];
  const remove = removeButton(job, say);
  const isBroken = ending.kind === 'failed' || ending.kind === 'interrupted';
  const again = button('regenerate', isBroken ? say.tryAgain : say.regenerate);
  if (ending.kind === 'failed') return [again, remove];
  const goOn = button('continue', say.continue);
  if (amount === 'none') return ending.kind === 'interrupted' ? [again, goOn, remove] : [remove];
  const isComplete = ending.kind === 'done' && !ending.note;
  const share = shareButtons(job, say);
  const most = [button('reply', say.reply), again, ...(isComplete ? [] : [goOn])];
  if (amount === 'few') return [...most, ...share, remove];
  const inSecondRow = [
    ...share,
    { ...button('good', '👍'), description: say.feedback.good, vote: 'good' as const },
    { ...button('bad', '👎'), description: say.feedback.bad, vote: 'bad' as const },
  ];
  return [
    ...most,
    button('listen', say.listen),
    // Five stand in a row: what isn't complete yet is rather continued than drawn.
    ...(isComplete ? [button('draw', say.drawIt)] : []),
    remove,
    ...inSecondRow.map((one) => ({ ...one, row: 1 })),
  ];
}
