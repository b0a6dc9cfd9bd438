import type { AnyCommand, CommandCall } from '../../../port/index.ts';

/** So much of a question stands above its answer, in characters. */
const wordsShown = 150;
const nameShown = 32;

/** The line above the first message of an answer. */
export interface AnswerHeaders {
  readonly header?: string | undefined;
  /** Above an answer that isn't tied to the typed command any more: the person was told something alone first. */
  readonly detachedHeader?: string | undefined;
}

/**
 * The line above an answer that tells who asked what. Discord shows who typed a command, but neither its options nor
 * who pressed a button. Names and words in it can't format, link or mention anything.
 */
export function headerOf<Dependencies>(
  name: string,
  { command: commandName, options }: CommandCall,
  command: Pick<AnyCommand<Dependencies>, 'textOption' | 'postsFiles'> | undefined,
  how: 'typed' | 'pressed',
): string | undefined {
  const who = `**${plain(firstOf(name, nameShown))}**`;
  // What posts files repeats its words beside them.
  const words = command?.postsFiles
    ? ''
    : firstOf(String(options[command?.textOption ?? ''] ?? ''), wordsShown);
  if (words !== '') return `> ${who}: ${plain(words)}`;
  return how === 'pressed' ? `> ${who} · /${commandName}` : undefined;
}

/** The first words of a text, on one line. */
function firstOf(text: string, length: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const characters = [...line.slice(0, length * 2)];
  return characters.length > length || line.length > length * 2
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : line;
}

function plain(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()]/g, '\\$&');
}
