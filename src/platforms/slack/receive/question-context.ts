import { messageSource, ownMessage, type Quote, quoted, quotedFile } from '../../../conversation/index.ts';
import { inTime } from '../../../lib/clock.ts';
import { type NamedFile, readTexts, textFiles, type TextsOfFiles } from '../../../lib/text-files.ts';
import type { Locale } from '../../../port/index.ts';
import { fileNotes, withoutMachineNotes } from '../../../words/index.ts';
import type { SlackApi } from '../api/slack-api.ts';
import {
  attachmentSays,
  filesIn,
  fileSources,
  hasWords,
  isSharedMessage,
  type MessageAttachment,
  saidIn,
  sharedSources,
  shownAttachments,
  type SlackMessage,
  tablesIn,
} from '../incoming/slack-message.ts';
import type { ReadThread } from '../incoming/thread-reader.ts';
import { type NameOf, withEmoji, withoutMention, writtenText } from '../markup/incoming-text.ts';
import { download } from '../media/files.ts';
import { addressOf, emailIn, type MessageFile } from '../media/uploads.ts';
import { namesIn } from '../people/people.ts';
import type { SlackServices } from '../services.ts';
import { slackWords } from '../words.ts';

/**
 * How long a question waits for what it refers to, and of that for its thread, whose people and files are looked up after it,
 * in milliseconds: its event is acknowledged within three seconds.
 */
const patience = 1_500;
const threadPatience = 1_200;
/** People of a thread whose names are looked up. */
const maxNames = 30;

/** The messages that a question refers to. */
interface QuestionContext {
  /** Quotes for the model; undefined if there are none. */
  readonly context: string | undefined;
  /** Whether the message itself shares something, so that it needs no words. */
  readonly shares: boolean;
  /** Lines about what couldn't be read, shown above the answer. */
  readonly notes: readonly string[];
}

/** Where a question was asked. */
interface AskedAt {
  readonly workspace: string;
  readonly botUser: string;
  readonly channel: string;
  readonly locale: Locale;
  /** The thread whose messages belong to the question; undefined where they don't. */
  readonly thread: string | undefined;
}

/** What a question refers to: its thread so far, messages shared with it, text files. What Slack doesn't tell in time is left out. */
export async function questionContext(
  services: SlackServices,
  asked: SlackMessage,
  at: AskedAt,
): Promise<QuestionContext> {
  const { api, clock, contextTokens } = services;
  const message = { ...asked, attachments: shownAttachments(asked.attachments) };
  const begun = clock.steady();
  const inTimeOr: InTimeOr = (otherwise, work, limit = patience) =>
    inTime(clock, Math.max(0, limit - (clock.steady() - begun)), work, otherwise);
  const read = (files: readonly QuotableFile[]) => readFiles(api, at.workspace, files, inTimeOr);
  const place = placeOf(services, at);
  const ownFiles = read([...filesIn(message).map(withSources([])), ...sharedFiles(message, place)]);
  const thread = await inTimeOr(unreadThread, readThread(services, message, at), threadPatience);
  const { messages, leftOutBefore } = quotable(thread ?? unreadThread, contextTokens);
  const newest = messages.toReversed();
  const people = { ids: authorsOf(newest), most: maxNames };
  // Its own words aren't quoted.
  const texts = textsIn([{ ...message, text: '' }, ...newest]);
  const [{ nameOf }, own, others] = await Promise.all([
    inTimeOr(nobodyKnown, namesIn(services, at, texts, people)),
    ownFiles,
    read(filesOf(messages, place, at)),
  ]);
  const names = { ...place, nameOf, botUser: at.botUser };
  const whole = own.read.map((one): Quote => ({ ...quoteOf(one), keep: 'whole' }));
  const hidden = [...own.unseen, ...own.unread];
  const quotes = [
    ...others.read.map((one): Quote => ({ ...quoteOf(one), isThere: true })),
    ...quotedMessages(messages, at.thread ?? '', names).map((quote, index): Quote => ({
      ...quote,
      leftOut: leftOutBefore(index),
    })),
    ...ownQuotes(message, names),
    ...whole,
    ...(hidden.length > 0 ? [{ title: unknownFiles, text: hidden.join(', '), keep: 'whole' as const }] : []),
  ];
  return {
    context: quoted(quotes, contextTokens),
    shares: whole.length > 0 || bringsWords(message),
    notes: [
      ...threadNotes(thread, at.locale),
      ...fileNotes({ ...own, unseen: [...own.unseen, ...others.unseen] }, at.locale),
    ],
  };
}

/** What some work gives in time, or else something instead. */
type InTimeOr = <T>(otherwise: T, work: Promise<T>, limit?: number) => Promise<T>;

const unreadThread: ReadThread = { messages: [], known: 'none' };
const nobodyKnown = { nameOf: () => undefined, groups: [] };

/** Characters of Slack's markup that may be one token: of the same sign four are, each escaped. */
const mostOfToken = 20;

