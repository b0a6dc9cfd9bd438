import { element } from '../dom.ts';
import type { CommandLine, LinePart } from './command-line.ts';
import type { LineContext } from './completion.ts';
import { breaksRule } from './option-rules.ts';

/**
 * Marks the parts of a line behind its text. The text itself stays the field's own, so that the cursor, the
 * selection and what is being composed look as everywhere.
 */
export function showMarks(
  behind: HTMLElement,
  line: string,
  read: CommandLine,
  context: LineContext | undefined,
): void {
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const part of read.parts) {
    if (part.kind === 'text') continue;
    const typing = context !== undefined && part.start <= context.start && context.end <= part.end;
    nodes.push(line.slice(at, part.start), markOf(part, typing, line, read));
    at = part.end;
  }
  // A line break at the very end makes a line only where something follows.
  behind.replaceChildren(...nodes, `${line.slice(at)}\u200b`);
  behind.dataset.command = read.shape?.name ?? '';
}

/** What is just being typed is not wrong yet. */
function markOf(part: LinePart, typing: boolean, line: string, read: CommandLine): Node {
  const broken =
    part.kind === 'value' && part.option && breaksRule(part.option, read.values[part.option.name] ?? '');
  const wrong = !typing && (broken || part.kind === 'fault');
  const kind = wrong ? 'fault' : part.kind === 'fault' ? 'option' : part.kind;
  return element('mark', { class: `mark-${kind}` }, line.slice(part.start, part.end));
}
