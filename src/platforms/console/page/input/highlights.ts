import { element } from '../elements/dom.ts';
import { breaksRule } from '../form/option-rules.ts';
import type { CommandLine, LinePart } from './command-line.ts';
import type { LineContext } from './completion.ts';

/**
 * Highlights the parts of the input in a layer behind the text area, which keeps the native cursor, selection
 * and IME.
 */
export function showHighlights(
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
    nodes.push(line.slice(at, part.start), highlightOf(part, typing, line, read));
    at = part.end;
  }
  // A trailing line break needs a character after it to take up a line.
  behind.replaceChildren(...nodes, `${line.slice(at)}\u200b`);
  behind.dataset.command = read.definition?.name ?? '';
}

/** Highlights one part; a part that is being typed is not marked as a fault. */
function highlightOf(part: LinePart, typing: boolean, line: string, read: CommandLine): Node {
  const broken =
    part.kind === 'value' && part.option && breaksRule(part.option, read.values[part.option.name] ?? '');
  const wrong = !typing && (broken || part.kind === 'fault');
  const kind = wrong ? 'fault' : part.kind === 'fault' ? 'option' : part.kind;
  return element('mark', { class: `mark-${kind}` }, line.slice(part.start, part.end));
}
