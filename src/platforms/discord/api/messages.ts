import { createHash } from 'node:crypto';
import type { RawFile } from '@discordjs/rest';
import { DiscordSnowflake } from '@sapphire/snowflake';
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIMediaGalleryComponent,
  type APITextDisplayComponent,
  ButtonStyle,
  ComponentType,
  MessageFlags,
  MessageType,
  RESTJSONErrorCodes,
} from 'discord-api-types/v10';
import { shortened, withoutSpoilers } from '../../../lib/text.ts';
import {
  type Address,
  type Button,
  buttonRows,
  type DeletedMessages,
  eventsComeWithin,
  type Job,
  type Locale,
  localeOf,
  type Message,
  type MessageAddress,
} from '../../../port/index.ts';
import { splitMarkdown } from '../../../reply/index.ts';
import { errorCode } from './errors.ts';
import type { Pace } from './rate-limits.ts';

/** Characters of a message (resources/message). */
export const maxMessageLength = 2000;
const buttonsPerRow = 5;
/** Rows of buttons of a message (components/reference). */
const maxRows = 5;
/** Characters of a file's description (resources/message). */
const maxDescription = 1024;
/** A link that Discord would fetch a preview of. */
const bareLink = /(?<!<)https?:\/\/[^\s<>()]+/g;

type ButtonRow = APIActionRowComponent<APIButtonComponentWithCustomId>;
/** What the bot's messages consist of; without a gallery, only rows of buttons. */
export type BodyComponent = ButtonRow | APITextDisplayComponent | APIMediaGalleryComponent;

/** What a request about a message says, without the content of its files. */
export interface MessageBody {
  /** Null where its text is a component, so that an edit takes the text away that was there. */
  readonly content?: string | null;
  readonly components?: BodyComponent[];
  readonly flags?: number;
  readonly allowed_mentions?: { parse: []; users?: string[] };
  readonly attachments?: readonly {
    readonly id: string;
    readonly filename?: string;
    readonly description?: string;
    readonly duration_secs?: number;
    readonly waveform?: string;
    readonly is_spoiler?: boolean;
  }[];
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists: false };
}

/** What's sent to be shown as a message, and when it may be sent; at once where that's left out. */
export interface MessageContent {
  readonly body: MessageBody;
  readonly files?: readonly RawFile[];
  readonly pace?: Pace | undefined;
}

/** What makes a message a reply. */
type ReplyReference = Required<Pick<MessageBody, 'message_reference'>>;

/**
 * Posts as a reply to a message; where Discord refuses that, which posts nothing, without `reply`: the permission for it may be
 * missing (160002).
 */
export async function asReplyTo<T>(
  message: string,
  post: (reply?: ReplyReference) => Promise<T>,
  isRefusal = isHistoryMissing,
): Promise<T> {
  try {
    return await post({ message_reference: { message_id: message, fail_if_not_exists: false } });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return post();
  }
}

/** Whether the bot may post, and not reply. */
export function isHistoryMissing(error: unknown): boolean {
  return errorCode(error) === RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory;
}

/** A message as it's read, with the lists that Discord always sends and others' servers in its place may leave out. */
export function withLists<M extends object>(message: M): M {
  const lists = { mentions: [], mention_roles: [], attachments: [], embeds: [] };
  return { type: MessageType.Default, content: '', edited_timestamp: null, ...lists, ...message };
}

/** A text that pings nobody but `mentions` and has no link previews, with exactly these buttons. */
export function messageBody(
  content: string,
  buttons: readonly Button[] = [],
  mentions: readonly string[] = [],
) {
  return {
    content,
    components: rowsOf(buttons),
    flags: MessageFlags.SuppressEmbeds as number,
    allowed_mentions: { parse: [] as [], ...(mentions.length > 0 && { users: [...mentions] }) },
  };
}

/** The same with previews, for a message that links to a result: a video then plays in the message. */
export function messageBodyWithPreview(content: string, buttons: readonly Button[] = []) {
  return { ...messageBody(content, buttons), flags: 0 };
}

/**
 * Bytes that components may take in UTF-8: over that Discord fails, and says by no code why (discord-api-docs#8554, #7310). How much
 * is around a file isn't known.
 */
const [mostComponentBytes, bytesAroundFile] = [10_000, 600];

/**
 * The same text and buttons around a gallery of uploaded files (components version 2): it has no content, and never a
 * preview. @param attachments The uploads, by the names that the gallery shows them with.
 */