/** What may be quoted of a thread, however long that is: how it began, and its newest messages. */
function quotable({ messages, leftOut }: Pick<ReadThread, 'messages' | 'leftOut'>, tokens: number) {
  let room = tokens * mostOfToken;
  const last = messages.findLastIndex((message) => {
    room -= textsIn([message]).length;
    return room < 0;
  });
  const kept = messages.filter((_, index) => index === 0 || index >= last);
  const gap = leftOut && kept.findIndex(({ ts }) => Number(ts) >= Number(leftOut.before));
  const leftOutBefore = (index: number) =>
    (index === 1 ? messages.length - kept.length : 0) + (index === gap ? (leftOut?.count ?? 0) : 0);
  return { messages: kept.map(withEmoji), leftOutBefore };
}

/** Whether what a message brings can be answered without a word of one’s own. */
function bringsWords(message: SlackMessage): boolean {
  return tablesIn(message) !== '' || message.attachments?.some(hasWords) === true;
}

/** What a message brings itself: messages that it shares, and its tables. */
function ownQuotes(message: SlackMessage, names: Names): readonly Quote[] {
  const text = written(tablesIn(message), names);
  return [
    ...quotedShares(message, names),
    ...(text === '' ? [] : [{ title: 'table', text, keep: 'whole' as const }]),
  ];
}

function placeOf({ channelIds }: SlackServices, { channel }: AskedAt): Pick<Names, 'channel' | 'firstId'> {
  return { channel, firstId: (id) => channelIds.first(id) };
}

const unknownFiles = 'names of attached files that you can’t see or hear';

async function readThread(
  { threadReader }: SlackServices,
  { ts }: SlackMessage,
  { workspace, channel, thread }: AskedAt,
): Promise<ReadThread | undefined> {
  return thread === undefined ? undefined : threadReader.read(workspace, channel, thread, ts);
}

/** Files of messages that somebody shared with theirs. */
function sharedFiles(
  { attachments = [] }: SlackMessage,
  { firstId }: Pick<Names, 'firstId'>,
): readonly QuotableFile[] {
  return attachments
    .filter(isSharedMessage)
    .flatMap((shared) => filesIn(shared).map(withSources(sharedSources(shared, firstId))));
}

/** Files of a thread, those of its newest messages first; the bot knows what it made itself. */
function filesOf(
  messages: readonly SlackMessage[],
  place: Pick<Names, 'channel' | 'firstId'>,
  { botUser }: AskedAt,
): readonly QuotableFile[] {
  const others = messages.filter(({ user }) => user !== botUser);
  return others.toReversed().flatMap((message) => {
    const sources = sourcesOf(message, place);
    return filesIn(message).map(withSources(sources));
  });
}

function quoteOf({ file: { sources }, ...read }: TextsOfFiles<DescribedFile>['read'][number]): Quote {
  return quotedFile({ ...read, sources });
}

/** A file with what a quote of it is forgotten with: what it stands in (`sources`), and the file itself. */
function withSources(sources: readonly string[]): (file: MessageFile) => QuotableFile {
  return (file) => ({ ...file, sources: [...sources, ...fileSources(file)] });
}

function threadNotes(thread: ReadThread | undefined, locale: Locale): readonly string[] {
  const { threadPartly, threadUnread } = slackWords(locale);
  if (thread === undefined || thread.known === 'all') return [];
  return [thread.known === 'part' ? threadPartly : threadUnread];
}

/** What a file without a name is called. */
const namelessFile = 'file';
/** How long the question waits for Slack's rate limit, in milliseconds. */
const filePatience = 1_000;

/** Reads the first text files of messages; of further ones it isn't even looked what they are. */
async function readFiles(
  api: SlackApi,
  workspace: string,
  files: readonly QuotableFile[],
  inTimeOr: InTimeOr,
): Promise<TextsOfFiles<DescribedFile>> {
  const most = textFiles.count;
  const described = await Promise.all(
    files.slice(0, 2 * most).map(async (file) => {
      const full = await inTimeOr(undefined, lookUp(api, workspace, file));
      return describe({ ...file, ...full });
    }),
  );
  const read = async (address: string, maxBytes: number) =>
    download(address, await api.token(workspace), api.apiUrl, maxBytes);
  return readTexts(described, most, async ({ address, email }, maxBytes) => {
    if (email !== undefined) return email.subarray(0, maxBytes);
    return address === undefined
      ? undefined
      : inTimeOr(
          undefined,
          read(address, maxBytes).catch(() => undefined),
        );
  });
}

/** A file with what a quote of it is forgotten with. */
type QuotableFile = MessageFile & Required<Pick<Quote, 'sources'>>;
interface DescribedFile extends NamedFile, Pick<QuotableFile, 'sources'> {
  readonly address: string | undefined;
  readonly email: Buffer | undefined;
}

