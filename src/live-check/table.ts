import type { CheckResult } from './run-steps.ts';

const headings = ['step', 'expected', 'result', 'what troupe does'] as const;
/** Widths of the columns, in percent. */
const percentages = [21, 24, 27, 28] as const;
const minWidth = 80;

/** The rows as a table of at most `width` columns; long cells are wrapped. */
export function tableOf({ rows }: Pick<CheckResult, 'rows'>, width: number): string {
  const usable = Math.max(minWidth, width) - 3 * (headings.length - 1);
  const widths = percentages.map((share) => Math.floor((usable * share) / 100));
  const body = rows.flatMap(({ name, expects, result, does }) =>
    wrapped([name, expects, `${marks[result.kind]} ${result.text}`, does], widths),
  );
  const rule = widths.map((columns) => '─'.repeat(columns)).join('─┼─');
  return [...wrapped(headings, widths), rule, ...body].join('\n');
}

const marks = { works: '✓', refused: '·', skipped: '–', unclear: '?', needs: '✗' } as const;

function wrapped(cells: readonly string[], widths: readonly number[]): string[] {
  const columns = cells.map((cell, index) => linesOf(cell, widths[index] ?? minWidth));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, index) => (lines[line] ?? '').padEnd(widths[index] ?? 0))
      .join(' │ ')
      .trimEnd(),
  );
}

/** Wraps a text at words; a word longer than `width` is broken. */
function linesOf(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap((one) => one.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