export function galleryBody(
  { content, components = [], flags = 0, allowed_mentions, message_reference }: MessageBody,
  attachments: NonNullable<MessageBody['attachments']>,
): MessageBody {
  const taken = Buffer.byteLength(JSON.stringify([content, components]));
  const room = (mostComponentBytes - taken) / attachments.length - bytesAroundFile;
  const items = attachments.map(({ filename = '', description, is_spoiler: spoiler = false }) => ({
    media: { url: `attachment://${filename}` },
    ...(description !== undefined && describedIn(room, description)),
    spoiler,
  }));
  return {
    content: null,
    components: [
      ...(content ? [{ type: ComponentType.TextDisplay as const, content }] : []),
      { type: ComponentType.MediaGallery, items },
      ...components,
    ],
    flags: flags | MessageFlags.IsComponentsV2,
    ...(allowed_mentions && { allowed_mentions }),
    ...(message_reference && { message_reference }),
    attachments,
  };
}

/** A description in at most so many bytes; a UTF-16 unit takes three at most. None where there's no room. */
function describedIn(bytes: number, description: string): { readonly description?: string } {
  if (Buffer.byteLength(description) <= bytes) return { description };
  return bytes < 3 ? {} : { description: shortened(description, Math.floor(bytes / 3)) };
}

/** A message's text in pieces that each fit one message and render on their own; at least one, which may be empty. */
export function splitText({ text, mentions = [], link, spoiler }: Message): readonly [string, ...string[]] {
  const shown = link === undefined ? text : text?.replaceAll(bareLink, '<$&>');
  // Discord previews a hidden link, hidden as well, only where spaces keep it apart from the bars.
  const address = link !== undefined && spoiler ? `|| ${link} ||` : link;
  const parts = [mentions.map((id) => `<@${id}>`).join(' '), shown, address];
  const [first = '', ...more] = splitMarkdown(parts.filter(Boolean).join('\n'), {
    maxLength: maxMessageLength,
  });
  return [first, ...more];
}

/** The field `attachments`, which describes the files of a request. */
export function attachmentFields(
  files: readonly { readonly name: string; readonly description: string }[],
  spoiler?: boolean,
) {
  return files.map(({ name, description }, index) => ({
    id: String(index),
    filename: name,
    ...(description !== '' && { description: shortened(withoutSpoilers(description), maxDescription) }),
    ...(spoiler && { is_spoiler: true }),
  }));
}

const styles = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

function rowsOf(buttons: readonly Button[]): ButtonRow[] {
  return buttonRows(buttons, buttonsPerRow)
    .slice(0, maxRows)
    .map((row) => ({
      type: ComponentType.ActionRow as const,
      components: row.map((button) => ({
        type: ComponentType.Button as const,
        style: styles[button.style ?? 'plain'],
        custom_id: button.id,
        label: button.label,
      })),
    }));
}

/** Milliseconds for which Discord certainly recognises a nonce; its documentation says "the past few minutes". */
export const nonceLifetime = 2 * 60_000;

/** A hash of the parts in 25 characters, the longest nonce that Discord accepts. */
export function nonceOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 25);
}

/** The channel id that requests about an address name: a thread is a channel of its own. */
export function channelIdOf({ channel, thread }: Address): string {
  return thread ?? channel;
}

/** Whether an address is a direct message: its channel stands in for a server. */
export function isDirectMessage({ workspace, channel }: Address): boolean {
  return workspace === channel;
}

/** A message's address for people; one in direct messages has no server. */
export function linkToMessage(server: string | undefined, channel: string, message: string): string {
  return `https://discord.com/channels/${server ?? '@me'}/${channel}/${message}`;
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

/**
 * How old a message gets, in milliseconds, before its edits are few: Discord takes only a few once it's an hour old (30046,
 * discord-api-docs#4381), and doesn't say how many (#4413). What's under way then needs time to end.
 */
const editedFreelyFor = 55 * 60_000;

/**
 * None of the bot's messages is from before, in milliseconds since the epoch: the ids of something that stands in for Discord
 * may only count.
 */
const earliest = Date.UTC(2025, 0);

/** Whether a message takes any number of edits now. One that only a token knows, by another name, is younger than an hour. */
export function takesManyEdits({ message }: Pick<MessageAddress, 'message'>, now: number): boolean {
  if (!areSnowflakes(message)) return true;
  const madeAt = DiscordSnowflake.timestampFrom(message);
  return madeAt < earliest || now - madeAt < editedFreelyFor;
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
interface TokenSource extends Pick<InteractionToken, 'token' | 'locale' | 'uploadLimit' | 'hidden'> {
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
function parseToken(fields: Readonly<Record<string, string>>): InteractionToken | undefined {
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

/**
 * Whether a message gave a job, not an interaction: a command's or form's own token would be in its acknowledgement, and a
 * press on record.
 */
export function isGivenByMessage({ acknowledgement = {}, address, press }: Job): boolean {
  return press === undefined && !parseToken(acknowledgement) && !tokenOfAddress(address);
}

/** What Discord tells of messages that are deleted: one of a person is its own event. */
export function deletedMessages(ids: readonly string[], now: number): DeletedMessages {
  const recent = ids.filter((id) => now - DiscordSnowflake.timestampFrom(id) < eventsComeWithin);
  return { platform: 'discord', messages: ids, events: ids, recent };
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
