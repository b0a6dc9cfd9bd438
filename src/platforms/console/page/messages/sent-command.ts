import type { WireCommand } from '../../api/wire.ts';
import { button, element } from '../elements/dom.ts';
import { iconOf } from '../elements/icons.ts';
import { strings } from '../words/index.ts';

/** Characters and lines of a person's text that are shown before “Show all”. */
const shownCharacters = 900;
const shownLines = 12;

/** Shows a sent command: plain text for a question, the name and options for others. */
export function sentCommand(command: WireCommand): HTMLElement {
  const plain = command.name === 'ask' && command.options.length === 0;
  const node = element('div', { class: 'given', 'data-command': command.name });
  if (!plain) {
    node.append(element('span', { class: 'given-name' }, iconOf(command.name), `/${command.name}`));
  }
  if (command.text !== '') node.append(textOf(command.text));
  if (command.options.length > 0) {
    const options = command.options.map(({ name, value }) =>
      element('span', { class: 'given-option' }, element('span', {}, name), ` ${value}`),
    );
    node.append(element('span', { class: 'given-options' }, ...options));
  }
  return node;
}

function textOf(text: string): HTMLElement {
  const cut = Math.min(shownCharacters, endOfLine(text, shownLines));
  const node = element('span', { class: 'given-text' });
  if (cut >= text.length) {
    node.textContent = text;
    return node;
  }
  const all = button({ class: 'show-all' }, () => node.replaceChildren(text), strings.showAll);
  node.append(`${text.slice(0, cut).trimEnd()}… `, all);
  return node;
}

/** The index where line number `lines` ends. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text.length;
  }
  return at;
}
