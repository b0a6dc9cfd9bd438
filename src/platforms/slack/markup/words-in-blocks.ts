import { charactersOf } from './emoji.ts';
import { escapeMrkdwn } from './safe-text.ts';

/** How deep Slack nests what has words, and more. */
const deepest = 12;
/** Blocks for people to act on: a question has no use for their labels. */
const controls: readonly unknown[] = ['actions', 'context_actions', 'input'];
/** Where a block has its words, in the order in which they're read. */
const parts = [
  ...['title', 'subtitle', 'caption', 'text', 'body', 'description', 'fields', 'elements'],
  ...['blocks', 'child_blocks', 'message'],
];
/** What has its text without Slack's markup. */
const plain: readonly unknown[] = ['text', 'raw_text', 'raw_number'];
/** What has its parts in one line. */
const inline: readonly unknown[] = ['rich_text_section', 'rich_text_preformatted', 'rich_text_quote'];

/** What people read of blocks, in Slack's own markup, a line for each part. */
export function wordsIn(blocks: unknown, depth = 0): string {
  if (Array.isArray(blocks)) return joined(blocks, '\n', depth);
  if (typeof blocks !== 'object' || blocks === null || depth > deepest) return '';
  const block = blocks as Readonly<Record<string, unknown>>;
  const { type, text, elements, rows } = block;
  if (controls.includes(type)) return '';
  if (inline.includes(type)) return joined(elements, '', depth);
  if (type === 'rich_text_list') return joined(elements, '\n', depth, '• ');
  if (Array.isArray(rows)) return rows.map((row) => rowIn(row, depth)).join('\n');
  const reference = referenceIn(block);
  if (reference !== undefined) return reference;
  if (typeof text !== 'string')
    return joined(
      parts.map((part) => block[part]),
      '\n',
      depth,
    );
  return plain.includes(type) ? escapeMrkdwn(text) : text;
}

/** Whether a block is a table, which a message's text lacks. */
export function isTable({ type }: { readonly type?: string }): boolean {
  return type === 'table' || type === 'data_table';
}

/** A row has all its cells, also the empty ones. */
function rowIn(row: unknown, depth: number): string {
  const cells = Array.isArray(row) ? row.map((cell) => wordsIn(cell, depth + 1)) : [];
  return cells.map((words) => words.replaceAll('\n', ' ')).join(' | ');
}

function joined(nodes: unknown, by: string, depth: number, before = ''): string {
  const all = Array.isArray(nodes) ? nodes.map((node) => wordsIn(node, depth + 1)) : [];
  return all.flatMap((words) => (words === '' ? [] : [`${before}${words}`])).join(by);
}

/** What stands in rich text for a person, a place, a link or a character. */
function referenceIn(element: Readonly<Record<string, unknown>>): string | undefined {
  const { type, text, name, unicode, fallback } = element;
  switch (type) {
    case 'link':
      return `<${element.url}${text ? `|${text}` : ''}>`;
    case 'user':
      return `<@${element.user_id}>`;
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`;
    case 'channel':
      return `<#${element.channel_id}>`;
    case 'broadcast':
      return `<!${element.range}>`;
    case 'emoji':
      return (typeof unicode === 'string' ? charactersOf(unicode) : undefined) ?? `:${name}:`;
    case 'date':
      return String(fallback ?? '');
    default:
      return undefined;
  }
}