function describe(file: QuotableFile): DescribedFile {
  const { name, mimetype, size = 0, sources } = file;
  const address = addressOf(file);
  const text = emailIn(file);
  const email = text === undefined ? undefined : Buffer.from(text);
  // What Slack doesn't tell may be text, which can't be read then.
  const isUnknown = name === undefined && address === undefined;
  const contentType = mimetype ?? (isUnknown ? 'text/plain' : null);
  const about = { name: name ?? namelessFile, contentType, size: email?.byteLength ?? size };
  return { ...about, address, email, sources };
}

/** In Slack Connect a message has only a file's id; so have messages on record. */
async function lookUp(
  api: SlackApi,
  workspace: string,
  { id, url_private: url }: MessageFile,
): Promise<MessageFile | undefined> {
  if (url !== undefined || id === undefined) return undefined;
  const asked = api.call(workspace, 'files.info', { file: id }, { patience: filePatience });
  return (await asked.catch(() => undefined))?.file as MessageFile | undefined;
}

/** Who is who in a thread, and where that is. */
interface Names {
  readonly channel: string;
  /** The first id of a channel that has had several. */
  readonly firstId: (channel: string) => string;
  readonly nameOf: NameOf;
  /** The bot's own user. */
  readonly botUser: string;
}

const nameless = 'somebody';

/** The messages of a thread as quotes, oldest first; the root is the one with the thread's time stamp. */
function quotedMessages(messages: readonly SlackMessage[], root: string, names: Names): readonly Quote[] {
  return messages.map((message) => {
    const isRoot = message.ts === root;
    const title = `${authorOf(message, names)}${isRoot ? ', which began this thread' : ''}`;
    return {
      title,
      text: textOf(message, names),
      sources: sourcesOf(message, names),
      isThere: true,
      ...(isRoot && { keep: 'first' as const }),
    };
  });
}

/** What a quote of a message is forgotten with: the message itself, and those that it shares. */
export function sourcesOf(
  { ts, attachments = [] }: Pick<SlackMessage, 'ts' | 'attachments'>,
  { channel, firstId }: Pick<Names, 'channel' | 'firstId'>,
): readonly string[] {
  return [
    messageSource('slack', ts, channel),
    ...attachments.filter(isSharedMessage).flatMap((shared) => sharedSources(shared, firstId)),
  ];
}

/** Messages that somebody shared with theirs, as quotes. */
function quotedShares({ attachments = [] }: SlackMessage, names: Names): readonly Quote[] {
  return attachments.filter(isSharedMessage).map((shared) => ({
    title: sharedBy(shared),
    text: attachmentText(shared, names),
    sources: sharedSources(shared, names.firstId),
  }));
}

/** Ids of the people who wrote messages. */
function authorsOf(messages: readonly SlackMessage[]): readonly string[] {
  return messages.flatMap(({ user }) => (user === undefined ? [] : [user]));
}

/** All that messages say, in which people, groups and channels are mentioned. */
function textsIn(messages: readonly SlackMessage[]): string {
  const texts = messages.flatMap((message) => [
    saidIn(message),
    ...(message.attachments ?? []).map(attachmentSays),
  ]);
  return texts.filter(Boolean).join('\n');
}

function authorOf(
  { user = '', bot_id, bot_profile, username }: SlackMessage,
  { nameOf, botUser }: Names,
): string {
  if (user === botUser) return ownMessage;
  if (bot_id === undefined) return `message from ${nameOf(user) ?? nameless}`;
  return `message from ${username ?? bot_profile?.name ?? nameOf(user) ?? nameless} (a bot)`;
}

function textOf(message: SlackMessage, names: Names): string {
  const { user, text = '', bot_id, attachments = [] } = message;
  const shared = attachments.map((attachment) => {
    const said = attachmentText(attachment, names);
    return isSharedMessage(attachment) ? `[${sharedBy(attachment)}: ${said}]` : said;
  });
  const said = written(user === names.botUser ? text : saidIn(message), names);
  // In a channel of several workspaces the bot has several users.
  const whole = bot_id === undefined ? said : withoutMachineNotes(said);
  return [whole, ...shared, ...filesIn(message).map(aboutFile)].filter(Boolean).join('\n');
}

function sharedBy({ author_name: name, author_subname: subname }: MessageAttachment): string {
  return `shared message from ${name || subname || nameless}`;
}

function attachmentText(attachment: MessageAttachment, names: Names): string {
  const said = written(attachmentSays(attachment), names);
  return [said, ...filesIn(attachment).map(aboutFile)].filter(Boolean).join('\n');
}

function written(text: string, { nameOf, botUser }: Names): string {
  return writtenText(withoutMention(text, botUser), nameOf).trim();
}

function aboutFile({ name, mimetype = '' }: MessageFile): string {
  const kind = /^(?:image|video|audio)(?=\/)/.exec(mimetype)?.[0] ?? 'file';
  return `[${kind}: ${name ?? 'without a name'}]`;
}
