import type { Clock } from '../lib/clock.ts';
import type { EffectiveSettings } from '../place-settings/index.ts';
import type {
  Address,
  AnyValues,
  Button,
  Caller,
  CommandAbout,
  CommandCall,
  CommandEnd,
  DeletedMessages,
  Drafts,
  Form,
  IncomingFile,
  Job,
  Jobs,
  LiveAnswers,
  LiveProgress,
  Locale,
  Message,
  MessageAddress,
  OptionFault,
  OutgoingFile,
  Parsed,
  Person,
  PlatformAdapters,
  PreparedRequest,
  RawValues,
  Removal,
  RemovalFate,
  Reply,
  RunEnd,
  Suggestion,
  SuggestionSource,
} from '../port/index.ts';
import type { CreditRange, PaidOperation } from '../service-rules/prices.ts';
import type { CommandWatch } from './command-watch.ts';

/** A command being carried out. */
export interface Invocation<Values extends object = AnyValues> {
  readonly job: Job;
  readonly options: Values;
  /** What its channel's and workspace's administrators have chosen, read once: when the rules admitted the command. */
  readonly settings: EffectiveSettings;
  readonly address: Address;
  readonly requester: Person;
  readonly reply: Reply;
  /** Aborted when the bot shuts down. */
  readonly signal: AbortSignal;
}

/** Who gives a command, and where: what its price may depend on besides its values. */
export type Given = Pick<Invocation, 'address' | 'requester' | 'settings'>;

/** A pressed button. */
export interface PressedButton {
  readonly job: Job;
  readonly address: Address;
  readonly requester: Person;
  /** The message that holds the button. */
  readonly message: MessageAddress;
  /** Its files, where the platform's event tells them: its adapter need not be asked then, and may not know. */
  readonly files?: readonly IncomingFile[];
  /** What it says, where the platform's event tells that: the last part of a long answer. */
  readonly text?: string;
  /** The entries of the action's form. */
  readonly values: AnyValues;
  /** Which of several, as the button's id says. */
  readonly argument?: number;
}

/** A press that's being carried out. */
export interface ButtonPress extends PressedButton {
  readonly reply: Reply;
  readonly signal: AbortSignal;
}

interface ActionBase {
  /** `moderator`: who may remove messages where its job was given, wherever they press it. */
  readonly who: 'requester' | 'requester-or-moderator' | 'moderator' | 'anyone';
  /** It works although its answer was deleted: something of that may still stand there. */
  readonly staysWhenDeleted?: true;
  /** It works wherever its requester presses it: only they see what comes of it. */
  readonly worksAnywhere?: true;
  /** It's under what the requester of a private answer has shared, too. */
  readonly staysWhenShared?: true;
  /** Its answer holds files of this kind: refused where the place takes none, as a command that posts files is. */
  readonly postsFiles?: OutgoingFile['kind'];
  /**
   * The form it opens first; `shown` is what the message with the button says, where the platform's event tells; `argument`
   * is which of several. None opens where that's gone. Quick enough for a platform's three seconds.
   */
  form?(
    job: Job,
    locale: Locale,
    shown: string | undefined,
    argument: number | undefined,
  ): Form | undefined | Promise<Form | undefined>;
}

/** A button that runs a command, as if the person had typed it. */
export interface CommandAction extends ActionBase {
  /**
   * The command, with every option that decides its price and whether it's allowed: the rules judge it once, before
   * anything is done. Undefined if the button has expired, or a sentence if it can't be done. Quick enough for a
   * platform's three seconds.
   */
  call(
    press: Pick<PressedButton, 'job' | 'requester' | 'values' | 'argument' | 'text'>,
  ): CalledCommand | Promise<CalledCommand>;
  /**
   * Whether the command changes the message with the button instead of answering with another one. Quick enough for a
   * platform's three seconds.
   */
  inPlace?(
    press: Pick<PressedButton, 'job' | 'requester' | 'message' | 'argument' | 'text'>,
  ): Promise<boolean>;
  /**
   * Options besides those, such as the image above the button. None of them changes what the rules decide. They're on record
   * with the command, before the press is acknowledged: no platform is asked for them.
   */
  addedOptions?(press: PressedButton): Promise<AnyValues>;
}

type CalledCommand = CommandCall | { readonly refused: string } | undefined;

/** A button that does something by itself and runs no command. */
export interface EffectAction extends ActionBase {
  /**
   * Whether its answer is a new message (`reply`), one that only the person who pressed it sees (`private`), or a change of
   * an existing message (`quiet`).
   */
  readonly answers: 'reply' | 'private' | 'quiet';
  run(press: ButtonPress): Promise<void>;
}

/** The action of a button. */
export type Action = CommandAction | EffectAction;

/** What's told with the notice that a command was interrupted. */
export interface Interruption {
  readonly buttons: readonly Button[];
  /** Stands below what people can read of it. */
  readonly mark?: string;
}

