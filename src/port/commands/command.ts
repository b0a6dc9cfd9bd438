import { memoize } from '../../lib/bounded-map.ts';
import type { EndOutcome, EndReason } from '../../lib/telemetry.ts';
import type { TextsOfFiles } from '../../lib/text-files.ts';
import { type Address, channelKey, type PlatformName } from '../address.ts';
import type { SpokenForm } from '../command-line/intent.ts';
import type { Locale, Localized } from '../locale.ts';
import type { Message, OutgoingFile } from './message.ts';
import type { AnyValues, Asked, BooleanOption, IncomingFile, Options, RawValues } from './options.ts';

/** A person who uses the bot. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly locale: Locale;
  /** May change settings here. */
  readonly administrator: boolean;
  /** May remove other people's messages here. */
  readonly moderator: boolean;
  /** Alone with the bot here: nobody administers such a place, but it is the person's own. */
  readonly direct?: true;
  /** No full member of the workspace here, as far as it’s known: a guest, or somebody from another workspace. */
  readonly outsider?: true;
  /** The scope without which the platform doesn’t say who anybody is: until the app has it, all count as outsiders. */
  readonly unknownWithout?: string;
  /** Nobody moderates here: direct messages of several people. */
  readonly unmoderated?: true;
  /** Can't write here, as far as the platform tells: nothing is posted here for them, only they see what they get. */
  readonly readsOnly?: true;
  /** The platform shows others nothing of what they're answered here, whatever they choose. */
  readonly unseen?: true;
  /** Ids of the roles or groups the person has here, where the platform has those. */
  readonly roles?: readonly string[];
  /** Another app's bot: it asks questions only where administrators let it, and nobody tells it anything but answers. */
  readonly bot?: true;
  /** IANA name such as `Asia/Shanghai`, where the platform tells it. */
  readonly timeZone?: string;
}

/** One command somebody gave, on record from before it runs. Plain data. */
export interface Job {
  readonly id: string;
  readonly command: string;
  readonly options: AnyValues;
  readonly address: Address;
  readonly requester: Person;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The event in which it's answered: its own, or the press that confirmed it. Makes the keys of its messages. */
  readonly eventId?: string;
  /** What the platform needs to settle its acknowledgement where the process dies before it answers. */
  readonly acknowledgement?: Readonly<Record<string, string>>;
  /**
   * What was pressed, and by whom, where a press gave it: as long as it's under way, the same press gives nothing more. Or the
   * form that gave it ({@link formPress}), which gives nothing more unless it failed.
   */
  readonly press?: string;
  /** The event of its question: its own, or that of the job that a press carried out anew. */
  readonly question?: string;
  /** Its requester has yet to be asked whether it's to be carried out, or hasn't been as far as it's on record. */
  readonly isAsking?: true;
  /** The command that its requester may choose instead, while they're asked which of the two they meant. */
  readonly instead?: CommandCall;
  /** That was deleted: nothing of it is shown there any more. */
  readonly deleted?: Deleted;
}

/**
 * What of a command's was deleted; `left`: its answer's place was taken from the bot, whole as it is; `data`: only what it was
 * given, once its requester had that deleted.
 */
export type Deleted = 'question' | 'answer' | 'left' | 'data';

/** A form that a button or the menu of a message opens: some of a command's options with what they hold already. */
export interface Form {
  readonly title: string;
  /** Which command's options are asked for; what is entered is checked by their definitions. */
  readonly command: string;
  /** At most five, the strictest platform's limit; numbered files such as `image_1` and `image_2` count as one. */
  readonly fields: readonly string[];
  readonly values: RawValues;
  /** Fields whose value is only the beginning of a longer text, all of which is used if nobody changes it. */
  readonly cut?: readonly string[];
  /** Stands above the inputs: a few lines of plain text. */
  readonly note?: string;
  /** The id that it's sent with, instead of its button's. */
  readonly sentAs?: string;
  /** What comes of it belongs below the message with the button: in its thread, where the platform has one under every message. */
  readonly isBelow?: true;
}

