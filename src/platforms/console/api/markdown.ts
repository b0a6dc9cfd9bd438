import MarkdownIt, { type Token } from 'markdown-it';
import { spellOutTimestamps } from '../../../port/index.ts';
import type { RichElement, RichNode, RichTag } from './wire.ts';

const allowedLink = /^(?:https?:\/\/|mailto:)/i;
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (address) => allowedLink.test(address.trim());

/** An element whose children are still being added. */
type OpenElement = { -readonly [K in keyof RichElement]: RichElement[K] } & { children: RichNode[] };

/**
 * Renders Markdown into the page's tree. HTML stays text, images become links (nothing is loaded from other
 * sites), and only http, https and mailto links are kept. A line that begins with `-# ` is small print.
 */
export function richText(text: string): readonly RichNode[] {
  const root: RichNode[] = [];
  addAll(root, markdown.parse(endBlocks(spellOutTimestamps(text)), {}));
  return root;
}

/**
 * Ends a quote and a list at their last line, as chat apps do; CommonMark would continue them with the next
 * line.
 */
function endBlocks(text: string): string {
  const lines: string[] = [];
  let before: 'quote' | 'list' | undefined;
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const marker = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
    const kind = fence === undefined ? kindOf(line, before) : undefined;
    if (fence === undefined && before !== undefined && before !== kind && line.trim() !== '') lines.push('');
    lines.push(line);
    before = kind;
    if (fence === undefined) fence = marker;
    else if (marker?.startsWith(fence)) fence = undefined;
  }
  return lines.join('\n');
}

function kindOf(line: string, before: 'quote' | 'list' | undefined): typeof before {
  if (/^ {0,3}>/.test(line)) return 'quote';
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line)) return 'list';
  // Indented lines below an item belong to it.
  return before === 'list' && /^\s/.test(line) ? 'list' : undefined;
}

function addAll(root: RichNode[], tokens: readonly Token[]): void {
  const open: RichNode[][] = [root];
  let insideLink = false;
  for (const token of tokens) {
    const into = open.at(-1) ?? root;
    if (token.tag === 'a') insideLink = token.nesting === 1;
    if (token.nesting === 1) {
      const element = isLeftOut(token) ? undefined : elementOf(token);
      if (element) into.push(element);
      open.push(element?.children ?? into);
    } else if (token.nesting === -1) {
      const children = open.pop();
      if (children && token.type === 'paragraph_close') markSmallPrint(children);
    } else if (token.type === 'inline') {
      addAll(into, token.children ?? []);
    } else {
      const leaf = leafOf(token, insideLink);
      if (leaf !== '') into.push(leaf);
    }
  }
}

/** Paragraphs of a tight list, and links with a scheme that is not allowed. */
function isLeftOut(token: Token): boolean {
  return token.hidden || (token.tag === 'a' && !allowedLink.test(attribute(token, 'href')));
}

function leafOf(token: Token, insideLink: boolean): RichNode {
  switch (token.type) {
    case 'code_inline':
      return element('code', [token.content]);
    case 'fence':
    case 'code_block':
      return codeBlock(token);
    case 'softbreak':
    case 'hardbreak':
      return element('br');
    case 'hr':
      return element('hr');
    case 'image':
      return insideLink ? token.content : linkTo(attribute(token, 'src'), token.content);
    default:
      return token.content;
  }
}

function elementOf(token: Token): OpenElement {
  const made = element(token.tag as RichTag);
  if (token.tag === 'a') made.href = attribute(token, 'href');
  const start = attribute(token, 'start');
  if (start) made.start = Number(start);
  const align = /text-align:(left|center|right)/.exec(attribute(token, 'style'))?.[1];
  if (align) made.align = align as 'left' | 'center' | 'right';
  return made;
}

function codeBlock(token: Token): OpenElement {
  const made = element('pre', [token.content.replace(/\n$/, '')]);
  const language = /^[^\s{]+/.exec(token.info.trim())?.[0];
  if (language) made.language = language;
  return made;
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function linkTo(href: string, words: string): RichNode {
  if (!allowedLink.test(href)) return words;
  return { ...element('a', [words || href]), href };
}

function element(tag: RichTag, children: RichNode[] = []): OpenElement {
  return { tag, children };
}

/** Puts each of a paragraph's lines that begins with `-# ` into a `small`. */
function markSmallPrint(children: RichNode[]): void {
  if (!children.some((child) => typeof child === 'string' && child.startsWith('-# '))) return;
  const lines: RichNode[][] = [[]];
  for (const child of children.splice(0)) {
    if (typeof child !== 'string' && child.tag === 'br') lines.push([]);
    else lines.at(-1)?.push(child);
  }
  for (const [index, line] of lines.entries()) {
    if (index > 0) children.push(element('br'));
    const first = line[0];
    if (typeof first === 'string' && first.startsWith('-# ')) {
      children.push(element('small', [first.slice(3), ...line.slice(1)]));
    } else children.push(...line);
  }
}
