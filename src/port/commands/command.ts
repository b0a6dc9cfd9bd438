import type { PaidOperation } from '../../service-rules/operations.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import type { Address, MessageAddress } from '../address.ts';
import type { SpokenForm } from '../command-line/intent.ts';
import type { Locale, Localized } from '../locale.ts';
import type { RunEnd } from './command-end.ts';
import type { FromMessage } from './from-message.ts';
import type { Button, Message, OutgoingFile } from './message.ts';
import type { AnyValues, IncomingFile, Options, RawValues, ValuesOf } from './option.ts';
import type { OptionFault } from './parse-options.ts';
import type { LiveProgress, Reply } from './reply.ts';

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
  /** Nobody moderates here: direct messages of several people. */
  readonly unmoderated?: true;
  /** Can't write here, as far as the platform tells: nothing is posted here for them, only they see what they get. */
  readonly readsOnly?: true;
  /** The platform shows others nothing of what they're answered here, whatever they choose. */
  readonly unseen?: true;
  /** Ids of the roles or groups the person has here, where the platform has those. */
  readonly roles?: readonly string[];
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
  /** What was pressed, and by whom, where a press gave it: as long as it's under way, the same press gives nothing more. */
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

/** What of a command's was deleted; `left`: its answer's place was taken from the bot, whole as it is. */
export type Deleted = 'question' | 'answer' | 'left';

/** A command being carried out. */
export interface Invocation<Values = AnyValues, Settings = unknown> {
  readonly job: Job;
  readonly options: Values;
  /** What its channel's and workspace's administrators have chosen, read once: when the rules admitted the command. */
  readonly settings: Settings;
  readonly address: Address;
  readonly requester: Person;
  readonly reply: Reply;
  /** Aborted when the bot shuts down. */
  readonly signal: AbortSignal;
}

/** Who gives a command, and where: what its price may depend on besides its values. */
export type Given<Settings = unknown> = Pick<
  Invocation<never, Settings>,
  'address' | 'requester' | 'settings'
>;

/** A form that a button or the menu of a message opens: some of a command's options with what they hold already. */
export interface Form {
  readonly title: string;
  /** Which command's options are asked for; what is entered is checked by their definitions. */
  readonly command: string;
  /** At most five, the strictest platform's limit; numbered files such as `image_1` and `image_2` count as one. */
  readonly fields: readonly string[];
  readonly values: RawValues;
  /** Stands above the inputs: a few lines of plain text. */
  readonly note?: string;
  /** What comes of it belongs below the message with the button: in its thread, where the platform has one under every message. */
  readonly isBelow?: true;
}

/** A pressed button. */
export interface ButtonPress {
  readonly job: Job;
  readonly address: Address;
  readonly requester: Person;
  /** The message that holds the button. */
  readonly message: MessageAddress;
  /** Its files, where the platform's event tells them: its adapter need not be asked then, and may not know. */
  readonly files?: readonly IncomingFile[];
  /** What it says, where the platform's event tells that: the last part of a long answer. */
  readonly text?: string;
  readonly reply: Reply;
  readonly signal: AbortSignal;
  /** What was entered in the action's form. */
  readonly values: AnyValues;
  /** Which of several, as the button's id says. */
  readonly argument?: number;
}

/** A command with its options, as a button runs it. */
export interface CommandCall {
  readonly command: string;
  readonly options: AnyValues;
}

type CalledCommand = CommandCall | { readonly refused: string } | undefined;

interface ActionBase<Dependencies> {
  readonly who: 'requester' | 'requester-or-moderator' | 'anyone';
  /** It works although its answer was deleted: something of that may still stand there. */
  readonly staysWhenDeleted?: true;
  /** It's under what the requester of a private answer has shared, too. */
  readonly staysWhenShared?: true;
  /** Its answer holds files of this kind: refused where the place takes none, as a command that posts files is. */
  readonly postsFiles?: OutgoingFile['kind'];
  /**
   * The form it opens first; `shown` is what the message with the button says, where the platform's event tells. Quick
   * enough for a platform's three seconds.
   */
  form?(job: Job, locale: Locale, dependencies: Dependencies, shown?: string): Form | Promise<Form>;
}

/** A button that runs a command, as if the person had typed it. */
export interface CommandAction<Dependencies> extends ActionBase<Dependencies> {
  /**
   * The command, with every option that decides its price and whether it's allowed: the rules judge it once, before
   * anything is done. Undefined if the button has expired, or a sentence if it can't be done. Quick enough for a
   * platform's three seconds.
   */
  call(
    press: Pick<ButtonPress, 'job' | 'requester' | 'values' | 'argument' | 'text'>,
    dependencies: Dependencies,
  ): CalledCommand | Promise<CalledCommand>;
  /**
   * Whether the command changes the message with the button instead of answering with another one. Quick enough for a
   * platform's three seconds.
   */
  inPlace?(
    press: Pick<ButtonPress, 'job' | 'requester' | 'message' | 'argument' | 'text'>,
    dependencies: Dependencies,
  ): Promise<boolean>;
  /** Options that take longer to find, such as the image above the button. None of them changes what the rules decide. */
  addedOptions?(press: ButtonPress, dependencies: Dependencies): Promise<AnyValues>;
}

/** A button that does something by itself and runs no command. */
export interface EffectAction<Dependencies> extends ActionBase<Dependencies> {
  /**
   * Whether its answer is a new message (`reply`), one that only the person who pressed it sees (`private`), or a change of
   * an existing message (`quiet`).
   */
  readonly answers: 'reply' | 'private' | 'quiet';
  run(press: ButtonPress, dependencies: Dependencies): Promise<void>;
}

