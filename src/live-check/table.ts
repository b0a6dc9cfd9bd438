import type { Result } from './run-steps.ts';

const heads = ['step', 'expected', 'seen', 'what troupe does'] as const;
/** How the width of a line is shared, in parts of a hundred. */
const shares = [21, 24, 27, 28] as const;
const narrowest = 80;

/** The rows as a table of at most `width` columns; long cells go on in the next line. */
export function tableOf({ rows }: Pick<Result, 'rows'>, width: number): string {
  const usable = Math.max(narrowest, width) - 3 * (heads.length - 1);
  const widths = shares.map((share) => Math.floor((usable * share) / 100));
  const body = rows.flatMap(({ name, expects, seen, does }) =>
    wrapped([name, expects, `${marks[seen.kind]} ${seen.text}`, does], widths),
  );
  const rule = widths.map((columns) => '─'.repeat(columns)).join('─┼─');
  return [...wrapped(heads, widths), rule, ...body].join('\n');
}

const marks = { works: '✓', refused: '·', skipped: '–', unclear: '?', needs: '✗' } as const;

function wrapped(cells: readonly string[], widths: readonly number[]): string[] {
  const columns = cells.map((cell, index) => linesOf(cell, widths[index] ?? narrowest));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, index) => (lines[line] ?? '').padEnd(widths[index] ?? 0))
      .join(' │ ')
      .trimEnd(),
  );
}

/** Words in lines of at most `width`; a word that is longer is cut. */
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
