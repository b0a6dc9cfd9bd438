/** Widths of the three columns, in percent. */
const percentages = [26, 34, 40] as const;
const minWidth = 80;

/** Three columns as a table of at most `width` characters; long cells are wrapped. */
export function tableOf(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string {
  const usable = Math.max(minWidth, width) - 3 * (percentages.length - 1);
  const widths = percentages.map((share) => Math.floor((usable * share) / 100));
  const rule = widths.map((columns) => '─'.repeat(columns)).join('─┼─');
  return [...wrapped(headings, widths), rule, ...rows.flatMap((cells) => wrapped(cells, widths))].join('\n');
}

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

/** Wraps a text at spaces; a word longer than `width` is broken. */
function linesOf(text: string, width: number): readonly string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S{${width}}`, 'gu')) ?? [''];
}
