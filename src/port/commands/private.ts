import { type Address, channelKey } from '../address.ts';
import type { CommandAbout, Job, Person } from './command.ts';
import type { AnyValues, Asked, BooleanOption } from './option.ts';

/** The option with which only the requester sees what a command answers. */
export const privateOption = {
  type: 'boolean',
  description: { en: 'Only you see the answer', 'zh-CN': '只有你能看到回答' },
} as const satisfies BooleanOption;

type Visibility = Pick<CommandAbout, 'options' | 'seenBy'>;

/** Whether a command can be private: people choose it with its option `private`. */
export function canBePrivate({ options }: Pick<Visibility, 'options'>): boolean {
  return options.private?.type === 'boolean';
}

/** Who sees a command's answer, by its values after defaults are merged. */
export function seenBy(command: Visibility, values: AnyValues): 'channel' | 'requester' {
  return canBePrivate(command) && values.private === true ? 'requester' : command.seenBy;
}

/** Whether a command's answer tells what is nobody else's business. */
export function isConfidential(
  command: Visibility & Pick<CommandAbout, 'mayBeRead'>,
  values: AnyValues,
): boolean {
  return seenBy(command, values) === 'requester' && command.mayBeRead !== true;
}

/** Whether somebody asked for a private answer. It never reaches anybody else, in any form, however late it comes. */
export function isPrivate({ options }: Pick<Job, 'options'>): boolean {
  return options.private === true;
}

/** Where a command is answered: a private one at an address that reaches its requester alone. */
export function answerAddress(values: AnyValues, address: Address, requester: Pick<Person, 'id'>): Address {
  return isPrivate({ options: values }) ? { ...address, onlyFor: requester.id } : address;
}

/** Where a command that a button runs is given: a private one still where its answer was asked for. */
export function pressedAt(
  options: AnyValues,
  job: Pick<Job, 'options' | 'address'>,
  pressed: Address,
): Address {
  if (!isPrivate({ options }) || !isPrivate(job) || channelKey(pressed) === channelKey(job.address))
    return pressed;
  const { onlyFor: _, ...asked } = job.address;
  return asked;
}

/**
 * The options of a command that a button runs: seen by those who see the message with the button, and hidden until somebody
 * clicks it if the message's result is, unless the button itself decides.
 */
export function likeItsMessage(
  called: Visibility,
  options: AnyValues,
  of: { readonly command: Visibility; readonly job: Pick<Job, 'options'> },
): AnyValues {
  const decides = canBePrivate(called) && canBePrivate(of.command) && options.private === undefined;
  const hides =
    of.job.options.spoiler === true &&
    called.options.spoiler?.type === 'boolean' &&
    options.spoiler === undefined;
  return {
    ...options,
    ...(decides && { private: isPrivate(of.job) }),
    ...(hides && { spoiler: true }),
  };
}

/** Whose command a job is, by its definition. */
export function askedIn(
  { requester, command, options }: Pick<Job, 'requester' | 'command' | 'options'>,
  definition: Partial<Pick<CommandAbout, 'textOption' | 'seenBy'>> | undefined,
): Asked {
  const isAlone = isPrivate({ options }) || definition?.seenBy === 'requester';
  const text = String(options[definition?.textOption ?? ''] ?? '');
  return { requester: isAlone ? { locale: requester.locale } : requester, command, options, text };
}
