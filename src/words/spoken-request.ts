import { spokenLine } from '../port/command-line/spoken.ts';
import {
  commandFor,
  commandLineOf,
  type MeantCommand,
  type RawValues,
  spokenCommandOf,
} from '../port/index.ts';
import { helpQuestion } from './suggested-questions.ts';

/** What a message asks for. */
export interface SpokenRequest {
  readonly command: string;
  readonly options: RawValues;
  /** How the command was typed; absent for plain text, which is a question. */
  readonly typed?: string;
  /** The question that it may as well be: then its person is asked which it is. */
  readonly instead?: MeantCommand;
}

interface SpokenContext {
  readonly commands: readonly Parameters<typeof spokenCommandOf>[0][];
  /** A prefix of all slash commands. */
  readonly prefix?: string;
  /** The message has files. */
  readonly hasFiles?: boolean;
}

/**
 * Chooses the command for a message to the bot: the one it begins with, `help` if it's empty or asks what the bot can do,
 * else `ask`. The rule is {@link spokenLine}'s.
 */
export function spokenRequest(text: string, { commands, prefix, hasFiles }: SpokenContext): SpokenRequest {
  const question = helpQuestion(text);
  if (question) return { command: 'help', options: question };
  const known = commands.map(spokenCommandOf);
  const spoken = spokenLine(text, known, { plain: commandFor.chat, ...(prefix && { prefix }) });
  if (!spoken) return { command: commandFor.chat, options: { prompt: text } };
  const { typed, line } = spoken;
  const { name } = spoken.command;
  if (line === 'help') return { command: 'help', options: { command: name } };
  const { values, namedFiles } = commandLineOf(line);
  // Text can't give a file: without one in the message, the option's own fault says so.
  const missing = hasFiles ? [] : namedFiles.map((option) => [option, option]);
  const request = { command: name, options: { ...values, ...Object.fromEntries(missing) }, typed };
  return spoken.isUnsure
    ? { ...request, instead: { command: commandFor.chat, options: { prompt: text } } }
    : request;
}