/** What a command does with values of its own. */
export interface CommandWork<Values extends object> {
  /** The kind of the files that its answer holds, where values decide it. */
  fileKind?(values: Values): OutgoingFile['kind'];
  /**
   * What's wrong with values that are valid one by one. Only the requester is told, before anything is posted or spent.
   * Quick enough for a platform's three seconds.
   */
  check?(values: Values): Promise<readonly OptionFault[]>;
  /**
   * The paid operation of the service that it uses with these values: who can use that operation's command, and whether
   * that's on, applies to this one, too.
   */
  operation?(values: Values): PaidOperation | undefined;
  /**
   * Credits it costs with these values where it was given; undefined where it costs none. Quick enough for a platform's
   * three seconds.
   */
  price?(values: Values, given: Given): CreditRange | undefined | Promise<CreditRange>;
  /** What the settings give for options that were left out. */
  defaults?(settings: EffectiveSettings, values: Values): Partial<Values>;
  /**
   * What's told with the notice that a process died before this job was done; or how it ended, if people know that, and
   * `goes-on` if another record finishes it. By default: a button to run the command again. Done again, it leads to the
   * same end.
   */
  interrupted?(job: Job, answer: LiveProgress | undefined): Promise<Interruption | RunEnd>;
  /**
   * Ends a job that somebody deleted, or whose question, and whose process died before it ended it. Its messages are gone;
   * `answer` is what people could read. By default there's nothing more to do. Done again, it leads to the same end.
   */
  withdrawn?(job: Job, answer: LiveProgress | undefined): Promise<RunEnd>;
  /**
   * Whether its message is only a placeholder for a result: a failure notice then replaces it, while any other text stays
   * above the notice.
   */
  isInterim?(shown: string, job: Job): boolean;
  /** What was asked for, as it stands in that placeholder: it stays above why nothing comes of it. */
  about?(job: Job): string;
  /** Resolves with how it ended, where that isn't as it should. */
  run(invocation: Invocation<Values>): Promise<RunEnd | undefined> | Promise<void>;
}

/** A command that can be carried out: it knows its own types, and has what it works with. */
export interface Command extends CommandAbout, CommandWork<AnyValues> {
  readonly actions?: Readonly<Record<string, Action>>;
  /** Reads what was typed or entered, and what comes along from a platform, a menu or a draft. All faults at once. */
  read(typed: RawValues, added?: AnyValues): Parsed;
  /** Reads what a button calls it with, or a row has: what that isn't as it reads it is told, and it isn't called with it. */
  revive(values: AnyValues): Parsed;
}

/** Why a command isn't carried out, and what to do. */
export type Refusal = Extract<PreparedRequest, { readonly kind: 'refused' }>;

/** The verdict of a place's rules on a command. */
export type Verdict =
  | Refusal
  | {
      readonly kind: 'allowed';
      /** The values given, and what the place has chosen for those that were not. */
      readonly values: AnyValues;
      /** What the place has chosen, as the rules read it: the command runs with the same. */
      readonly settings: EffectiveSettings;
      /** What the requester is asked first; the command waits for their yes. */
      readonly question?: string;
      /** Those values that say what the question promises. */
      readonly promised?: AnyValues;
      /** What it costs, in credits as people read them; absent where that's nothing. */
      readonly cost?: string;
      /** What its requester alone is told about how it's carried out. */
      readonly note?: string;
    };

/** The decision of the rules about a command that may run. */
export type Admitted = Extract<Verdict, { readonly kind: 'allowed' }>;

/** Judges a command before it runs. Nothing is spent by it; quick enough for a platform's three seconds. */
export type CommandRules = (command: Command, values: AnyValues, caller: Caller) => Promise<Verdict>;

/** How many commands of a person other processes have taken in a place, which is named by its conversation's key. */
export type Elsewhere = (person: string, place: string) => Promise<number>;

/** The message about an error. */
export interface Explanation extends Message {
  /** Told only to the requester: it's about what they typed, and nobody else's business. */
  readonly privately?: boolean;
}

export interface DispatcherDependencies {
  readonly commands: readonly Command[];
  readonly jobs: Jobs;
  readonly answers: LiveAnswers;
  readonly drafts: Drafts;
  readonly adapters: PlatformAdapters;
  readonly rules: CommandRules;
  /** Why somebody may not use a command somewhere at all, nor what others were given by it; undefined if they may. */
  readonly whyBlocked?: (command: string, caller: Caller) => Promise<string | undefined>;
  /** Makes what a person is told about an error; logs the detail. */
  readonly explain: (error: unknown, job: Job) => Explanation;
  /** Whether messages in threads are for the bot only if they mention it; by default all that arrive are. */
  readonly mentionOnly?: (address: Address) => Promise<boolean>;
  /** What other bots are answered; nothing if absent. */
  readonly bots?: {
    /** Whether they are at all. */
    readonly areAnswered: (address: Address) => Promise<boolean>;
    /** Whether one of them is: not once only bots talk there. */
    readonly takesTurn: (eventId: string, address: Address) => Promise<boolean>;
  };
  /** Whether somebody may remove what stands of a job; nobody may if absent. */
  readonly mayModerate?: (person: Person, job: Job) => Promise<boolean>;
  readonly suggest: (
    source: SuggestionSource,
    typed: string,
    locale: Locale,
    address: Address,
  ) => readonly Suggestion[] | Promise<readonly Suggestion[]>;
  /**
   * Whether a job isn't carried out, since the message that its event was, or its place, is known to be deleted, maybe before
   * it was on record.
   */
  readonly isDropped?: (eventId: string, job: Job) => Promise<boolean>;
  /** Takes away what stands of a deleted job, now or once its platform can be reached. */
  readonly takeAway?: (job: Job) => Promise<void>;
  /**
   * Shows what's on record that a question's message is to show, now or once its platform can be reached; by the first address
   * that does.
   */
  readonly changeQuestion: (question: readonly Removal[]) => Promise<RemovalFate>;
  /** Takes care of what was deleted on a platform. */
  readonly deleted?: (deleted: DeletedMessages) => Promise<void>;
  /** Takes on a command that failed and whose requester could not be told (of this word); its row is still open. */
  readonly notifyLater: (job: Job, error: unknown, word: Explanation | undefined, end: CommandEnd) => void;
  /** Where the bot has several processes: counts against what a person may have waiting. */
  readonly elsewhere?: Elsewhere;
  /** Sees every command from its arrival to its end. */
  readonly watch: CommandWatch;
  readonly newId: () => string;
  readonly clock: Clock;
}
