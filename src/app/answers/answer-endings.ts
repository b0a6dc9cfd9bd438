import { actionId, type Button, type ButtonAmount, type CommandEnd, type Job } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import { TruncatedStreamError } from '../../service/index.ts';
import type { Words } from '../../words/index.ts';
import { endOf, explain } from '../faults/explain.ts';
import type { Reader } from '../policy/budgets.ts';
import { removeButton, shareButtons } from '../result-buttons.ts';

/** How an answer ends by the service's `finish_reason`. */
export function endingByReason(finishReason: string | undefined, say: Words): Ending {
  if (finishReason === 'length') return { kind: 'done', note: say.endings.tooLong };
  if (finishReason === 'content_filter') return { kind: 'done', note: say.endings.filtered };
  return { kind: 'done' };
}

/** How an answer ends of which people can read a part when its process ends: they can go on from there. */
export function interruptedEnding({ endings }: Words): Ending {
  return { kind: 'interrupted', note: endings.interrupted };
}

/** How an answer ends by an error, of which nothing is kept. What was written stays where people read it. */
export function endingByError(
  error: unknown,
  aborted: { readonly byPerson: boolean; readonly byShutdown: boolean },
  say: Words,
  reader: Reader,
): Ending {
  if (aborted.byPerson) return { kind: 'stopped', note: say.endings.stopped };
  if (aborted.byShutdown) return { kind: 'failed', note: say.endings.interrupted };
  if (error instanceof TruncatedStreamError) return { kind: 'failed', note: say.endings.cutOff };
  return { kind: 'failed', note: `⚠️ ${explain(error, say, reader)}` };
}

/** How the command of an answer ended by an error, for those who run the bot. */
export function endByError(
  error: unknown,
  aborted: { readonly byPerson: boolean; readonly byShutdown: boolean },
): CommandEnd {
  if (aborted.byPerson) return { outcome: 'canceled' };
  return aborted.byShutdown ? { outcome: 'interrupted' } : endOf(error);
}

/** Whether a message only says that there’s no word of the answer yet, or why. */
export function isWaitingHint(shown: string, { thinking, waitingTurn, waitingPlace }: Words): boolean {
  const bare = (text: string) => text.replace(/\d+/gu, '').trim();
  return [thinking, waitingTurn, waitingPlace(1)].some((hint) => bare(shown).endsWith(bare(hint)));
}

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
