import { type Address, type Job, type Locale, localeOf } from '../../../port/index.ts';

/** The channel id that requests about an address name: a thread is a channel of its own. */
export function channelIdOf({ channel, thread }: Address): string {
  return thread ?? channel;
}

/** Whether an address is a direct message: its channel stands in for a server. */
export function isDirectMessage({ workspace, channel }: Address): boolean {
  return workspace === channel;
}

/** Milliseconds from Unix's epoch to that of snowflakes. */
const discordEpoch = 1_420_070_400_000;

/** The id that something had which was made at a time, in milliseconds: what's made later has a greater one (reference, snowflakes). */
export function snowflakeAt(time: number): string {
  return (BigInt(time - discordEpoch) << 22n).toString();
}

/** Whether all of these are Discord ids (reference, snowflakes): nothing else is used in a request's path. */
export function areSnowflakes(...ids: readonly unknown[]): boolean {
  return ids.every((id) => typeof id === 'string' && /^\d{1,20}$/.test(id));
}

/** Whether this can be an interaction's token: a text that isn't a step of a path. */
export function isToken(token: unknown): boolean {
  return typeof token === 'string' && !/^\.{0,2}$/.test(token);
}

type Acknowledgement = Readonly<Record<string, string>>;

/** What the name of a press's token in an acknowledgement begins with; its interaction's id comes after that. */
const ofPress = 'press ';

/** Milliseconds for which a token is used: it lives for 15 minutes, and work under way needs time to be handed over. */
export const tokenLifetime = 14 * 60_000;

/** An interaction's token and what it allows. Kept in addresses where the bot can post only by the token. */
export interface InteractionToken {
  readonly token: string;
  /** The end of its use, in milliseconds since the epoch. */
  readonly until: number;
  /** The person who caused the interaction; after the token's end they get a direct message instead. */
  readonly user: string;
  readonly locale: Locale;
  /** Bytes a file may have. */
  readonly uploadLimit: number;
  /** Whether only that person sees what is posted. */
  readonly hidden: boolean;
}

/** The parts of an {@link InteractionToken}. */
export interface TokenSource extends Pick<InteractionToken, 'token' | 'locale' | 'uploadLimit' | 'hidden'> {
  readonly userId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** The token of an interaction, for as long as it’s used. */
export function interactionToken(interaction: TokenSource): InteractionToken {
  const { token, receivedAt, userId, locale, uploadLimit, hidden } = interaction;
  return { token, until: receivedAt + tokenLifetime, user: userId, locale, uploadLimit, hidden };
}

/** A token as an address stores it. */
export function serializeToken(interactionToken: InteractionToken): Record<string, string> {
  const { token, until, user, locale, uploadLimit, hidden } = interactionToken;
  return {
    token,
    until: String(until),
    user,
    locale,
    uploadLimit: String(uploadLimit),
    hidden: String(hidden),
  };
}

/** Reads a stored token; undefined if the fields aren't one. */
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

/**
 * The token of a press as its acknowledgement. It stays beside those before it where the press answers a question: Discord may
 * never have heard that the press was acknowledged, and then knows no message by its token.
 */
export function pressAcknowledgement(interaction: TokenSource & { readonly id: string }): Acknowledgement {
  return { [`${ofPress}${interaction.id}`]: JSON.stringify(serializeToken(interactionToken(interaction))) };
}

/** The tokens in an acknowledgement, the newest first. */
export function acknowledgedBy(acknowledgement: Acknowledgement): readonly InteractionToken[] {
  const presses = Object.entries(acknowledgement).filter(([key]) => key.startsWith(ofPress));
  const all = [acknowledgement, ...presses.map(([, fields]) => JSON.parse(fields) as Acknowledgement)];
  return all
    .map(parseToken)
    .filter((token) => token !== undefined)
    .toReversed();
}

/** The tokens that may know a job's answer, the newest first. */
export function tokensOf({ acknowledgement = {}, address }: Pick<Job, 'acknowledgement' | 'address'>) {
  const ofAddress = tokenOfAddress(address);
  const acknowledged = acknowledgedBy(acknowledgement);
  return acknowledged.length === 0 && ofAddress ? [ofAddress] : acknowledged;
}

/** The token stored in an address; undefined if the bot posts there as itself. */
export function tokenOfAddress({ platformData, onlyFor }: Address): InteractionToken | undefined {
  const token = platformData && parseToken(platformData);
  return token && onlyFor !== undefined ? { ...token, hidden: true } : token;
}
