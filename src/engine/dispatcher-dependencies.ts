import type { Clock } from '../lib/clock.ts';
import type {
  Address,
  Caller,
  CommandEnd,
  DeletedMessages,
  Drafts,
  Job,
  Jobs,
  LiveAnswers,
  Locale,
  Message,
  Person,
  PlatformAdapters,
  Removal,
  RemovalFate,
  Suggestion,
  SuggestionSource,
} from '../port/index.ts';
import type { CommandRules, Elsewhere } from './admission.ts';
import type { CommandWatch } from './command-watch.ts';
import type { Command } from './command.ts';

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
  readonly watch?: CommandWatch;
  readonly newId: () => string;
  readonly clock: Clock;
}
