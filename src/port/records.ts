import type { Ending } from '../reply/index.ts';
import type { Address, MessageAddress, PlatformName } from './address.ts';
import type { CommandCall, CommandEnd, Deleted, Job } from './commands/command.ts';
import type { LiveProgress, Message } from './commands/message.ts';
import type { AnyValues } from './commands/options.ts';

/** How a job stands: its requester is being asked about it, has been, or it's carried out. */
export type JobState = 'asking' | 'asked' | 'running' | 'done' | 'failed';

/** A job by its id, which its answer has, or by the event of its question. */
export interface NamedJob {
  readonly job: Job;
  readonly named: 'question' | 'answer';
  readonly state: JobState;
  /** How it ended, as far as that was known when it did: a record of its own may have gone on with it. */
  readonly end?: CommandEnd;
}

/**
 * A message of the bot that's to be removed, or to show something else from now on: a question that's over, or the next one;
 * how an answer or what was announced ends.
 */
export interface Removal {
  readonly message: MessageAddress;
  /** Of a question with buttons only where it's the next one of the job; the message is removed if absent. */
  readonly shows?: Message;
  /** The job whose question stands there, if one does: what else comes into its message comes after this. */
  readonly job?: string;
  /** Since when it has been on record, in milliseconds since the epoch; absent in its first day. */
  readonly notedAt?: number;
}

/** The outcome of a try to remove a message; `later` where the platform, or this machine, couldn't do it now. */
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
   * posted yet. `isMade`: its images or video are made, and only wait to be posted. `isHeld`: what it has
   * made could be posted nowhere, and its requester can fetch it.
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
  /** `how`: how its command ended; that stays as it's on record if absent. */
  end(id: string, outcome: 'done' | 'failed', how?: CommandEnd): Promise<void>;
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
  /** Notes that the question or the answer of a job was deleted; false if that was noted before, or its answer's was. */
  markDeleted(id: string, what: Deleted): Promise<boolean>;
  /**
   * Those whose question isn't answered, and was asked before this time, in milliseconds since the epoch, or is deleted or
   * withdrawn.
   */
  unanswered(before: number): Promise<readonly Job[]>;
  /**
   * Withdraws a question that isn't answered, as if it were deleted: about a job, or about the one that a press gave, where
   * the same press asks anew in another event.
   */
  withdrawAsked(
    which: Pick<Job, 'id'> | (Required<Pick<Job, 'press'>> & { readonly exceptOf: string }),
  ): Promise<readonly Job[]>;
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
  /** Puts on record how a live answer is to end, before people can read that: whoever goes on with it ends it so. */
  willEnd(jobId: string, ending: Ending): Promise<void>;
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
  /** The threads of such a channel, as far as they're known: no event tells of them. */
  readonly threads?: readonly string[];
  /** Where a platform tells only what's left: whether a place where something is under way is in a workspace that isn't. */
  readonly isGone?: (address: Address) => boolean;
  /** Results wait at that place until the bot is let in again: only what isn't paid for yet stops. */
  readonly isWaitedFor?: true;
  /** The events that they were when they came, where people wrote them. */
  readonly events?: readonly string[];
  /** Those of the messages and events that are younger than {@link eventsComeWithin}; all if left out. */
  readonly recent?: readonly string[];
}

/** What a form that was opened from a message can't carry itself, until it's submitted. Plain data. */
export interface Draft {
  readonly command: string;
  /** Whose form it is. */
  readonly requester: string;
  /** Texts that the form shows only the beginning of: as shown, and as a whole. */
  readonly cut: Readonly<Record<string, { readonly shown: string; readonly whole: string }>>;
  readonly added: AnyValues;
}

/** Drafts on record for an hour, so that a form survives a restart between its opening and its submission. */
export interface Drafts {
  /** Returns the draft's id. */
  keep(draft: Draft): Promise<string>;
  find(id: string): Promise<Draft | undefined>;
}
