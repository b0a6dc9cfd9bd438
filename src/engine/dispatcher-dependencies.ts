import type { Clock } from '../lib/clock.ts';
import type {
  Address,
  AnyCommand,
  CommandEnd,
  Decision,
  DeletedMessages,
  Drafts,
  Job,
  Jobs,
  LiveAnswers,
  Locale,
  Message,
  OptionFault,
  PlatformAdapters,
  PlatformName,
  Removal,
  RemovalFate,
  Suggestion,
  SuggestionSource,
} from '../port/index.ts';
import type { CommandWatch } from './command-watch.ts';
import type { Elsewhere } from './order/backlog.ts';
import type { CommandRules } from './rules.ts';

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
  /** Under what isn't known to be where it was asked for: a platform may be about to tell that it is. */
  buttonNotHere: string;
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
