import { element } from '../dom.ts';
import type { CommandLine, LinePart } from './command-line.ts';
import { breaksRule } from './option-rules.ts';

/**
 * Marks the parts of a line behind its text. The text itself stays the field's own, so that the cursor, the
 * selection and what is being composed look as everywhere.
 */
export function showMarks(behind: HTMLElement, line: string, read: CommandLine): void {
  const nodes: (Node | string)[] = [];
  let at = 0;
  for (const part of read.parts) {
    if (part.kind === 'text') continue;
    nodes.push(line.slice(at, part.start), markOf(part, line, read));
    at = part.end;
  }
  // A line break at the very end makes a line only where something follows.
  behind.replaceChildren(...nodes, `${line.slice(at)}\u200b`);
  behind.dataset.command = read.shape?.name ?? '';
}

function markOf(part: LinePart, line: string, read: CommandLine): Node {
  const wrong =
    part.kind === 'value' && part.option && breaksRule(part.option, read.values[part.option.name] ?? '');
  return element('mark', { class: `mark-${wrong ? 'fault' : part.kind}` }, line.slice(part.start, part.end));
}
