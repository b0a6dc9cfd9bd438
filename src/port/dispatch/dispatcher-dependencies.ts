import type { Clock } from '../../lib/clock.ts';
import type { EndReason } from '../../lib/telemetry/index.ts';
import type { Address, MessageAddress, PlatformName } from '../address.ts';
import type { AnyCommand, CommandCall, Deleted, Form, Job, Person } from '../commands/command.ts';
import type { CommandEnd } from '../commands/command-end.ts';
import type { Message } from '../commands/message.ts';
import type { AnyValues, IncomingFile, RawValues, Suggestion, SuggestionSource } from '../commands/option.ts';
import type { OptionFault } from '../commands/parse-options.ts';
import type { LiveProgress, Reply } from '../commands/reply.ts';
import type { Locale } from '../locale.ts';
import type { PlatformAdapters } from '../post/platform-adapter.ts';
import type { CommandWatch } from './command-watch.ts';
import type { Drafts } from './drafts.ts';
import type { Elsewhere } from './order/backlog.ts';
import type { CommandRules, MeantCommand, PostingLimits } from './rules.ts';

/** A command as a platform received it. */
export interface CommandRequest {
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
  /** The draft of the form that was submitted, where it was opened from a message. */
  readonly draft?: string;
  readonly address: Address;
  readonly requester: Person;
  /** What the platform needs to settle its acknowledgement where the process dies before it answers. */
  readonly acknowledgement?: Readonly<Record<string, string>>;
  /** What the place doesn't allow. */
  readonly postingLimits?: PostingLimits;
  /** It's a message in a thread that doesn't mention the bot: in some places those aren't for it. */
  readonly isUnmentioned?: true;
  /** Nobody is there to answer a question: what has to be confirmed is refused. */
  readonly unattended?: true;
  /**
   * What a message says that gave it, which may answer a question of the bot's: it replies to a message, mentions the bot, or
   * stands in its author's own direct messages with the bot. Absent for others: people may say that to one another.
   */
  readonly said?: { readonly text: string; readonly replyTo?: string };
}

/** What plain words decide that answer a question of the bot's; `order`: the command, and not what else was meant. */
export type Decision =
  | { readonly kind: 'yes' | 'no' | 'instead' }
  | { readonly kind: 'order'; readonly command: string };