/** A command with its options, as a button runs it. */
export interface CommandCall {
  readonly command: string;
  readonly options: AnyValues;
}

/** Options that people find below one title. */
export interface OptionGroup {
  readonly title: Localized;
  /** At most 100 characters, the strictest platform's limit. */
  readonly description: Localized;
  /** Names of the options. */
  readonly fields: readonly string[];
  /** The platform where they mean something; all if absent. */
  readonly only?: PlatformName;
}

/** A command as data: its texts, options and place. */
export interface CommandAbout {
  readonly name: string;
  /** What it is called in another language where a platform offers that; only letters, digits, - and _. */
  readonly localNames?: Readonly<Record<Exclude<Locale, 'en'>, string>>;
  /** How people give it in a message without a slash. For paid commands; `src/port/command-line/intent.ts` tells an order from a question. */
  readonly forms?: readonly SpokenForm[];
  readonly description: Localized;
  /** A few lines for its help, with an example. */
  readonly help: Localized;
  readonly options: Options;
  /** The option that takes the words after the command's name where a platform has only text. */
  readonly textOption?: string;
  /**
   * Its options in groups, where there are too many to offer together, by the choice of `textOption` that names the group:
   * sub-commands where a platform has those, titles in a form elsewhere. Options in no group go with each of them.
   */
  readonly groups?: Readonly<Record<string, OptionGroup>>;
  /** Who sees the answer, unless the requester chooses with an option `private`: `seenBy` below decides. */
  readonly seenBy: 'channel' | 'requester';
  /** Its answer tells of nobody: others may read it where a platform can't hide it. */
  readonly mayBeRead?: true;
  /**
   * Who can use it, if not everybody. In their own direct messages people always can; the command itself knows what they
   * can't change even there.
   */
  readonly restrictedTo?: 'administrators';
  /** One person's in a place wait for one another: only so many may wait. */
  readonly queues?: true;
  /** What its person gives after it takes no turn before it has done its work, whichever process gets that. */
  readonly precedes?: true;
  /** Its answer holds files of this kind: where only words can be said, it's refused before anything is spent. */
  readonly postsFiles?: OutgoingFile['kind'];
  /** Its entry in the menu of every message. */
  readonly fromMessage?: FromMessage;
}

/** Whether somebody may use a command where they are. */
export function mayUse(
  { restrictedTo }: Pick<CommandAbout, 'restrictedTo'>,
  { administrator, direct }: Person,
): boolean {
  return restrictedTo === undefined || direct === true || administrator;
}

const actionIdPattern = /^([a-z_]+)\.([a-z_]+)(?:\.(\d{1,13}))?:(.+)$/;

/** The contents of a button's id. */
export interface ActionId {
  readonly command: string;
  readonly action: string;
  readonly jobId: string;
  /** Which of several, such as the second image: 0 to 9999, where the action takes one. */
  readonly argument?: number;
}

/** A button's id: which action of which command on which job, and which of several that is about. */
export function actionId(command: string, action: string, jobId: string, argument?: number): string {
  return `${command}.${action}${argument === undefined ? '' : `.${argument}`}:${jobId}`;
}

/** Takes a button's id apart; undefined where it is not one of ours. */
export function parseActionId(id: string): ActionId | undefined {
  const [, command, action, argument, jobId] = actionIdPattern.exec(id) ?? [];
  if (!command || !action || !jobId) return undefined;
  return { command, action, jobId, ...(argument !== undefined && { argument: Number(argument) }) };
}

/** The id of a form that was opened from a message, where a platform's forms have ids: {@link parseActionId} reads it. */
export function draftFormId(command: string, draft: string): string {
  return actionId(command, draftAction, draft);
}

/** The command and the draft of such a form; undefined for any other id. */
export function parseDraftFormId(
  id: string,
): { readonly command: string; readonly draft: string } | undefined {
  const parsed = parseActionId(id);
  return parsed?.action === draftAction ? { command: parsed.command, draft: parsed.jobId } : undefined;
}

