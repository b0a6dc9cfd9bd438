import type {
  APIInteractionDataResolved,
  APIUser,
  GatewayMessageCreateDispatchData,
} from 'discord-api-types/v10';
import type { Locale } from '../../../port/index.ts';
import type { RawInteraction } from '../connection/connections.ts';
import type { Identity } from '../connection/own-application.ts';
import { isVisibleTo, nameOf, seenWhere } from '../servers/server.ts';
import type { Servers } from '../servers/servers.ts';
import { discordWords } from '../words.ts';

/** Looks up the names behind ids; undefined if a name isn't known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

/**
 * Discord's notation for mentions, emoji, commands, pages of servers and timestamps (reference, message formatting). Every part has a
 * maximum length, so that matching a hostile text takes time in proportion to its length only.
 */
const reference =
  /(?<!\\)<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,32}):\d{1,20}|\/(?<command>[^:<>\n]{1,64}):\d{1,20}|id:(?<page>[a-z-]{1,32})(?::\d{1,20})?|t:(?<timestamp>-?\d{1,11})(?::[a-zA-Z])?)>/g;

/**
 * A text as its author sees it: with names instead of ids, and a neutral word for a name that isn't known. Code stays as it's
 * written.
 */
export function readableText(text: string, names: Names, locale: Locale): string {
  return changeProse(text, (prose) => readableProse(prose, names, locale));
}

function readableProse(text: string, names: Names, locale: Locale): string {
  const unknown = () => discordWords(locale);
  return text.replace(reference, (whole, ...matched) => {
    const { user, role, channel, emoji, command, page, timestamp } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (user) return `@${names.user(user) ?? unknown().someone}`;
    if (role) return `@${names.role(role) ?? unknown().someRole}`;
    if (channel) return `#${names.channel(channel) ?? unknown().someChannel}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    if (page) return `#${page}`;
    return timestamp ? timestampText(Number(timestamp)) : whole;
  });
}

/** Seconds since the epoch as a date and time in UTC. */
function timestampText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Who knows names: of the bot itself, and of a server's roles and channels. */
export interface NameSources {
  readonly identity: () => Identity;
  readonly servers: Pick<Servers, 'server'>;
}

/**
 * Names that are known without asking; other people's are not. `writer`: who names channels by their ids. Nobody learns the name
 * of one that's hidden from them, neither who writes nor who reads it there.
 */
function knownNames(
  { identity, servers }: NameSources,
  { serverId, channelId }: { readonly serverId: string | undefined; readonly channelId: string },
  writer: { readonly id: string; readonly roles: readonly string[] },
): Names {
  const me = identity();
  const server = servers.server(serverId ?? '');
  const here = server?.channels.get(channelId);
  let isSeenByAll: ReturnType<typeof seenWhere> | undefined;
  return {
    user: (id) => (id === me.id ? (server?.me?.nick ?? me.name) : undefined),
    role: (id) => server?.roles.get(id)?.name,
    channel(id) {
      const channel = server?.channels.get(id);
      if (!channel || !here || !isVisibleTo(channel, writer)) return undefined;
      isSeenByAll ??= seenWhere(here);
      return isSeenByAll(channel) ? channel.name : undefined;
    },
  };
}

/** Names for a message: from its mentions and its author, else those that are known. */
export function namesInMessage(message: GatewayMessageCreateDispatchData, sources: NameSources): Names {
  const { author, member, mentions, guild_id: serverId, channel_id: channelId } = message;
  const known = knownNames(sources, { serverId, channelId }, { id: author.id, roles: member?.roles ?? [] });
  return {
    ...known,
    user: (id) => {
      const mentioned = mentions.find((one) => one.id === id);
      if (mentioned) return mentioned.member?.nick ?? nameOf(mentioned);
      return id === author.id ? (member?.nick ?? nameOf(author)) : known.user(id);
    },
  };
}

/** Names for a message that another one brings along: from its own mentions, else the other's names. */
export function namesInQuoted(names: Names, mentions: readonly APIUser[] = []): Names {
  const nameIn = (id: string) => {
    const user = mentions.find((one) => one.id === id);
    return user && nameOf(user);
  };
  return { ...names, user: (id) => nameIn(id) ?? names.user(id) };
}

/** Names for an interaction's texts: from its resolved data (uncertain: discord.js#6728), else those that are known. */
export function namesInInteraction(
  { guild_id: serverId, channel, member, user = member?.user }: RawInteraction,
  resolved: Partial<Pick<APIInteractionDataResolved, 'users' | 'members' | 'roles'>> = {},
  sources: NameSources,
): Names {
  const place = { serverId, channelId: channel?.id ?? '' };
  const known = knownNames(sources, place, { id: user?.id ?? '', roles: member?.roles ?? [] });
  return {
    ...known,
    user: (id) => {
      const found = resolved.users?.[id] ?? (id === user?.id ? user : undefined);
      const nick = resolved.members?.[id]?.nick ?? (id === user?.id ? member?.nick : undefined);
      return nick ?? (found ? nameOf(found) : known.user(id));
    },
    role: (id) => resolved.roles?.[id]?.name ?? known.role(id),
  };
}

/** A part of a message: code, which Discord shows as it's written and in which nobody is mentioned, or what's around it. */
interface Part {
  readonly text: string;
  readonly isCode: boolean;
}

/** A message in parts. Code ends with as many backticks as it begins with. Takes time in proportion to the length. */
function partsOf(text: string): readonly Part[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index: start }) => ({ start, length }));
  const last = new Map(runs.map(({ start, length }) => [length, start]));
  const parts: Part[] = [];
  let from = 0;
  let open: (typeof runs)[number] | undefined;
  for (const run of runs) {
    if (open?.length === run.length) {
      const end = run.start + run.length;
      parts.push({ text: text.slice(open.start, end), isCode: true });
      from = end;
      open = undefined;
    } else if (!open && last.get(run.length) !== run.start && text[run.start - 1] !== '\\') {
      parts.push({ text: text.slice(from, run.start), isCode: false });
      open = run;
    }
  }
  return [...parts, { text: text.slice(from), isCode: false }];
}

/** Changes a message outside of code. */
function changeProse(text: string, change: (prose: string) => string): string {
  return partsOf(text)
    .map((part) => (part.isCode ? part.text : change(part.text)))
    .join('');
}

/** A message without its code. */
export function proseIn(text: string): string {
  return partsOf(text)
    .map((part) => (part.isCode ? ' ' : part.text))
    .join('');
}

/** Splits a message outside of code. */
export function splitProse(text: string, at: RegExp): readonly string[] {
  const pieces: string[] = [];
  for (const part of partsOf(text)) {
    const [first = '', ...more] = part.isCode ? [part.text] : part.text.split(at);
    pieces.push((pieces.pop() ?? '') + first, ...more);
  }
  return pieces;
}
