import type { CommandEnd } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import { TruncatedStreamError } from '../../service/index.ts';
import type { Words } from '../../words/index.ts';
import type { Reader } from '../faults/budget-sentences.ts';
import { endOf } from '../faults/end-of.ts';
import { explain } from '../faults/explain.ts';

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