const draftAction = 'from_message';

const formPrefix = 'form ';

/** A job's `press` for a form that's one view: its person may send it again where they saw no response. */
export function formPress(id: string): string {
  return `${formPrefix}${id}`;
}

/** Whether a job's `press` is a form. */
export function isFormPress(press: string): boolean {
  return press.startsWith(formPrefix);
}

/** Whether a message asks for somebody's decision. */
export function isQuestion({ buttons = [] }: Message): boolean {
  return buttons.some(({ id }) => parseActionId(id)?.action === 'yes');
}

/** A message that somebody chose a command for, as its platform shows it. Plain data. */
export interface ChosenMessage {
  /** The name of the person or app that wrote it. */
  readonly author: string;
  /** It’s certainly no app’s. */
  readonly isPersons?: true;
  /** Its text with names instead of ids, and what it forwards; empty where it has only files. */
  readonly text: string;
  readonly files: readonly IncomingFile[];
  /** What was read of the files, for commands that ask for that. */
  readonly texts?: TextsOfFiles<IncomingFile>;
  /** What quotes of its files are forgotten with, besides. */
  readonly fileSources?: readonly string[];
  /** The message, and those that it forwards: once one of them is deleted, it's quoted no more, and nothing is made of it. */
  readonly sources?: readonly string[];
  /** Where people can open it, if its platform has addresses for messages. */
  readonly link?: string;
}

/** Whose message a command is about, and where it is: values that nobody types (see {@link aboutMessage}). */
export interface MessageReference {
  readonly author: string;
  readonly link?: string;
}

/** The values that say which message a command is about. They stay with it: its answer's header shows them. */
export function aboutMessage({ author, link }: MessageReference): AnyValues {
  return { about: author, ...(link !== undefined && { about_link: link }) };
}

/** Which message a command is about, by its values; undefined where it wasn't chosen in a message's menu. */
export function messageItIsAbout({ about, about_link: link }: AnyValues): MessageReference | undefined {
  if (typeof about !== 'string') return undefined;
  return { author: about, ...(typeof link === 'string' && { link }) };
}

/** How a command begins: what its form shows, and what goes along with it. */
export interface Beginning {
  /** The form's inputs as filled in. A text may be longer than its input: it's used as a whole if nobody changes it. */
  readonly values: RawValues;
  /** What nobody types: quoted messages, images. */
  readonly added: AnyValues;
  /** The form's text about the message, in a few lines of plain text. */
  readonly note?: string;
}

/**
 * An entry in the menu of every message: a message command on Discord, a message shortcut on Slack, a menu in the console.
 * It opens a short form.
 */
export interface FromMessage {
  /** At most 24 characters (Slack's shortcuts; Discord allows 32). Discord and the console show it in both languages. */
  readonly label: Localized;
  /** At most 150 characters; Slack shows it. */
  readonly description: Localized;
  /** The options that the form asks for, at most five. */
  readonly fields: readonly string[];
  /** The message’s text files are read for it. */
  readonly readsFiles?: true;
  /** How the command begins from a message, or why it can't: a sentence for the person. */
  begin(message: ChosenMessage, locale: Locale): Beginning | { readonly refused: string };
}

/** How a command ended, for those who run the bot. */
export interface CommandEnd {
  readonly outcome: EndOutcome;
  readonly reason?: EndReason;
}

/**
 * What a command's `run` tells about its end: nothing where it's done; `goes-on` where a record of its own goes on with
 * it (a render, a delivery) and tells the end later.
 */
export type RunEnd = CommandEnd | 'goes-on';

/** The option with which only the requester sees what a command answers. */
export const privateOption = {
  type: 'boolean',
  description: { en: 'Only you see the answer', 'zh-CN': '只有你能看到回答' },
} as const satisfies BooleanOption;

type Visibility = Pick<CommandAbout, 'options' | 'seenBy'>;

/** Whether a command can be private: people choose it with its option `private`. */
export function canBePrivate({ options }: Pick<Visibility, 'options'>): boolean {
  return options.private?.type === 'boolean';
}

