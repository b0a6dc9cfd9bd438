import type { Asked } from './asked.ts';
import type { CommandAbout, Job } from './command.ts';
import { isPrivate } from './private.ts';

/** Whose command a job is, by its definition. */
export function askedIn(
  { requester, command, options }: Pick<Job, 'requester' | 'command' | 'options'>,
  definition: Partial<Pick<CommandAbout, 'textOption' | 'seenBy'>> | undefined,
): Asked {
  const isAlone = isPrivate({ options }) || definition?.seenBy === 'requester';
  const text = String(options[definition?.textOption ?? ''] ?? '');
  return { requester: isAlone ? { locale: requester.locale } : requester, command, options, text };
}
