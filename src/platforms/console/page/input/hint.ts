import type { WireCommandDefinition } from '../../api/wire.ts';
import { button, element, icon } from '../elements/dom.ts';
import { breaksRule, rulesText } from '../form/option-field.ts';
import { strings } from '../words/index.ts';
import {
  type CommandLine,
  type LineContext,
  type LineFault,
  type LinePart,
  optionsLeft,
} from './command-line.ts';

/** Actions of the hint's buttons. */
interface HintActions {
  /** Inserts an option's name. */
  addOption(name: string): void;
  openForm(command: WireCommandDefinition): void;
}

/** The message for a fault. */
export function faultText(fault: LineFault): string {
  switch (fault.kind) {
    case 'unknown-command':
      return strings.unknownCommand(fault.name);
    case 'unknown-option':
      return strings.unknownOption(`--${fault.name}`);
    case 'unknown-words':
      return strings.unknownOption(`“${fault.name}”`);
    case 'needs-value':
      return strings.needsValue(`--${fault.option.name}`);
  }
}

/**
 * Shows the hint below the input: a fault, else help for the option at the cursor, else the command's
 * description and the options to add.
 */
export function showHint(
  node: HTMLElement,
  read: CommandLine,
  context: LineContext | undefined,
  { addOption, openForm }: HintActions,
): void {
  const fault = faultMessage(read, context);
  node.classList.toggle('hint-fault', fault !== undefined);
  if (fault !== undefined) node.replaceChildren(fault);
  else if (context?.kind === 'value') node.replaceChildren(...optionHelp(context));
  else node.replaceChildren(...commandHelp(read, { addOption, openForm }));
}

function commandHelp(read: CommandLine, { addOption, openForm }: HintActions): Node[] {
  const { definition } = read;
  if (!definition) return [];
  return [
    element('span', { class: 'hint-description' }, definition.description),
    ...(definition.options.length > 0
      ? [button({ class: 'hint-form' }, () => openForm(definition), icon('form'), strings.asForm)]
      : []),
    ...optionsLeft(definition, read).map(({ name, description }) =>
      button({ class: 'hint-option', title: description, tabindex: -1 }, () => addOption(name), `--${name}`),
    ),
  ];
}

function optionHelp({ option }: Extract<LineContext, { kind: 'value' }>): Node[] {
  const rules = rulesText(option);
  return [
    element('strong', {}, option.name),
    element('span', {}, option.description),
    ...(rules === '' ? [] : [element('span', { class: 'hint-rules' }, rules)]),
  ];
}

/** The first fault that is not at the cursor, as a message. */
function faultMessage(read: CommandLine, context: LineContext | undefined): string | undefined {
  for (const fault of read.faults) {
    const isBeingTyped =
      fault.kind === 'unknown-words' ||
      (context !== undefined &&
        (fault.kind !== 'needs-value' || context.kind === 'option' || isAt(context, fault.option.name)));
    if (!isBeingTyped) return faultText(fault);
  }
  for (const part of read.parts) {
    if (part.kind !== 'value' || !part.option || isAt(context, part.option.name)) continue;
    const value = read.values[part.option.name] ?? '';
    if (breaksRule(part.option, value))
      return strings.notAllowed(part.option.name, value, rulesText(part.option));
  }
  return undefined;
}

function isAt(context: LineContext | undefined, option: string): boolean {
  return context?.kind === 'value' && context.option.name === option;
}

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
