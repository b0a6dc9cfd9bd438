import { type Address, type Locale, localeOf } from '../../../port/index.ts';

/** What an interaction allows, and for how long; kept in the addresses of places only it can reach. */
export interface InteractionToken {
  readonly token: string;
  /** Milliseconds since the epoch from which on the token is not used any more. */
  readonly until: number;
  /** Who asked: where the token is dead, what is left is a direct message. */
  readonly user: string;
  readonly locale: Locale;
  /** Bytes a file may have there. */
  readonly uploadLimit: number;
  /** Only the one who asked sees what is posted. */
  readonly hidden: boolean;
}

/** The token as an address keeps it. */
export function serializeToken({
  token,
  until,
  user,
  locale,
  uploadLimit,
  hidden,
}: InteractionToken): Record<string, string> {
  return {
    token,
    until: String(until),
    user,
    locale,
    uploadLimit: String(uploadLimit),
    hidden: String(hidden),
  };
}

/** The token of an address, undefined where the bot token reaches the place. */
export function tokenOfAddress({ platformData }: Address): InteractionToken | undefined {
  return platformData && parseToken(platformData);
}

/** A token from what was kept of it. */
export function parseToken(fields: Readonly<Record<string, string>>): InteractionToken | undefined {
  const { token, until, user, locale, uploadLimit, hidden } = fields;
  if (token === undefined || user === undefined) return undefined;
  return {
    token,
    until: Number(until),
    user,
    locale: localeOf(locale),
    uploadLimit: Number(uploadLimit),
    hidden: hidden === 'true',
  };
}

/** The channel that a request about an address names: threads are channels of their own. */
export function channelIdOf({ channel, thread }: Address): string {
  return thread ?? channel;
}

/** Direct messages are their own server. */
export function isDirectMessage({ workspace, channel }: Address): boolean {
  return workspace === channel;
}
