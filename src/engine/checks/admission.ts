import { type AnyValues, type Caller, canBePrivate, isPrivate, seenBy } from '../../port/index.ts';
import { words } from '../../words/index.ts';
import type { Action, Command } from '../command.ts';
import type { CommandRules, Refusal, Verdict } from '../rules.ts';
import { refusedFor } from './faulty-options.ts';

/**
 * Whether a command may run: its values have to be as it reads them, the place has to allow what it posts, and the rules
 * have to agree. Who may not write there, or isn't seen, gets a private answer where the command has those.
 */
export async function admit(
  rules: CommandRules,
  command: Command,
  given: AnyValues,
  caller: Caller,
): Promise<Verdict> {
  const { readsOnly, unseen, locale } = caller.requester;
  const revived = command.revive(given);
  if ('faults' in revived) return refusedFor(command.name, revived.faults, words(locale));
  const { values } = revived;
  const isShown = seenBy(command, values) === 'channel';
  if (readsOnly && isShown && !canBePrivate(command)) return writingRefused(caller);
  const isAlone = (readsOnly || unseen) && isShown && canBePrivate(command);
  const verdict = await rules(command, isAlone ? { ...values, private: true } : values, caller);
  if (verdict.kind === 'refused') return verdict;
  const postsFiles = command.fileKind?.(verdict.values) ?? command.postsFiles;
  const posted = { ...(postsFiles && { postsFiles }) };
  return filesRefused(posted, caller, isPrivate({ options: verdict.values })) ?? verdict;
}

/** What somebody is told who may only read the place, and wants something posted there. */
export function writingRefused({ requester }: Caller): Refusal {
  return refused(words(requester.locale).readersOnly);
}

/**
 * A refusal where a command or a button posts files and the place takes none; undefined otherwise. What is private isn't
 * posted in the place, so a permission that the bot lacks there doesn't matter.
 */
export function filesRefused(
  { postsFiles }: Pick<Command, 'postsFiles'> | Pick<Action, 'postsFiles'>,
  { postingLimits, requester }: Caller,
  isPrivately = false,
): Refusal | undefined {
  if (!postsFiles) return undefined;
  const { files, fileKinds, shut, voiceMessages } = postingLimits ?? {};
  const isVoiceMessage = postsFiles === 'voice' && voiceMessages === true;
  const say = words(requester.locale);
  if (shut !== undefined) return refused(shut);
  if (files !== undefined && !isPrivately && !isVoiceMessage) return refused(say.filesNotAllowed(files));
  return fileKinds === undefined ? undefined : refused(say.fileKindsNotAllowed(fileKinds));
}

function refused(text: string): Refusal {
  return { kind: 'refused', text, reason: 'place' };
}