/** Who sees a command's answer, by its values after defaults are merged. */
export function seenBy(command: Visibility, values: AnyValues): 'channel' | 'requester' {
  return canBePrivate(command) && values.private === true ? 'requester' : command.seenBy;
}

/** Whether somebody asked for a private answer. It never reaches anybody else, in any form, however late it comes. */
export function isPrivate({ options }: Pick<Job, 'options'>): boolean {
  return options.private === true;
}

/** Whether somebody is in direct messages, with the bot or of several people: they're nobody's place. */
export function isInDirectMessages({
  direct,
  unmoderated: isGroup,
}: Pick<Person, 'direct' | 'unmoderated'>): boolean {
  return direct === true || isGroup === true;
}

/** Where a command is answered: a private one at an address that reaches its requester alone. */
export function answerAddress(values: AnyValues, address: Address, requester: Pick<Person, 'id'>): Address {
  return isPrivate({ options: values }) ? { ...address, onlyFor: requester.id } : address;
}

/** Where a command that a button runs is given: a private one still where its answer was asked for. */
export function pressedAt(
  options: AnyValues,
  job: Pick<Job, 'options' | 'address'>,
  pressed: Address,
): Address {
  if (!isPrivate({ options }) || !isPrivate(job) || channelKey(pressed) === channelKey(job.address))
    return pressed;
  const { onlyFor: _, ...asked } = job.address;
  return asked;
}

/** Whether a result stays hidden until somebody clicks it: as was chosen, else if it's made from a file that does. */
export function isSpoiler({ options }: Pick<Job, 'options'>): boolean {
  if (typeof options.spoiler === 'boolean') return options.spoiler;
  return Object.values(options).some(
    (value) => typeof value === 'object' && 'spoiler' in value && value.spoiler === true,
  );
}

/**
 * The options of a command that a button runs: seen by those who see the message with the button, and hidden until somebody
 * clicks it if the message's result is, unless the button itself decides.
 */
export function likeItsMessage(
  called: Visibility,
  options: AnyValues,
  of: { readonly command: Visibility; readonly job: Pick<Job, 'options'> },
): AnyValues {
  const decides = canBePrivate(called) && canBePrivate(of.command) && options.private === undefined;
  const hides =
    isSpoiler(of.job) && called.options.spoiler?.type === 'boolean' && options.spoiler === undefined;
  return {
    ...options,
    ...(decides && { private: isPrivate(of.job) }),
    ...(hides && { spoiler: true }),
  };
}

/** Whose command a job is, by its definition. */
export function askedIn(
  { requester, command, options }: Pick<Job, 'requester' | 'command' | 'options'>,
  definition: Partial<Pick<CommandAbout, 'textOption' | 'seenBy'>> | undefined,
): Asked {
  const isAlone = isPrivate({ options }) || definition?.seenBy === 'requester';
  const text = String(options[definition?.textOption ?? ''] ?? '');
  return { requester: isAlone ? { locale: requester.locale } : requester, command, options, text };
}

const pattern = /<t:(\d{1,12}):f>/g;

/** Making one takes a millisecond. */
const formatOf = memoize(200, (key) => {
  const [locale, timeZone] = key.split(' ');
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
});

/**
 * A timestamp in a person's own time zone. If that isn't known, it's in Discord's format, which every reader sees in
 * theirs; other platforms apply `showMoments` to what they post.
 */
export function timestampFor(
  { locale, timeZone }: Pick<Person, 'locale' | 'timeZone'>,
  moment: number,
): string {
  if (timeZone === undefined) return `<t:${Math.floor(moment / 1000)}:f>`;
  return formatOf(`${locale} ${timeZone}`).format(moment);
}

/** A text with the moments in it as everybody reads them: `2026-11-21 00:00 UTC`. */
export function spellOutTimestamps(text: string): string {
  return text.replace(pattern, (_, seconds: string) => {
    const iso = new Date(Number(seconds) * 1000).toISOString();
    return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
  });
}
