import type { EndReason } from '../lib/telemetry.ts';
import type { Address, MessageAddress } from './address.ts';
import type { CommandCall, Form, Person } from './commands/command.ts';
import type { Button, Reply } from './commands/message.ts';
import type { AnyValues, IncomingFile, OptionFault, RawValues } from './commands/options.ts';

/** What a place doesn't allow the bot, told by its platform with the event: known before anything is spent. */
export interface PostingLimits {
  /** The permission without which no file can be posted, by the name people find in their settings. */
  readonly files?: string;
  /** Voice messages can be posted even so: they're none of those files. */
  readonly voiceMessages?: true;
  /** Why nothing can be posted at all, in a sentence to the requester; what is missing is no permission then. */
  readonly shut?: string;
  /** Every kind of file that would serve is forbidden there, while others are taken: their endings, listed. */
  readonly fileKinds?: string;
}

/** A command that a message may as well have meant. Its values are not checked yet. */
export interface MeantCommand {
  readonly command: string;
  readonly options: RawValues;
  /** As a request's. */
  readonly added?: AnyValues;
}

/** Who runs a command, and where. */
export interface Caller {
  readonly address: Address;
  readonly requester: Person;
  /** The limits of the place, where its platform tells them. */
  readonly postingLimits?: PostingLimits;
  /** Nobody is there to answer a question: what has to be confirmed is refused. */
  readonly unattended?: true;
  /** The platform offered them the command, by its own settings. */
  readonly offered?: true;
  /** A form for it is about to open: what will stand in it isn't known, only whether its person may use it at all. */
  readonly opensForm?: true;
  /** What's carried out instead if the rules refuse, so that nobody is told of a refusal. */
  readonly instead?: MeantCommand;
}

/** A command as a platform received it. */
export interface CommandRequest extends Omit<Caller, 'instead'> {
  /** The same however often the platform delivers it. */
  readonly eventId: string;
  readonly command: string;
  readonly options: RawValues;
  /** What the person didn't type and the platform found: it joins the options after they're parsed, never from text. */
  readonly added?: AnyValues;
  /**
   * The command that was meant if this one wasn't: its person is asked, so nothing is spent on a misunderstanding. It
   * costs little enough to be carried out without being asked about.
   */
  readonly instead?: MeantCommand;
  /** The files of the message that gave the command: each is for the first free option of its kind. */
  readonly files?: readonly IncomingFile[];
  /** The event of the message that gave it, where `eventId` isn't that. */
  readonly question?: string;
  /** The draft of the form that was submitted, if it has one. */
  readonly draft?: string;
  /** Its form, where that may be sent again (a job's `press`). */
  readonly press?: string;
  /** What the platform needs to settle its acknowledgement where the process dies before it answers. */
  readonly acknowledgement?: Readonly<Record<string, string>>;
  /** It's a message in a thread that doesn't mention the bot: in some places those aren't for it. */
  readonly isUnmentioned?: true;
  /**
   * What a message says that gave it, which may answer a question of the bot's: it replies to a message, mentions the bot, or
   * stands in its author's own direct messages with the bot. Absent for others: people may say that to one another.
   */
  readonly said?: {
    readonly text: string;
    readonly replyTo?: string;
    /** When it was written, of a message that was changed since: it answers no question that was asked later. */
    readonly writtenAt?: number;
  };
}

/** What plain words decide that answer a question of the bot's; `order`: the command, and not what else was meant. */
export type Decision =
  | { readonly kind: 'yes' | 'no' | 'instead' }
  | { readonly kind: 'order'; readonly command: string };

