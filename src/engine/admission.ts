import type { EndReason } from '../lib/telemetry.ts';
import type { EffectiveSettings } from '../place-settings/index.ts';
import {
  type AnyValues,
  type Caller,
  canBePrivate,
  isPrivate,
  type OptionFault,
  type PreparedRequest,
  seenBy,
} from '../port/index.ts';
import { type Words, words } from '../words/index.ts';
import type { Action, Command } from './command.ts';

/** The verdict of a place's rules on a command. */
export type Verdict =
  | {
      readonly kind: 'refused';
      /** Why, and what to do. */
      readonly text: string;
      /** For those who run the bot; `rules` by default. */
      readonly reason?: EndReason;
      /** The same was said here a moment ago: if no answer is owed, it isn't repeated. */
      readonly repeated?: true;
    }
  | {
      readonly kind: 'allowed';
      /** The values given, and what the place has chosen for those that were not. */
      readonly values: AnyValues;
      /** What the place has chosen, as the rules read it: the command runs with the same. */
      readonly settings: EffectiveSettings;
      /** What the requester is asked first; the command waits for their yes. */
      readonly question?: string;
      /** Those values that say what the question promises. */
      readonly promised?: AnyValues;
      /** What it costs, in credits as people read them; absent where that's nothing. */
      readonly cost?: string;
    };

/** The decision of the rules about a command that may run. */
export type Admitted = Extract<Verdict, { readonly kind: 'allowed' }>;
/** Why the rules refused a command. */
export type Refusal = Extract<Verdict, { readonly kind: 'refused' }>;

/** Judges a command before it runs. Nothing is spent by it; quick enough for a platform's three seconds. */
export type CommandRules = (command: Command, values: AnyValues, caller: Caller) => Promise<Verdict>;

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

/** The refusal of a command whose options are wrong: the sentence about them, and the faults themselves. */
export function refusedFor(
  command: string,
  faults: readonly OptionFault[],
  say: Words,
): PreparedRequest & { readonly kind: 'refused' } {
  return { kind: 'refused', text: say.faults(command, faults), faults, reason: 'options' };
}
