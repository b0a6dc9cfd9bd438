/** A part of a message: code, which Discord shows as it's written and in which nobody is mentioned, or what's around it. */
interface Part {
  readonly text: string;
  readonly isCode: boolean;
}

/** A message in parts. Code ends with as many backticks as it begins with. Takes time in proportion to the length. */
function partsOf(text: string): readonly Part[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index: start }) => ({ start, length }));
  const last = new Map(runs.map(({ start, length }) => [length, start]));
  const parts: Part[] = [];
  let from = 0;
  let open: (typeof runs)[number] | undefined;
  for (const run of runs) {
    if (open?.length === run.length) {
      const end = run.start + run.length;
      parts.push({ text: text.slice(open.start, end), isCode: true });
      from = end;
      open = undefined;
    } else if (!open && last.get(run.length) !== run.start && text[run.start - 1] !== '\\') {
      parts.push({ text: text.slice(from, run.start), isCode: false });
      open = run;
    }
  }
  return [...parts, { text: text.slice(from), isCode: false }];
}

/** Changes a message outside of code. */
export function changeProse(text: string, change: (prose: string) => string): string {
  return partsOf(text)
    .map((part) => (part.isCode ? part.text : change(part.text)))
    .join('');
}

/** A message without its code. */
export function proseIn(text: string): string {
  return partsOf(text)
    .map((part) => (part.isCode ? ' ' : part.text))
    .join('');
}

/** Splits a message outside of code. */
export function splitProse(text: string, at: RegExp): readonly string[] {
  const pieces: string[] = [];
  for (const part of partsOf(text)) {
    const [first = '', ...more] = part.isCode ? [part.text] : part.text.split(at);
    pieces.push((pieces.pop() ?? '') + first, ...more);
  }
  return pieces;
}
