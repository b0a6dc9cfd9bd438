import type { Place } from './address.ts';

/** What credits are spent on. */
export const spendingKinds = ['chat', 'speech', 'image', 'video'] as const;
export type SpendingKind = (typeof spendingKinds)[number];

/** What somebody or some place has spent, in credits. */
export interface Spender {
  readonly platform: string;
  /** Of a place: its own id; of a person: empty. */
  readonly workspace: string;
  /** The person's id; empty for a place. */
  readonly person: string;
  /** As it's known; empty if it isn't. */
  readonly name: string;
  readonly credits: number;
  readonly calls: number;
}

/** A day's spending in UTC, in credits, by kind. */
export interface DaySpending {
  /** Milliseconds since the epoch. */
  readonly day: number;
  readonly kinds: Readonly<Record<SpendingKind, number>>;
}

export interface Spending {
  /** Oldest first. */
  readonly days: readonly DaySpending[];
  /** The most first. */
  readonly places: readonly Spender[];
  readonly people: readonly Spender[];
  /** Whether all of it is added up: the rest comes with a later look. */
  readonly isWhole: boolean;
}

/** A server, a workspace or an organization where the bot is or has been used. */
export interface ControlledPlace extends Place {
  readonly name: string;
  readonly members?: number;
  /** Credits today, in UTC. */
  readonly today: number;
  /** Credits in all days that are shown. */
  readonly credits: number;
  readonly calls: number;
  /** Faults that are still listed. */
  readonly faults: number;
  /** The operator has switched it off. */
  readonly isOff: boolean;
  /** The operator's ceiling of its credits a day; 0 for none besides the environment's. */
  readonly ceiling: number;
}

/** How far a piece of work is. */
export type WorkStage = 'queued' | 'sending' | 'making' | 'posting' | 'held' | 'writing';

/** An answer, a clip, an image or a video under way. */
export interface LiveWork {
  /** The job's id. */
  readonly id: string;
  readonly command: string;
  readonly stage: WorkStage;
  readonly platform: string;
  readonly workspace: string;
  readonly person: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Characters of an answer so far. */
  readonly characters?: number;
  /** It hasn't been sent: canceling it costs nothing. */
  readonly canCancel?: true;
  /** It couldn't be posted and is tried again later, or now. */
  readonly canRetry?: true;
}

/** What waits. */
export interface QueueState {
  /** Calls of this process that wait for the key's limits. */
  readonly calls: Readonly<Record<string, number>>;
  /** Renders of all processes that haven't been sent. */
  readonly renders: number;
  /** Answers and clips that couldn't be posted at once. */
  readonly deliveries: number;
}

/** Something that went wrong, without anybody's words. */
export interface Fault {
  /** The job's id: the same in the log, the ledger and traces. */
  readonly id: string;
  readonly at: number;
  readonly command: string;
  readonly platform: string;
  readonly workspace: string;
  /** The error's class, or why the command ended. */
  readonly what: string;
  /** HTTP's or the service's own code. */
  readonly code?: string;
  /** The service's id of the request. */
  readonly request?: string;
}

/** A step of a command's way: the command, a call of the service, a post. */
export interface TrailStep {
  readonly step: 'command' | 'call' | 'render' | 'delivery' | 'post' | 'fault';
  readonly at?: number;
  /** Its state, model, or error. */
  readonly what: string;
  readonly state?: string;
  /** The service's id of the request or the task. */
  readonly request?: string;
  readonly credits?: number;
  /** Where it can be read. */
  readonly link?: string;
}

/** Everything the control room shows at a moment. */
export interface ControlState {
  readonly at: number;
  readonly spending: Spending;
  readonly places: readonly ControlledPlace[];
  readonly live: readonly LiveWork[];
  /** There are more than are listed. */
  readonly hasMoreLive: boolean;
  readonly queue: QueueState;
  /** The newest first. */
  readonly faults: readonly Fault[];
}

/** How an action of the operator's ended. */
export type ControlOutcome = 'done' | 'unchanged' | 'too-late' | 'unknown' | 'failed';

/** What the operator sees of the whole bot, and can do. Every action may come again: it does no more then. */
export interface ControlRoom {
  state(): Promise<ControlState>;
  /** The steps of a command, as far as they're on record; none if it isn't (any more). */
  trail(job: string): Promise<readonly TrailStep[]>;
  /** Switches all that can be switched off in a place, or takes that back. */
  switchPlace(place: Place, isOff: boolean): Promise<ControlOutcome>;
  /** Sets a ceiling of a place's credits a day; 0 takes it back. */
  setCeiling(place: Place, credits: number): Promise<ControlOutcome>;
  /** Cancels what wasn't sent yet. */
  cancel(job: string): Promise<ControlOutcome>;
  /** Tries again now what would be tried again later: to post what's made. It spends nothing. */
  retry(job: string): Promise<ControlOutcome>;
  /** Sends operators a direct message; `id` names this test. */
  sendTest(id: string): Promise<ControlOutcome>;
}
