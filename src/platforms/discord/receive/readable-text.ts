import type { Locale } from '../../../port/index.ts';
import { discordWords } from '../words.ts';

/** Finds what people call somebody or something; undefined where that isn't known. */
export interface Names {
  readonly user: (id: string) => string | undefined;
  readonly role: (id: string) => string | undefined;
  readonly channel: (id: string) => string | undefined;
}

/**
 * What Discord writes for a mention, an emoji, a command and a moment (reference, message formatting). Every part is
 * bounded, so that hostile text costs no more than its length.
 */
const token =
  /<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,32}):\d{1,20}|\/(?<command>[^:<>\n]{1,64}):\d{1,20}|t:(?<moment>-?\d{1,11})(?::[a-zA-Z])?)>/g;

/** A text as its writer sees it: names in the place of ids, a neutral word where a name isn't known. */
export function namedText(text: string, names: Names, locale: Locale): string {
  const { someone, someRole, someChannel } = discordWords(locale);
  return text.replace(token, (whole, ...matched) => {
    const { user, role, channel, emoji, command, moment } = matched.at(-1) as Record<
      string,
      string | undefined
    >;
    if (user) return `@${names.user(user) ?? someone}`;
    if (role) return `@${names.role(role) ?? someRole}`;
    if (channel) return `#${names.channel(channel) ?? someChannel}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    return moment ? momentText(Number(moment)) : whole;
  });
}

/** Seconds since the epoch as a moment that everybody reads the same way. */
function momentText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