/** A button as a platform received its press. */
export interface PressRequest
  extends
    Pick<Caller, 'address' | 'requester' | 'postingLimits'>,
    Pick<CommandRequest, 'eventId' | 'acknowledgement' | 'press'> {
  readonly actionId: string;
  readonly message: MessageAddress;
  /** Set where the event shows the message, and there's no such button under it: somebody made the id up. */
  readonly isMadeUp?: true;
  /** Set where the event proves that the button is under a message that everybody there sees. */
  readonly isSeenByAll?: true;
  /**
   * Set where only the presser sees the message: whose answers take the place of the press's acknowledgement, after which the
   * press doesn't reach `message` any more. Others leave both alone. All take its place where absent, and leave `message`.
   */
  readonly settledBy?: 'requester' | 'anyone';
  /** The entries, where this is a form sent back. */
  readonly values?: RawValues;
  /** Characters (UTF-16 units) that a text input of the platform's forms takes; any number if absent. */
  readonly maxInput?: number;
  /** The files of the message with the button, where the event tells them. */
  readonly files?: readonly IncomingFile[];
  /** What that message says, without the line that tells who asked what; where the event tells it. */
  readonly text?: string;
}

/** What a platform does next: tell the requester alone, open a form, or acknowledge and run. */
export type PreparedRequest =
  | {
      readonly kind: 'refused';
      readonly text: string;
      /** Why, for those who run the bot; `rules` by default. */
      readonly reason?: EndReason;
      /** The options that are wrong, where that is why: a platform can show each at its input. */
      readonly faults?: readonly OptionFault[];
      /** The same was said here a moment ago, or the event comes again: where no answer is owed (a mention), none is needed. */
      readonly repeated?: true;
      /** Nothing comes of the message with the button any more: this may take its place, where only the presser sees it. */
      readonly isOver?: true;
    }
  | {
      readonly kind: 'form';
      readonly form: Form;
      /** What the form can't carry is kept under this id; it's submitted with the form. */
      readonly draft?: string;
    }
  | {
      readonly kind: 'accepted';
      /** The command that will run, for those who could not see it being given. */
      readonly call?: CommandCall;
      /** Who will see what comes of it, a question maybe; `nobody` where a press only changes what is there. */
      readonly seenBy: 'channel' | 'requester' | 'nobody';
      /** Who will see the command's answer, also where a question comes first: nobody else may see what was given. */
      readonly answerSeenBy?: 'channel' | 'requester';
      /** Nothing of it is put on record: where the process dies before it has run, nobody knows of it. */
      readonly isUnrecorded?: true;
      /**
       * Records it, so it isn't lost if the process dies after acknowledging it: call this before acknowledging. False if
       * it's already recorded: then it's answered elsewhere.
       */
      record(): Promise<boolean>;
      /**
       * It cannot be acknowledged any more: the person has seen that nothing came, and nothing will. `refused`: they're
       * told why the place doesn't take it.
       */
      abandon(why?: 'refused'): Promise<void>;
      run(reply: Reply): Promise<void>;
    };

/** One that the dispatcher has accepted. */
export type AcceptedRequest = Extract<PreparedRequest, { readonly kind: 'accepted' }>;

/**
 * As its platform holds it: to leave its scope without carrying it out is to abandon what was accepted. Who returns a
 * promise leaves the scope before that resolves.
 */
export type HeldRequest = PreparedRequest & AsyncDisposable;

/** Whether an answer takes the place of a press's acknowledgement, by who sees it. */
export function settlesPress(
  { settledBy = 'anyone' }: Pick<PressRequest, 'settledBy'>,
  seenBy: 'channel' | 'requester',
): boolean {
  return settledBy === 'anyone' || seenBy === 'requester';
}

/** A button on a person’s own page: it runs a command as if they had typed it, or an action on a job (`actionId`). */
export type HomeButton = Button & {
  /** The command; absent for an action. */
  readonly call?: { readonly command: string; readonly options: RawValues };
};

/** A part of a person’s own page. */
export interface HomeSection {
  readonly title: string;
  /** Markdown, with moments as `momentFor` writes them. */
  readonly text: string;
  readonly buttons?: readonly HomeButton[];
}

/**
 * Makes a person’s own page, where a platform has one: what the bot can do, what’s in progress, what was used. Read
 * anew whenever the page is shown: quick, and nothing is asked of the service.
 */
export type HomePage = (caller: Caller) => Promise<readonly HomeSection[]>;