/** A button as a platform received its press. */
export interface PressRequest {
  readonly eventId: string;
  readonly actionId: string;
  readonly address: Address;
  readonly message: MessageAddress;
  /** Set where the event shows the message, and there's no such button under it: somebody made the id up. */
  readonly isMadeUp?: true;
  /** Set where the event proves that the button is under a message that everybody there sees. */
  readonly isSeenByAll?: true;
  readonly requester: Person;
  /** As a command's. */
  readonly acknowledgement?: Readonly<Record<string, string>>;
  /**
   * Set where only the presser sees the message: whose answers take the place of the press's acknowledgement, after which the
   * press doesn't reach `message` any more. Others leave both alone. All take its place where absent, and leave `message`.
   */
  readonly settledBy?: 'requester' | 'anyone';
  /** What was entered, where this is a form sent back. */
  readonly values?: RawValues;
  /** What the place doesn't allow. */
  readonly postingLimits?: PostingLimits;
  /** Told when the command that the press gives is on record: a press is acknowledged then. */
  readonly onRecorded?: () => void;
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
      /** Who will see the answer; `nobody` where a press only changes what is there. */
      readonly seenBy: 'channel' | 'requester' | 'nobody';
      /** It tells what is nobody else's business: a platform that can't hide it where it's asked for answers elsewhere. */
      readonly isConfidential?: true;
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

/** How a job stands: its requester is being asked about it, has been, or it's carried out. */
export type JobState = 'asking' | 'asked' | 'running' | 'done' | 'failed';

/** A job by its id, which its answer has, or by the event of its question. */
export interface NamedJob {
  readonly job: Job;
  readonly named: 'question' | 'answer';
  readonly state: JobState;
}

/** A message of the bot that's to be removed, or to show something else from now on: a question that's over, or the next one. */
export interface Removal {
  readonly message: MessageAddress;
  /** With buttons only where it's the next question of the job; the message is removed if absent. */
  readonly shows?: Message;
  /** The job whose question stands there: what else comes into its message comes after this. */
  readonly job?: string;
}

/** What came of a try to remove a message; `later` where the platform, or this machine, couldn't do it now. */
export type RemovalFate = 'done' | 'kept' | 'later';

/** Jobs on record. */
export interface Jobs {
  /**
   * False where this event's job is on record already: somebody is on it, or has been. So it is where what the same press
   * gave is under way. `arrival` is its place among the events that came to this process.
   */
  add(job: Job, eventId: string, state?: 'asking' | 'asked' | 'running', arrival?: number): Promise<boolean>;
  find(id: string): Promise<Job | undefined>;
  /**
   * What the same press (a job's `press`) gave in another event, while that's under way: it runs, or what comes of it isn't
   * posted yet. `isMade`: its images or video are made, and only wait to be posted. `isHeld`: its answer or clip waits until
   * its requester fetches it.
   */
  underWay(
    press: string,
    eventId: string,
  ): Promise<{ readonly job: Job; readonly isMade: boolean; readonly isHeld: boolean } | undefined>;
  /** The job of an event, and how it stands. */
  ofEvent(eventId: string): Promise<{ readonly job: Job; readonly state: JobState } | undefined>;
  /** Jobs nobody has ended, oldest first: at start, those a former process was at when it died. */
  unfinished(): Promise<readonly Job[]>;
  /** Changes the options of a job that runs. */
  runWith(id: string, options: AnyValues): Promise<void>;
  /** Changes the options of an `asking` job, whose question is about to be posted. */
  askWith(id: string, options: AnyValues): Promise<void>;
  /** The question about an `asking` job is posted. */
  asked(id: string): Promise<void>;
  /** The jobs that a person has been asked about since then and hasn't answered, newest first. */
  askedOf(person: string, since: number): Promise<readonly Job[]>;
  /**
   * Whether another job was given somewhere since a job was, or at the same moment; or whether its requester asked for an
   * answer before that, which may have come since.
   */
  isFollowed(job: Job, isThere: (address: Address) => boolean): Promise<boolean>;
  /** Whether an event answered the question about a job that was given since then. */
  hasAnswered(eventId: string, since: number): Promise<boolean>;
  /** Whether the question about a job was ever answered. */
  isAnswered(id: string): Promise<boolean>;
  /** Whether a job waits for the answer to its question. */
  awaitsConfirmation(id: string): Promise<boolean>;
  /**
   * Takes the requester's answer to the question about a job, which becomes the command they chose, with the answer's own
   * acknowledgement; undefined is a no. True for the first answer only; then it's on record, too, what becomes of the
   * question's message, by each address that may reach it.
   */
  confirm(
    id: string,
    chosen: (CommandCall & Pick<Job, 'acknowledgement'>) | undefined,
    eventId: string,
    closed?: readonly Removal[],
  ): Promise<boolean>;
  /**
   * The question of a job is about this command from now on; false where it's answered or deleted already. What its message
   * shows then is on record, too, by each address that may reach it.
   */
  askAbout(id: string, call: CommandCall, shown: readonly Removal[]): Promise<boolean>;
  /**
   * Takes back the answer that was given in an event and from which nothing came: the question stands again, about this job.
   * False where that answer didn't count.
   */
  reopenConfirmation(job: Job, eventId: string, closed?: readonly Removal[]): Promise<boolean>;
  end(id: string, outcome: 'done' | 'failed'): Promise<void>;
  /**
   * Those of these jobs, and of these events, that are on record, with what of them that names: an event all that were given
   * its question, by a press too.
   */
  named(ids: readonly string[], events: readonly string[]): Promise<readonly NamedJob[]>;
  /**
   * Those at a place that run or wait for an answer to their question, or from which something isn't posted yet. Answers and
   * clips that wait until their requester fetches them aren't among them; images and videos are.
   */
  at(
    platform: PlatformName,
    place: DeletedPlace,
  ): Promise<readonly { readonly job: Job; readonly state: JobState }[]>;
  /** Notes that the question or the answer of a job was deleted; false if either was noted before. */
  markDeleted(id: string, what: Deleted): Promise<boolean>;
  /**
   * Those whose question isn't answered, and was asked before this time, in milliseconds since the epoch, or is deleted or
   * withdrawn.
   */
  unanswered(before: number): Promise<readonly Job[]>;
  /**
   * Withdraws a question that isn't answered, as if it were deleted: about a job, or about the one that a press gave, where
   * the same press asks anew.
   */
  withdrawAsked(which: Pick<Job, 'id'> | Required<Pick<Job, 'press'>>): Promise<readonly Job[]>;
  /** Ends a job whose question isn't answered, and puts on record what becomes of that; undefined where it's answered. */
  endAsked(id: string, closed?: readonly Removal[]): Promise<Job | undefined>;
}

/** How far the answer to a job has come. */
export interface RecordedAnswer extends LiveProgress {
  /** `said`: a whole message, which its command may go on from; `growing`: a live answer. */
  readonly kind: 'said' | 'growing';
  /** Its text is less than what its last message shows, which stays as it is. */
  readonly isLossy?: true;
}

/** Answers on record: how far those under way have come, and the messages of all. */
export interface LiveAnswers {
  /** Its messages are noted, too. */
  save(jobId: string, progress: LiveProgress, kind: RecordedAnswer['kind']): Promise<void>;
  find(jobId: string): Promise<RecordedAnswer | undefined>;
  remove(jobId: string): Promise<void>;
  /** Notes messages of a job's answer, each once; they stay on record when the job has ended. */
  note(jobId: string, messages: readonly MessageAddress[]): Promise<void>;
  /**
   * Forgets a message that's gone, or one of a job that isn't deleted before the bot itself takes it away: nobody has
   * deleted that.
   */
  forget(message: MessageAddress): Promise<void>;
  /** A job's messages in the order in which they were noted. */
  messagesOf(jobId: string): Promise<readonly MessageAddress[]>;
  /** The workspaces from which something was answered in a channel; more than one where they share it. */
  workspacesAt(platform: PlatformName, channel: string): Promise<readonly string[]>;
  /** The jobs that have one of these messages. */
  jobsWith(messages: DeletedMessages): Promise<readonly string[]>;
  /** The running jobs of this process that have one of these messages; known without the database. */
  growingIn(messages: DeletedMessages): readonly string[];
}

/**
 * For how long after something was written its event may come, or come again, in milliseconds: Slack sends one again up to
 * 6 minutes later, and Discord those that a session missed, for some minutes. What's older is on record if the bot had
 * anything to do with it.
 */
export const eventsComeWithin = 15 * 60_000;

/**
 * A thread, a channel with its threads, or a workspace with its channels. Without its workspace a channel is named where
 * several may share it: its id is the same in all of them.
 */
export type DeletedPlace = Partial<Pick<Address, 'workspace' | 'channel' | 'thread'>>;

/** Messages that were deleted on a platform. */
export interface DeletedMessages {
  readonly platform: PlatformName;
  /** Their channel, where ids are a channel's own. */
  readonly channel?: string;
  readonly messages: readonly string[];
  /** A place that was deleted, or that the bot was removed from, with all that's in it. */
  readonly place?: DeletedPlace;
  /** Where a platform tells only what's left: whether a place where something is under way is in a workspace that isn't. */
  readonly isGone?: (address: Address) => boolean;
  /** Results wait at that place until the bot is let in again: only what isn't paid for yet stops. */
  readonly isWaitedFor?: true;
  /** The events that they were when they came, where people wrote them. */
  readonly events?: readonly string[];
  /** Those of the messages and events that are younger than {@link eventsComeWithin}; all if left out. */
  readonly recent?: readonly string[];
}

/** The sentences the dispatcher needs; `src/words` has them. */
export interface DispatcherWords {
  faults(command: string, faults: readonly OptionFault[]): string;
  unknownCommand(command: string): string;
  administratorsOnly: string;
  readersOnly: string;
  filesNotAllowed(permission: string): string;
  fileKindsNotAllowed(endings: string): string;
  tooManyWaiting(most: number): string;
  shuttingDown: string;
  alreadyUnderWay: string;
  /** What the same button gave is made, and waits for its requester to fetch it. */
  alreadyMade: string;
  buttonExpired: string;
  deleted: string;
  /** Under something that stands though its question was deleted. */
  questionDeleted: string;
  draftExpired: string;
  wholeIsUsed: string;
  notYours: string;
  /** What a question's buttons say, and what stands there once one was pressed. */
  question: { yes: string; no: string; said: string; declined: string; answered: string; tooOld: string };
  /** Where a message could be a paid command or a question: which of them is it? */
  either: {
    text(command: string): string;
    /** The button for the command, which tells its price. */
    order(command: string, cost: string): string;
    instead: string;
    /** What stands there once that was chosen. */
    saidInstead: string;
  };
}

/** What is told about an error. */
export interface Explanation extends Message {
  /** Told to the requester alone: it's about what they typed, and nobody else's business. */
  readonly privately?: boolean;
}

export interface DispatcherDependencies<Dependencies> {
  readonly commands: readonly AnyCommand<Dependencies>[];
  readonly commandDependencies: Dependencies;
  readonly jobs: Jobs;
  readonly answers: LiveAnswers;
  readonly drafts: Drafts;
  readonly adapters: PlatformAdapters;
  readonly rules: CommandRules<Dependencies>;
  /** In a platform's own terms, if one is given. */
  readonly words: (locale: Locale, platform?: PlatformName) => DispatcherWords;
  /** Makes what a person is told about an error; logs the detail. */
  readonly explain: (error: unknown, job: Job) => Explanation;
  /** What plain words decide that answer a question; undefined for other texts. */
  readonly decisionIn?: (text: string) => Decision | undefined;
  /** Whether messages in threads are for the bot only if they mention it; by default all that arrive are. */
  readonly mentionOnly?: (address: Address) => Promise<boolean>;
  readonly suggest: (source: SuggestionSource, typed: string, locale: Locale) => readonly Suggestion[];
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
  readonly watch?: CommandWatch;
  readonly newId: () => string;
  readonly clock: Clock;
}
