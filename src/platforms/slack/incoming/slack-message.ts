import { messageSource, placeSource } from '../../../conversation/index.ts';
import { isTable, mentionedUsers, wordsIn } from '../markup/incoming-text.ts';
import type { MessageFile } from '../media/uploads.ts';

/** A message as events and `conversations.replies` show it, as far as it's read here. */
export interface SlackMessage {
  readonly ts: string;
  readonly subtype?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly bot_profile?: { readonly name?: string };
  /** The name under which an app posted. */
  readonly username?: string;
  readonly text?: string;
  readonly blocks?: readonly { readonly type?: string; readonly text?: unknown }[];
  readonly thread_ts?: string;
  /** Of the message that began a thread, where Slack says it. */
  readonly reply_count?: number;
  readonly files?: readonly MessageFile[];
  readonly attachments?: readonly MessageAttachment[];
}

/** A message event, `message` or `app_mention`. */
export interface MessageEvent extends SlackMessage {
  readonly type: string;
  readonly channel: string;
  /** Not in all events; a direct message's channel tells, too, that it is one. */
  readonly channel_type?: string;
  /** Of a mention that comes again because its message was changed, or because that added it: when. */
  readonly edited?: { readonly ts: string };
  /** The message as it is now, of a change. */
  readonly message?: SlackMessage;
  /** The message as it was, of a change or a deletion. */
  readonly previous_message?: SlackMessage;
  /** Which message was deleted. */
  readonly deleted_ts?: string;
}

/**
 * The id of a message, however often and as whatever event it comes, and whichever of the workspaces that share its channel
 * Slack names then.
 */
export function messageId({ channel, ts }: Pick<MessageEvent, 'channel' | 'ts'>): string {
  return `slack:message:${channel}:${ts}`;
}

/** Which message has this id; undefined for what isn't a message, such as a press. */
export function messageOfId(id: string): Pick<MessageEvent, 'channel' | 'ts'> | undefined {
  const [, channel, ts] = /^slack:message:(?:[^:]+:)?([^:]+):([^:]+)$/.exec(id) ?? [];
  return channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
}

/** A message that's shared or linked to, a preview of a link, or part of another app's message. */
export interface MessageAttachment extends SharedFrom {
  readonly author_name?: string;
  readonly author_subname?: string;
  readonly pretext?: string;
  readonly title?: string;
  readonly text?: string;
  readonly fallback?: string;
  readonly fields?: readonly { readonly title?: string; readonly value?: string }[];
  readonly blocks?: readonly { readonly type?: string }[];
  readonly files?: readonly MessageFile[];
  /** A message somebody shared. */
  readonly is_share?: boolean;
  /** A message whose link somebody posted. */
  readonly is_msg_unfurl?: boolean;
  /** It stands in a private channel, and Slack asks whoever posted the link whether to show it. */
  readonly private_channel_prompt?: boolean;
  readonly message_blocks?: readonly object[];
}

/** Where a message that's shared or linked to stands. */
interface SharedFrom {
  readonly channel_id?: string;
  readonly ts?: string;
  /** Its address. */
  readonly from_url?: string;
}

const plainId = /^\w{1,32}$/;
const timeStamp = /^\d{1,16}\.\d{6}$/;

/**
 * What a quote of a shared message is forgotten with: the message, as far as Slack tells which it is, and its channel, by the
 * id that it had first.
 */
export function sharedSources(
  { channel_id: id, ts, from_url: url = '' }: SharedFrom,
  firstId: (channel: string) => string,
): readonly string[] {
  const [, linked, seconds, rest] = /\/archives\/(\w{1,32})\/p(\d{1,16})(\d{6})(?!\d)/.exec(url) ?? [];
  const channel = firstId(id ?? linked ?? '');
  const message = ts ?? `${seconds}.${rest}`;
  if (!plainId.test(channel)) return [];
  const place = placeSource('slack', channel);
  return timeStamp.test(message) ? [messageSource('slack', message, channel), place] : [place];
}

