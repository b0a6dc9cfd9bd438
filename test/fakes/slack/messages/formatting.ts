import type { Json, Workspace } from '../records.ts';

/** Who a text rings for, and which addresses in it Slack would fetch. */

const ping =
  /<(?:!(channel|here|everyone)(?:\|[^>]*)?|!subteam\^(\w+)(?:\|[^>]*)?|@([UWB]\w+)(?:\|[^>]*)?)>/g;

/** `channel`, `here`, `everyone`, group and user ids that a text rings for. */
export function pingsIn(text: string): string[] {
  return [...text.matchAll(ping)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** What Slack takes for a mention of a whole channel, though it's written as plain words (automatic parsing). */
const plainPing = /(?<![A-Za-z0-9])@(channel|here|everyone|group)(?![A-Za-z0-9])/gi;

/** Whom the plain words of a text ring for, where Slack parses them. */
export function plainPingsIn(text: string): string[] {
  return [...text.matchAll(plainPing)].map((match) => (match[1] ?? '').toLowerCase());
}

/** A text as Slack gives it back where it has parsed such words. */
export function withPlainPings(text: string): string {
  return text.replace(plainPing, (_, name: string) => `<!${name.toLowerCase()}>`);
}

/** URLs anywhere in a text. */
export function addressesIn(text: string): string[] {
  return text.match(/\bhttps?:\/\/[^\s<>|)\]]+/g) ?? [];
}

/** Undoes what Slack's escaping does, as a reader sees it. */
export function shownText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * What a person types after a command whose manifest says `should_escape`: people, groups, channels and links come as
 * references. Whether groups do is not documented.
 */
export function withReferences(text: string, workspace: Workspace, groupsToo: boolean): string {
  const find = <T>(all: ReadonlyMap<string, T>, fits: (one: T) => boolean) => [...all.values()].find(fits);
  return escaped(text)
    .replace(/(?<![\w<|])@([\w.-]+)/g, (whole, name: string) => {
      if (['here', 'channel', 'everyone'].includes(name)) return `<!${name}>`;
      const user = find(workspace.users, (one) => one.name === name);
      if (user) return `<@${user.id}|${user.name}>`;
      const group = groupsToo ? find(workspace.groups, (one) => one.handle === name) : undefined;
      return group ? `<!subteam^${group.id}|@${name}>` : whole;
    })
    .replace(/(?<![\w<|&])#([\w-]+)/g, (whole, name: string) => {
      const channel = find(workspace.channels, (one) => one.name === name);
      return channel ? `<#${channel.id}|${channel.kind === 'channel' ? name : ''}>` : whole;
    })
    .replace(/(?<!<)https?:\/\/[^\s<>|]+/g, '<$&>');
}

/** The names of some emoji by their characters; an app never gets those characters in a text (formatting). */
const emojiNames: Readonly<Record<string, string>> = {
  '👋': 'wave',
  '🎉': 'tada',
  '🐱': 'cat',
  '🛹': 'skateboard',
};
const typedEmoji = /(👋|🎉|🐱|🛹)([\u{1f3fb}-\u{1f3ff}])?|:([\w-]+):/gu;
const hex = (characters: string) => [...characters].map((one) => one.codePointAt(0)?.toString(16)).join('-');

/** The number in `:skin-tone-2:` to `:skin-tone-6:`. */
const toneOf = (modifier: string) => (modifier.codePointAt(0) ?? 0) - 0x1f3fb + 2;

/** What a person types with its emoji in colons. */
export function withCodes(text: string): string {
  return text.replace(typedEmoji, (whole, emoji?: string, tone?: string) =>
    emoji === undefined ? whole : `:${emojiNames[emoji]}:${tone ? `:skin-tone-${toneOf(tone)}:` : ''}`,
  );
}

/** The block of what a person types, where it has emoji; the workspace's own ones, in colons, have no characters. */
export function emojiBlocks(text: string): Json[] {
  const emoji = [...text.matchAll(typedEmoji)].map(([whole, one, tone, custom]) => ({
    type: 'emoji',
    name: custom ?? emojiNames[one ?? ''] ?? '',
    ...(one !== undefined && { unicode: hex(whole) }),
    ...(tone !== undefined && { skin_tone: toneOf(tone) }),
  }));
  if (emoji.length === 0) return [];
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: emoji }] }];
}

/** Escapes what a person types, as Slack does before it hands it to an app. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replace(/<(?!@[UW]\w+>|#C\w+)/g, '&lt;')
    .replace(/(?<!<@[UW]\w{1,20}|<#C\w{1,20}(?:\|[\w-]{0,80})?)>/g, '&gt;');
}