/** What a button does. */
export type Action<Dependencies> = CommandAction<Dependencies> | EffectAction<Dependencies>;

/** Options that people find below one title. */
export interface OptionGroup {
  readonly title: Localized;
  /** At most 100 characters, the strictest platform's limit. */
  readonly description: Localized;
  /** Names of the options. */
  readonly fields: readonly string[];
}

/** A command: defined once, the same on every platform. */
export interface Command<Dependencies, D extends Options = Options, Settings = unknown> {
  readonly name: string;
  /** What it is called in another language where a platform offers that; letters, digits, - and _ alone. */
  readonly localNames?: Readonly<Record<Exclude<Locale, 'en'>, string>>;
  /** How people give it in a message without a slash. For paid commands; `src/port/command-line/intent.ts` tells an order from a question. */
  readonly forms?: readonly SpokenForm[];
  readonly description: Localized;
  /** A few lines for its help, with an example. */
  readonly help: Localized;
  readonly options: D;
  /** The option that takes the words after the command's name where a platform has only text. */
  readonly textOption?: string;
  /**
   * Its options in groups, where there are too many to offer together, by the choice of `textOption` that names the group:
   * sub-commands where a platform has those, titles in a form elsewhere. Options in no group go with each of them.
   */
  readonly groups?: Readonly<Record<string, OptionGroup>>;
  /** Who sees the answer, unless the requester chooses with an option `private`: `seenBy` of `private.ts` decides. */
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
  /** The kind of those files, where values decide it. */
  fileKind?(values: ValuesOf<D>): OutgoingFile['kind'];
  readonly actions?: Readonly<Record<string, Action<Dependencies>>>;
  /** Its entry in the menu of every message. */
  readonly fromMessage?: FromMessage;
  /**
   * What's wrong with values that are valid one by one. Only the requester is told, before anything is posted or spent.
   * Quick enough for a platform's three seconds.
   */
  check?(values: ValuesOf<D>, dependencies: Dependencies): Promise<readonly OptionFault[]>;
  /**
   * The paid operation of the service that it uses with these values: who can use that operation's command, and whether
   * that's on, applies to this one, too.
   */
  operation?(values: ValuesOf<D>): PaidOperation | undefined;
  /**
   * Credits it costs with these values where it was given; undefined where it costs none. Quick enough for a platform's
   * three seconds.
   */
  price?(
    values: ValuesOf<D>,
    given: Given<Settings>,
    dependencies: Dependencies,
  ): CreditRange | undefined | Promise<CreditRange>;
  /** What the settings give for options that were left out. */
  defaults?(settings: Settings, values: ValuesOf<D>): Partial<ValuesOf<D>>;
  /**
   * The buttons under the notice that a process died before this job was done; or how it ended, if people know that, and
   * `goes-on` if another record finishes it. By default: a button to run the command again. Done again, it leads to the
   * same end.
   */
  interrupted?(
    job: Job,
    answer: LiveProgress | undefined,
    dependencies: Dependencies,
  ): Promise<readonly Button[] | RunEnd>;
  /**
   * Ends a job that somebody deleted, or whose question, and whose process died before it ended it. Its messages are gone;
   * `answer` is what people could read. By default there's nothing more to do. Done again, it leads to the same end.
   */
  withdrawn?(job: Job, answer: LiveProgress | undefined, dependencies: Dependencies): Promise<RunEnd>;
  /**
   * Whether its message is only a placeholder for a result: a failure notice then replaces it, while any other text stays
   * above the notice.
   */
  isInterim?(shown: string, job: Job): boolean;
  /** What was asked for, as it stands in that placeholder: it stays above why nothing comes of it. */
  about?(job: Job): string;
  /** Resolves with how it ended, where that isn't as it should. */
  run(
    invocation: Invocation<ValuesOf<D>, Settings>,
    dependencies: Dependencies,
  ): Promise<RunEnd | undefined> | Promise<void>;
}

/** A command whose options are known only at run time; what lists of commands hold. */
export type AnyCommand<Dependencies> = Omit<
  Command<Dependencies>,
  'run' | 'operation' | 'price' | 'defaults' | 'check' | 'fileKind'
> & {
  check?(values: never, dependencies: Dependencies): Promise<readonly OptionFault[]>;
  fileKind?(values: never): OutgoingFile['kind'];
  operation?(values: never): PaidOperation | undefined;
  price?(
    values: never,
    given: Given<never>,
    dependencies: Dependencies,
  ): CreditRange | undefined | Promise<CreditRange>;
  defaults?(settings: never, values: never): object;
  run(
    invocation: Invocation<never, never>,
    dependencies: Dependencies,
  ): Promise<RunEnd | undefined> | Promise<void>;
};

/** Whether somebody may use a command where they are. */
export function mayUse<Dependencies>(
  { restrictedTo }: Pick<AnyCommand<Dependencies>, 'restrictedTo'>,
  { administrator, direct }: Person,
): boolean {
  return restrictedTo === undefined || direct === true || administrator;
}

/** Defines a command; the types of its values come from its options. troupe's own begin with `src/app/define-command.ts`. */
export function defineCommand<Dependencies, const D extends Options, Settings = unknown>(
  command: Command<Dependencies, D, Settings>,
): Command<Dependencies, D, Settings> {
  return command;
}

const actionIdPattern = /^([a-z_]+)\.([a-z_]+)(?:\.(\d{1,4}))?:(.+)$/;

/** What a button's id says. */
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

/** Whether a message asks for somebody's decision. */
export function isQuestion({ buttons = [] }: Message): boolean {
  return buttons.some(({ id }) => parseActionId(id)?.action === 'yes');
}
