import type { CommandAbout } from '../../../port/index.ts';
import { escapeMrkdwn, unescaped } from './mrkdwn.ts';

/** References in angle brackets */
const reference = /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
/** People, groups and channels as `typedText` leaves them. */
const kept = /<@([UW]\w*)>|<!subteam\^(S\w*)>|<#([CG]\w*)>/g;
const nameless = '…';

/** The name of a person, a group or a channel; undefined where it isn’t known. */
export type NameOf = (id: string) => string | undefined;

/** A text as its writer sees it: mentions, channels and links with their names, never ids. */
export function writtenText(slackText: string, nameOf: NameOf): string {
  return unescaped(
    slackText.replace(reference, (whole, kind: string, what: string, label?: string) => {
      if (kind === '@') return at(nameOf(what) ?? label);
      return otherReference(whole, kind, what, label, nameOf);
    }),
  );
}

/** A command’s text with people, groups and channels left as `<@U1>`, `<!subteam^S1>`, `<#C1>`, and the names Slack gave for them. */
export function typedText(slackText: string): {
  readonly text: string;
  readonly labels: Map<string, string>;
} {
  const labels = new Map<string, string>();
  const keep = (id: string, label: string | undefined, as: string) => {
    if (label) labels.set(id, label);
    return as;
  };
  const text = slackText.replace(reference, (whole, kind: string, what: string, label?: string) => {
    if (kind === '@' || kind === '#') return keep(what, label, `<${kind}${what}>`);
    const group = kind === '!' ? groupIn(what) : undefined;
    if (group !== undefined) return keep(group, label, `<!subteam^${group}>`);
    return otherReference(whole, kind, what, label, () => undefined);
  });
  return { text: unescaped(text), labels };
}

/** A text of `typedText` with names instead of ids. */
export function withNames(text: string, nameOf: NameOf): string {
  return text.replace(kept, (_, user?: string, group?: string, channel?: string) =>
    channel === undefined ? at(nameOf(user ?? group ?? '')) : `#${nameOf(channel) ?? nameless}`,
  );
}

/** Ids of the people a text mentions. */
export function mentionedUsers(slackText: string): string[] {
  return [...slackText.matchAll(/<@([UW]\w+)(?:\|[^<>]*)?>/g)].map((match) => match[1] ?? '');
}

/** Ids of the channels a text mentions without their names. */
export function namelessChannels(slackText: string): string[] {
  return [...slackText.matchAll(/<#([CG]\w+)\|?>/g)].map((match) => match[1] ?? '');
}

/** Whether a text addresses somebody: a person, a group, or everybody. */
export function mentionsSomebody(slackText: string): boolean {
  return /<(?:@[UW]|!(?:subteam\^|here|channel|everyone))/.test(slackText);
}

/** A text without mentions of a user, and without the marks of the formats that one alone stands in, three at most. */
export function withoutMention(slackText: string, user: string): string {
  return slackText.replace(
    new RegExp(`([*_~\`]?)([*_~\`]?)([*_~\`]?)<@${user}(?:\\|[^<>]*)?>\\3\\2\\1`, 'g'),
    ' ',
  );
}

/** A text that mentions one user instead of some others. */
export function withMention(slackText: string, user: string, others: readonly string[]): string {
  return slackText.replace(reference, (whole, kind: string, what: string) =>
    kind === '@' && others.includes(what) ? `<@${user}>` : whole,
  );
}

function otherReference(
  whole: string,
  kind: string,
  what: string,
  label: string | undefined,
  nameOf: NameOf,
): string {
  if (kind === '#') return `#${label || (nameOf(what) ?? nameless)}`;
  if (kind === '!') {
    const group = groupIn(what);
    return group === undefined ? (label ?? at(what)) : at(nameOf(group) ?? label);
  }
  if (!/^(?:https?|mailto|tel):/.test(what)) return whole;
  // Slack itself puts these before an email address and a phone number.
  const address = what.replace(/^(?:mailto|tel):/, '');
  return !label || what.endsWith(label) ? address : `${label} (${address})`;
}

function groupIn(what: string): string | undefined {
  return what.startsWith('subteam^') ? what.slice('subteam^'.length) : undefined;
}

function at(name: string | undefined): string {
  return name?.startsWith('@') ? name : `@${name || nameless}`;
}

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

/** A message whose texts Slack sends with its emoji as `:codes:`, also those that were typed as characters. */
interface WithTexts {
  readonly text?: string;
  readonly blocks?: readonly object[];
  readonly attachments?: readonly object[];
}

/** An emoji, maybe with a skin tone: what Slack writes for it. Names have at most 100 characters. */
const code = /:([^\s:]{1,100}(?:::skin-tone-[2-6])?):/g;
/** A code between words, as against colons within one. */
const standalone =
  /(?<![\p{L}\p{N}]):(?:[a-z][\w'+-]{1,99}|[+-]1|\d{3,4})(?:::skin-tone-[2-6])?:(?![\p{L}\p{N}])/gu;

/**
 * A message with the characters of its emoji in its texts: the message’s blocks name those of each one that Unicode
 * has. Codes in other texts stay, as do a workspace’s own emoji.
 */
export function withEmoji<M extends WithTexts>(message: M): M {
  const characters = new Map<string, string>();
  collect([message.blocks, message.attachments], characters);
  if (characters.size === 0) return message;
  const read = (text: string) => text.replace(code, (whole, name: string) => characters.get(name) ?? whole);
  const texts = ['text', 'pretext', 'title', 'fallback'] as const;
  const readAll = <T extends object>(one: T): T => {
    const written = one as T & Partial<Record<(typeof texts)[number], unknown>>;
    const changed = texts.flatMap((key) => {
      const text = written[key];
      return typeof text === 'string' ? [[key, read(text)]] : [];
    });
    return { ...one, ...Object.fromEntries(changed) };
  };
  const { attachments } = message;
  return { ...readAll(message), ...(attachments && { attachments: attachments.map(readAll) }) };
}

/** The value of a command’s option: nobody wants to hear the codes of emoji, if it’s to be read aloud. */
export function withoutCodesForVoice(
  { textOption, postsFiles }: Pick<CommandAbout, 'textOption' | 'postsFiles'>,
  option: string,
  text: string,
): string {
  if (postsFiles !== 'voice' || option !== textOption) return text;
  return text.replace(standalone, ' ').replace(/ {2,}/g, ' ').trim();
}

function collect(node: unknown, characters: Map<string, string>, depth = 0): void {
  if (typeof node !== 'object' || node === null || depth > deepest) return;
  if (Array.isArray(node)) {
    for (const one of node) collect(one, characters, depth + 1);
    return;
  }
  const { type, name, unicode, skin_tone: tone } = node as Readonly<Record<string, unknown>>;
  if (type !== 'emoji') {
    for (const one of Object.values(node)) collect(one, characters, depth + 1);
    return;
  }
  const written = typeof unicode === 'string' ? charactersOf(unicode) : undefined;
  if (typeof name !== 'string' || written === undefined) return;
  const isToned = typeof tone === 'number' && !name.includes('::');
  characters.set(isToned ? `${name}::skin-tone-${tone}` : name, written);
}

/** The characters of code points such as `1f44b-1f3fc`; undefined where they are none. */
export function charactersOf(unicode: string): string | undefined {
  if (!/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}$/i.test(unicode)) return undefined;
  const points = unicode.split('-').map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : undefined;
}
