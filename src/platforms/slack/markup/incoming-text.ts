import { unescaped } from './safe-text.ts';

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

/** A text without mentions of a user. */
export function withoutMention(slackText: string, user: string): string {
  return slackText.replace(reference, (whole, kind: string, what: string) =>
    kind === '@' && what === user ? ' ' : whole,
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
