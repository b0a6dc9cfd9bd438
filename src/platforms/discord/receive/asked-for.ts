import { commandFor, type CommandRequest, type IncomingFile } from '../../../port/index.ts';
import type { SpokenRequest } from '../../../words/spoken-request.ts';
import type { IncomingText } from './incoming-text.ts';

/** The files that a command by words is given, and lines about those that couldn't be seen, shown above the answer. */
export interface References {
  readonly files: readonly IncomingFile[];
  /** The messages that they're from, where that's another one. */
  readonly sources?: readonly string[];
  readonly notes: readonly string[];
}

/** The request of a message. */
export type AskedFor = Pick<CommandRequest, 'command' | 'options' | 'added' | 'files' | 'instead'>;

/** The command of a message with its options. A question comes with what its message refers to, and can lie in that alone. */
export function requestOf(
  { command, options, typed }: Pick<SpokenRequest, 'command' | 'options' | 'typed'>,
  given: IncomingText | References,
): AskedFor {
  if ('files' in given) {
    const { files, sources } = given;
    if (files.length === 0) return { command, options };
    return { command, options, files, ...(sources && { added: { made_of: sources } }) };
  }
  const { prompt, context } = given;
  if (prompt === '') return { command, options };
  return {
    command: commandFor.chat,
    options: typed === undefined ? { prompt } : options,
    ...(context !== undefined && { added: { context } }),
  };
}
