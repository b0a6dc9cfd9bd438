import type { Job, Message } from '../port/index.ts';
import type { Command } from './command.ts';

/** What takes the place of a command's placeholder: below what was asked for, as that stood there. */
export function belowAbout(command: Pick<Command, 'about'> | undefined, job: Job, message: Message): Message {
  const { text = '', unquoted = text, whose } = message;
  const about = command?.about?.(job);
  if (about === undefined) return message;
  return {
    ...message,
    text: `${about}\n${text}`,
    unquoted,
    ...(whose && { whose: { ...whose, text: '' } }),
  };
}
