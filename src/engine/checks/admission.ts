import {
  type Action,
  type AnyCommand,
  type AnyValues,
  type Caller,
  canBePrivate,
  isPrivate,
  seenBy,
} from '../../port/index.ts';
import type { DispatcherDependencies } from '../dispatcher-dependencies.ts';
import type { Refusal, Verdict } from '../rules.ts';

type Dependencies<P> = Pick<DispatcherDependencies<P>, 'rules' | 'words'>;

/**
 * Whether a command may run: the place has to allow what it posts, and the rules have to agree. Who may not write there, or
 * isn't seen, gets a private answer where the command has those.
 */
export async function admit<P>(
  dependencies: Dependencies<P>,
  command: AnyCommand<P>,
  values: AnyValues,
  caller: Caller,
): Promise<Verdict> {
  const { readsOnly, unseen } = caller.requester;
  const isShown = seenBy(command, values) === 'channel';
  if (readsOnly && isShown && !canBePrivate(command)) return writingRefused(dependencies, caller);
  const isAlone = (readsOnly || unseen) && isShown && canBePrivate(command);
  const verdict = await dependencies.rules(command, isAlone ? { ...values, private: true } : values, caller);
  if (verdict.kind === 'refused') return verdict;
  // The values were checked against this very command's definition, which is what its type says.
  const postsFiles = command.fileKind?.(verdict.values as never) ?? command.postsFiles;
  const posted = { ...(postsFiles && { postsFiles }) };
  return filesRefused(dependencies, posted, caller, isPrivate({ options: verdict.values })) ?? verdict;
}

/** What somebody is told who may only read the place, and wants something posted there. */
export function writingRefused<P>({ words }: Pick<Dependencies<P>, 'words'>, { requester }: Caller): Refusal {
  return refused(words(requester.locale).readersOnly);
}

/**
 * A refusal where a command or a button posts files and the place takes none; undefined otherwise. What is private isn't
 * posted in the place, so a permission that the bot lacks there doesn't matter.
 */
export function filesRefused<P>(
  { words }: Pick<Dependencies<P>, 'words'>,
  { postsFiles }: Pick<AnyCommand<P>, 'postsFiles'> | Pick<Action<P>, 'postsFiles'>,
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
