import type { AnyCommand, Job, Message } from '../port/index.ts';

/** What takes the place of a command's placeholder: below what was asked for, as that stood there. */
export function belowAbout<Dependencies>(
  command: Pick<AnyCommand<Dependencies>, 'about'> | undefined,
  job: Job,
  message: Message,
): Message {
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