/** What a quote of a file is forgotten with, wherever it's shared: its id is no other thing's. */
export function fileSources({ id = '' }: MessageFile): readonly string[] {
  return plainId.test(id) ? [messageSource('slack', id)] : [];
}

/** Slack's notices about people and channels; what they say is no part of a conversation. */
const notices =
  /^(?:channel|group|bot_(?:add|remove)|pinned_item|reminder_add|tombstone|assistant_app_thread)/;

/** Whether a message says something, as against a notice of Slack's or one that was deleted. */
export function isSaid({ subtype = '' }: SlackMessage): boolean {
  return !notices.test(subtype);
}

/**
 * The attachments that everybody there is certain to see. Slack doesn't say whether the others are shown: nothing of a private
 * channel is told elsewhere.
 */
export function shownAttachments<A extends MessageAttachment>(attachments: readonly A[] = []): readonly A[] {
  return attachments.filter((attachment) => attachment.private_channel_prompt !== true);
}

/** Whether an attachment is another message. */
export function isSharedMessage({ is_share, is_msg_unfurl, message_blocks }: MessageAttachment): boolean {
  return is_share === true || is_msg_unfurl === true || message_blocks !== undefined;
}

/** Slack's own words where an app has left none beside its blocks. */
const placeholders: readonly string[] = ["This content can't be displayed.", '[no preview available]'];

function unlessPlaceholder(text = ''): string {
  return placeholders.includes(text.trim()) ? '' : text;
}

/**
 * What a message says, its attachments aside; an app’s message in its blocks, which may have no text beside them; a person’s
 * in its text and tables.
 */
export function saidIn({ bot_id, text, blocks }: Pick<SlackMessage, 'bot_id' | 'text' | 'blocks'>): string {
  const said = (bot_id !== undefined && wordsIn(blocks)) || unlessPlaceholder(text);
  const tables = bot_id === undefined ? wordsIn(blocks?.filter(isTable)) : '';
  return [said, tables].filter(Boolean).join('\n');
}

/** The subtype of Slack’s own message about a mention in the text of a canvas. */
export const inCanvas = 'document_mention';

/**
 * A message with what’s said as its text, where that is something else: of a canvas Slack quotes in a block what mentions the
 * bot; of another app, blocks and attachments may mention it (slack-go#961).
 */
export function withWords<M extends SlackMessage>(message: M): M {
  const { bot_id, subtype, text = '', attachments } = message;
  if (subtype === inCanvas) return { ...message, text: wordsIn(message.blocks).replace(/^(?:&gt;){3}/, '') };
  if (bot_id === undefined || mentionedUsers(text).length > 0) return message;
  const said = [saidIn(message), ...shownAttachments(attachments).map(attachmentSays)];
  return { ...message, text: said.filter(Boolean).join('\n') };
}

/** The tables of a message. Slack makes one of cells that somebody pastes, which is no part of the text. */
export function tablesIn({ blocks = [], attachments = [] }: SlackMessage): string {
  const own = attachments.filter((one) => one.from_url === undefined && !isSharedMessage(one));
  return wordsIn([...blocks, ...own.flatMap((one) => one.blocks ?? [])].filter(isTable));
}

/** What an attachment says. */
export function attachmentSays({ pretext, title, text, fields = [], ...rest }: MessageAttachment): string {
  const words = unlessPlaceholder(text) || wordsIn(rest.blocks) || wordsIn(rest.message_blocks);
  const named = fields.map((field) => [field.title, field.value].filter(Boolean).join(': '));
  return [pretext, title, words, ...named].filter(Boolean).join('\n') || unlessPlaceholder(rest.fallback);
}

/** Whether an attachment is a message that says something: a picture alone can't be answered. */
export function hasWords({ fallback: _, ...attachment }: MessageAttachment): boolean {
  return isSharedMessage(attachment) && attachmentSays(attachment).trim() !== '';
}

/** The files of a message that are still there: a deleted one leaves a mark. */
export function filesIn({ files = [] }: Pick<SlackMessage, 'files'>): readonly MessageFile[] {
  return files.filter(({ mode }) => mode !== 'tombstone');
}
