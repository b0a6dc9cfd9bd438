import type { Job } from '../../port/index.ts';
import type { Ending } from '../../reply/index.ts';
import { withoutMachineNotes } from '../../words/machine-notes.ts';
import type { CommandDependencies } from '../define-command.ts';
import { placeOfBegun } from '../policy/conversation-of.ts';

/** An answer as far as it's known. */
export interface AnswerText {
  readonly text: string;
  /** How it ended, where that's known. */
  readonly ending?: Ending;
  /** It's what the message with the button says: perhaps the last part of a longer answer. */
  readonly isShownPart: boolean;
}

/**
 * The text of an answer: from its conversation or its versions, or what its message says (`shown`) once the conversation has been reset or
 * forgotten. Undefined if neither has it.
 */
export async function answerText(
  job: Job,
  shown: string | undefined,
  { conversations, placeSettings, answerVersions }: CommandDependencies,
): Promise<AnswerText | undefined> {
  const settings = await placeSettings.at(job.address);
  const { conversation } = await placeOfBegun(job, settings, { conversations });
  const kept = await conversations.answerTo(conversation, job.id);
  if (kept) return { ...kept, isShownPart: false };
  const text = await answerVersions.textOf(job.id);
  if (text !== undefined) return { text, isShownPart: false };
  return shown?.trim() ? { text: withoutMachineNotes(shown), isShownPart: true } : undefined;
}
