import { words } from '../../src/words/index.ts';
import { localeOf, type Posted, type Wish } from './place.ts';

/** What people are left with of an answer. */
export type AnswerFate =
  /** All of it. */
  | 'whole'
  /** A part, which says that it is one, with a button to go on. */
  | 'cut'
  /** No word of it, and that it came to nothing, with a button to try again. */
  | 'told'
  /** Nothing at all, which is right only where it was never asked for. */
  | 'nothing';

/** Longer than the lines above answers quote what was asked. */
const unquoted = 'The moon pulls at the sea, and the sea gives way. '.repeat(8);

/** A question that is answered with so many words, each of which can be told from all others by its mark. */
export function questionOf(name: string, mark: string, count: number): Pick<Wish, 'prompt' | 'answer'> {
  const said = Array.from({ length: count }, (_, index) => `${mark}n${index + 1}x`).join(' ');
  return { prompt: `repeat: ${name}. ${unquoted}${said} ${mark}end`, answer: { mark, count } };
}

/** What became of an answer, from everything its person can read; and what is wrong with that, in words. */
export function judgeAnswer(
  wish: Wish,
  posted: readonly Posted[],
): { readonly fate: AnswerFate; readonly faults: readonly string[] } {
  const { mark, count } = wish.answer ?? { mark: '', count: 0 };
  const say = words(localeOf(wish));
  const numbered = new RegExp(`${mark}n(\\d+)x`, 'g');
  const readIn = ({ text }: Posted) => [...text.matchAll(numbered)].map(([, number]) => Number(number));
  const read = new Set(posted.flatMap(readIn));
  const furthest = Math.max(0, ...read);
  const isWhole = posted.some(({ text }) => text.includes(`${mark}end`));
  const faults: string[] = [];
  const expected = isWhole ? count : furthest;
  if (read.size < expected) faults.push(`${expected - read.size} words are missing in the middle`);
  const marked = posted.filter((one) => isAbout(one, wish, mark) && isMarked(one, say));
  const ends = posted.filter((one) => readIn(one).includes(furthest) || one.text.includes(`${mark}end`));
  if (!isWhole)
    for (const end of ends) {
      const isFinished = end.buttons.includes(say.regenerate) && !end.buttons.includes(say.continue);
      if (isFinished) faults.push(`a part has a finished answer’s buttons: ${end.buttons.join(', ')}`);
    }
  const goesOn = marked.some(({ buttons }) =>
    [say.continue, say.tryAgain, say.regenerate].some((label) => buttons.includes(label)),
  );
  if (!isWhole && read.size > 0 && marked.length === 0) faults.push('a part does not say that it is one');
  if (!isWhole && marked.length > 0 && !goesOn) faults.push('what was cut off has no button to go on');
  const fate = isWhole ? 'whole' : read.size > 0 ? 'cut' : marked.length > 0 ? 'told' : 'nothing';
  return { fate, faults };
}

/** It has words of the answer, or quotes the question. */
function isAbout({ text }: Posted, { prompt }: Wish, mark: string): boolean {
  return text.includes(`${mark}n`) || text.includes(prompt.slice(0, 40));
}

/** It says, in its person's language, that something was cut off or came to nothing. */
function isMarked({ text }: Posted, { endings, interrupted, errors }: ReturnType<typeof words>): boolean {
  const cut = interrupted('…').split('…').at(-1) ?? '';
  const sentences = [...Object.values(endings), ...Object.values(errors)].filter(
    (one) => typeof one === 'string',
  );
  return text.includes(cut) || sentences.some((sentence) => text.includes(sentence));
}
