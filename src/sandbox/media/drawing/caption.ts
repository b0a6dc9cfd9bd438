import type { Glyphs } from './glyphs.ts';
import { type Pen, vertical } from './stage.ts';

/** Preferred fonts; the canvas falls back to any installed font that has a character. */
export const captionFont =
  '"Inter", "Helvetica Neue", "Liberation Sans", "DejaVu Sans", "Noto Sans", sans-serif';

const mostLines = 2;
/** Characters of the prompt considered; more than two lines can hold. */
const longest = 400;

/**
 * Writes the prompt at the bottom of the image, on a dark band. Characters that no installed font has are left
 * out; without any there is no caption.
 */
export function paintCaption(
  pen: Pen,
  glyphs: Glyphs,
  prompt: string,
  width: number,
  height: number,
  unit: number,
): void {
  const text = showable(prompt, glyphs);
  if (text === '') return;
  const size = unit * 3.5;
  pen.save();
  pen.font = `600 ${size}px ${captionFont}`;
  const lines = wrap(text, width - unit * 8, (line) => pen.measureText(line).width);
  const leading = size * 1.3;
  const top = height - unit * 3.6 - leading * lines.length;
  pen.fillStyle = vertical(pen, top - unit * 9, height, [
    'rgba(4, 6, 14, 0)',
    'rgba(4, 6, 14, 0.42)',
    'rgba(4, 6, 14, 0.62)',
  ]);
  pen.fillRect(0, top - unit * 9, width, height - top + unit * 9);
  pen.fillStyle = '#ffffff';
  pen.textBaseline = 'alphabetic';
  for (const [index, line] of lines.entries()) pen.fillText(line, unit * 4, top + leading * index + size);
  pen.restore();
}

function showable(prompt: string, glyphs: Glyphs): string {
  const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    prompt.slice(0, longest),
  );
  const shown: string[] = [];
  for (const { segment } of clusters) {
    if (/\p{Cc}/u.test(segment)) shown.push(' ');
    else if (glyphs.has(segment)) shown.push(segment);
  }
  return shown.join('').replace(/\s+/g, ' ').trim();
}

/** Wraps at words or between Chinese characters; text that doesn't fit ends in an ellipsis. */
function wrap(text: string, width: number, measure: (line: string) => number): string[] {
  const words = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)].map(
    ({ segment }) => segment,
  );
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && measure(line + word.trimEnd()) > width) {
      lines.push(line.trim());
      line = '';
    }
    line += word;
  }
  lines.push(line.trim());
  const kept = lines.slice(0, mostLines);
  const isCut = lines.length > mostLines;
  return kept.map((each, index) => shorten(each, isCut && index === mostLines - 1, width, measure));
}

function shorten(line: string, isCut: boolean, width: number, measure: (line: string) => number): string {
  if (!isCut && measure(line) <= width) return line;
  const characters = [...line];
  while (characters.length > 0 && measure(`${characters.join('')}…`) > width) characters.pop();
  return `${characters.join('').replace(/(?<![\s,.;:，。；：、])[\s,.;:，。；：、]+$/u, '')}…`;
}
