import type { Locale } from '../../../../port/index.ts';
import { discordWords } from '../../words.ts';

/** Looks up the names behind ids; undefined if a name isn't known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

/**
 * Discord's notation for mentions, emoji, commands and timestamps (reference, message formatting). Every part has a
 * maximum length, so that matching a hostile text takes time in proportion to its length only.
 */
const reference =
  /<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,32}):\d{1,20}|\/(?<command>[^:<>\n]{1,64}):\d{1,20}|t:(?<timestamp>-?\d{1,11})(?::[a-zA-Z])?)>/g;

/** A text as its author sees it: with names instead of ids, and a neutral word for a name that isn't known. */
export function readableText(text: string, names: Names, locale: Locale): string {
  const { someone, someRole, someChannel } = discordWords(locale);
  return text.replace(reference, (whole, ...matched) => {
    const { user, role, channel, emoji, command, timestamp } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (user) return `@${names.user(user) ?? someone}`;
    if (role) return `@${names.role(role) ?? someRole}`;
    if (channel) return `#${names.channel(channel) ?? someChannel}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    return timestamp ? timestampText(Number(timestamp)) : whole;
  });
}

/** Seconds since the epoch as a date and time in UTC. */
function timestampText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
