import { type Address, type Job, type Locale, localeOf } from '../../../port/index.ts';

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

/** What an {@link InteractionToken} is made of. */
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
