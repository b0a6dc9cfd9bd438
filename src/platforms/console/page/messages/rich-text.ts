import type { RichElement, RichNode } from '../../api/wire.ts';
import { button, element, icon } from '../elements/dom.ts';
import { strings } from '../words/index.ts';

/** The rich element a node shows, and the node that holds its children. */
interface Made {
  readonly from: RichElement;
  readonly inside: Element;
}

const made = new WeakMap<Node, Made>();

/** The only elements created from a message's text. */
const tags: ReadonlySet<string> = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'small'],
  ...['ul', 'ol', 'li', 'a', 'br', 'hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]);

/**
 * Shows rendered Markdown in `parent`, changing only what is different, so that selections and scroll positions
 * survive while an answer streams.
 */
export function showRichText(parent: Element, nodes: readonly RichNode[]): void {
  for (const [index, node] of nodes.entries()) {
    const there = parent.childNodes[index];
    if (!there) parent.append(createNode(node));
    else if (!updateNode(there, node)) there.replaceWith(createNode(node));
  }
  while (parent.childNodes.length > nodes.length) parent.lastChild?.remove();
}

/** Updates an existing node to show `node`; false if it is of another kind. */
function updateNode(there: ChildNode, node: RichNode): boolean {
  if (typeof node === 'string') {
    if (!(there instanceof Text)) return false;
    if (there.data !== node) there.data = node;
    return true;
  }
  const known = made.get(there);
  if (!known || !sameKind(known.from, node)) return false;
  showRichText(known.inside, node.children);
  return true;
}

function sameKind(one: RichElement, other: RichElement): boolean {
  return (
    one.tag === other.tag &&
    one.href === other.href &&
    one.language === other.language &&
    one.start === other.start &&
    one.align === other.align
  );
}

function createNode(node: RichNode): Node {
  if (typeof node === 'string' || !tags.has(node.tag)) return new Text(String(node));
  const { outside, inside } = createElement(node);
  made.set(outside, { from: node, inside });
  showRichText(inside, node.children);
  return outside;
}

function createElement(node: RichElement): { outside: Element; inside: Element } {
  if (node.tag === 'pre') return codeBlock(node.language);
  if (node.tag === 'table') return tableIn();
  const inside = element(node.tag);
  if (node.tag === 'a' && node.href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(node.href)) {
    inside.setAttribute('href', node.href);
    inside.setAttribute('title', node.href);
    inside.setAttribute('target', '_blank');
    inside.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  if (node.start !== undefined) inside.setAttribute('start', String(node.start));
  if (node.align !== undefined) inside.classList.add(`align-${node.align}`);
  return { outside: inside, inside };
}

/** A table that scrolls sideways if it is too wide. */
function tableIn() {
  const inside = element('table');
  const outside = element(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': strings.table },
    inside,
  );
  return { outside, inside };
}

/** How long “Copied” is shown, in milliseconds. */
const confirmation = 1_800;

/** Creates a code block with its language and a copy button. */
export function codeBlock(language: string | undefined): { outside: HTMLElement; inside: HTMLElement } {
  const inside = element('code');
  const label = element('span', {}, strings.copy);
  const copy = button(
    { class: 'copy' },
    () => void copyText(inside.textContent ?? '', label),
    icon('copy'),
    label,
  );
  const name = language === undefined ? strings.code : strings.codeIn(language);
  const outside = element(
    'div',
    { class: 'code' },
    element('div', { class: 'code-head' }, element('span', { class: 'language' }, language ?? ''), copy),
    element('pre', { tabindex: 0, role: 'region', 'aria-label': name }, inside),
  );
  return { outside, inside };
}

async function copyText(text: string, label: HTMLElement): Promise<void> {
  // Only secure contexts have a clipboard, plain http from another machine doesn't.
  const copied = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : copyBySelection(text);
  if (!copied) return;
  label.textContent = strings.copied;
  setTimeout(() => {
    label.textContent = strings.copy;
  }, confirmation);
}

function copyBySelection(text: string): boolean {
  const area = element('textarea', { class: 'visually-hidden' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
