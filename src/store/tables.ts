import type { Generated } from 'kysely';
import type { renderStates } from '../lib/telemetry.ts';
import type { Deleted } from '../port/index.ts';
import type { PaidOperation } from '../service-rules/prices.ts';
import type { ConsoleTables } from './console-tables.ts';
import type { FileKind } from './files.ts';

/** Keyv's key-value pairs. */
export interface KeyvTable {
  key: string;
  value: string;
  /** Milliseconds since the epoch; null if it never expires. */
  expires: number | null;
}

/** Commands people ran: buttons refer to them, and they prevent answering an event twice. */
export interface JobsTable {
  id: string;
  event_id: string;
  command: string;
  /** JSON. */
  options: string;
  /** JSON of the port's `Address`. */
  address: string;
  /** JSON of the port's `Person`. */
  requester: string;
  /** `asking`: its requester is being asked to confirm it; `asked`: that's posted, and it waits for the answer. */
  state: 'asking' | 'asked' | 'running' | 'done' | 'failed';
  created_at: number;
  /** JSON of what its platform needs to settle it after a crash; null if nothing. */
  acknowledgement: string | null;
  /** The event of the press that confirmed it; null if no confirmation was needed. */
  confirmed_in: Generated<string | null>;
  /** The requester's id. */
  person: Generated<string>;
  /** The process that runs it. */
  process: Generated<string | null>;
  /** JSON of the command that its requester may choose instead, as long as they're asked; null if there's none. */
  instead: Generated<string | null>;
  /** Which of it was deleted first; null if neither was. */
  deleted: Generated<Deleted | null>;
  /** The press or form that gave it, until it gives another one after this has ended, or the form's failed; null if none did. Unique. */
  press: Generated<string | null>;
  /** The event of the question that it carries out anew; null if it has its own. */
  question: Generated<string | null>;
  /** JSON of the port's `CommandEnd`; null as long as that isn't known. */
  ended: Generated<string | null>;
}

/** The states of jobs whose question isn't answered; people may answer before it's on record as posted. */
export const unanswered = ['asking', 'asked'] as const;

/** Messages of answers, kept as long as their jobs. */
export interface AnswerMessagesTable {
  job: string;
  platform: string;
  /** Without the thread. */
  channel: string;
  message: string;
  /** JSON of the port's `MessageAddress`. */
  address: string;
  /** Milliseconds since the epoch. */
  noted_at: number;
}

/** Messages that are to be removed, or to show something else, until they are or the platform refuses to. */
export interface RemovalsTable {
  platform: string;
  /** Without the thread. */
  channel: string;
  /** With a digest of what else it takes to reach it. */
  message: string;
  /** JSON of the port's `MessageAddress`. */
  address: string;
  /** JSON of the port's `Message` that it shows instead, with buttons only if that’s the next question; null if it's removed. */
  shows: Generated<string | null>;
  /** The job whose answered question it is, or whose next one it shows. */
  job: Generated<string | null>;
  /** Milliseconds since the epoch; null until the next sweep. */
  noted_at: Generated<number | null>;
}

/** Answers under way, so that they can be ended properly after a crash. */
export interface LiveAnswersTable {
  job_id: string;
  kind: 'said' | 'growing';
  /** JSON of the messages' addresses, in order. */
  messages: string;
  /** The text of the last of them. */
  last_text: string;
  /** What people can read of the last piece of the text, where that's more than the last message shows. */
  last_piece: Generated<string | null>;
  /** JSON of the `Ending` that people can read; null until then. */
  ending: Generated<string | null>;
}

/** The text of an answer under way, as it's split into messages: all pieces but the last, which still grows. */
export interface LiveAnswerPiecesTable {
  job_id: string;
  piece: number;
  text: string;
}

/** Votes on answers: one for each person and answer. */
export interface FeedbackTable {
  /** The answer's. */
  job: string;
  person: string;
  platform: string;
  workspace: string;
  channel: string;
  /** 1 for a good answer, 0 for a bad one. */
  good: number;
  /** Milliseconds since the epoch. */
  voted_at: number;
}

/** Paid messages that still have to be delivered; a file's content is in the `spool`, by job id. */
export interface DeliveriesTable {
  job_id: string;
  /** JSON of the message and its file's metadata. */
  message: string;
  /** Milliseconds since the epoch. */
  created_at: number;
  /** 1: the person was told that it's ready, and fetches it. */
  held: Generated<number>;
  /** The process that delivers it. */
  process: Generated<string | null>;
}

export type RenderState = (typeof renderStates)[number];

/** Images and videos being made; see `src/renders`. */
export interface RendersTable {
  /** The job's id; with the part's number where it isn't the job's first. */
  id: string;
  /** The job's id. */
  job: string;
  /** Which of the job's renders it is, from 1. */
  part: Generated<number>;
  /** How many the job has. */
  parts: Generated<number>;
  kind: 'image' | 'video';
  state: RenderState;
  /** JSON of the service request. */
  request: string;
  conversation_id: string;
  /** JSON of the port's `MessageAddress`: the progress message. */
  message: string;
  task_id: string | null;
  /** JSON of the service's result. */
  result: string | null;
  /** JSON of the delivered message's address. */
  delivered: string | null;
  /** Why it failed: a code, and the service's message if it gave one. */
  fault: string | null;
  created_at: number;
  updated_at: number;
  /** Running time spent waiting for it, in milliseconds. */
  waited_ms: Generated<number>;
  /** Running time without a response to its status requests, in milliseconds. */
  unanswered_ms: Generated<number>;
  attempts: Generated<number>;
  /** The process that has it in hand; null while it waits for its time. */
  process: Generated<string | null>;
  /** When it goes on, by the clock of a database that processes share; null while a process has it in hand, or if nothing is left to do. */
  wakes_at: Generated<number | null>;
  /** JSON of what's known of it while it waits; left from then while a process has it in hand. */
  pending: Generated<string | null>;
}

/** What processes together have used of limits. */
export interface RatesTable {
  key: string;
  /** How often; a slot is used once. */
  points: number;
  /** Milliseconds since the epoch. */
  expire: number | null;
}

/** Processes of the bot: those that live, and some that have ended. Times are the database's own. */
export interface ProcessesTable {
  id: string;
  /** JSON: pairs of a platform that it runs, and what it receives there. */
  platforms: string;
  /** Milliseconds since the epoch. */
  started_at: number;
  /** When it was last seen alive. */
  seen_at: number;
  /** When it ended, or was found dead; null while it lives. What a process that ended had in hand is anybody's. */
  ended_at: number | null;
}

/** Turns in conversations that are being taken, wait or run; only where several processes share the database. */
export interface TurnsTable {
  /** The job's id. */
  job: string;
  /** Greater than that of every turn that was recorded before it; turns recorded at the same moment may have the same. */
  number: number;
  /** The process whose turn it is. */
  process: string;
  person: string;
  /** Where the command was given. */
  place: string;
  /** Null until it's in the queue of its conversation. */
  conversation: Generated<string | null>;
  /** How many turns may run there at the same time. */
  at_once: Generated<number | null>;
  /** From 1 to `at_once`; null until it runs. */
  slot: Generated<number | null>;
  /** 1: somebody has pressed Stop. */
  stopped: Generated<number>;
}

/** Named locks that processes hold; only where several share the database. */
export interface LocksTable {
  name: string;
  /** Whose it is, as long as that one's lease hasn't ended. */
  process: string;
  /** Random: each time it's taken it gets another. */
  token: string;
}

/** Files that are kept in the database, where several processes share one. */
export interface FilesTable {
  /** Random: each time a file is written it gets another. */
  key: string;
  kind: FileKind;
  /** Its name for those who use it: a render's or a job's id, for example. */
  id: string;
  /** In bytes; null until it's complete. */
  size: number | null;
  /** When its latest chunk was written, by the database's clock. */
  written_at: number;
}

/** Their content. */
export interface FileChunksTable {
  /** The file's key. */
  file: string;
  /** Where in the file it begins, in bytes. */
  start: number;
  content: Uint8Array;
}

/** `reserved`: under way. `failed`: it cost nothing. `uncertain`: it may have been charged. */
export type LedgerState = 'reserved' | 'spent' | 'failed' | 'uncertain';

/** Every paid call, recorded before it is made; see `src/credits`. Rows are never deleted. */
export interface LedgerTable {
  id: string;
  /** The job it was made for. */
  job: string;
  platform: string;
  workspace: string;
  channel: string;
  thread: string | null;
  person: string;
  /** The person's name at that time. */
  person_name: string;
  conversation_id: string;
  kind: PaidOperation;
  /** The service's model; without one, whatever decided the price. */
  model: string;
  /** JSON: tokens, seconds, images. */
  quantity: string;
  state: LedgerState;
  /** 1: our estimate, not reported by the service or measured from the result. */
  estimated: number;
  /** Millionths of a credit, so that sums are exact. */
  low: number;
  /** Millionths of a credit. Budgets count this upper bound. */
  high: number;
  /** The service's request id. */
  request_id: string | null;
  /** Milliseconds since the epoch. */
  created_at: number;
  settled_at: number | null;
  /** The process that made the reservation, or has taken it over. */
  process: Generated<string | null>;
  /** When a chat answer or a clip was last sent; 0 before. Null: unknown, or in the row of its render. */
  sent_at: Generated<number | null>;
  /** What was asked for, where a place keeps that, and until when: milliseconds since the epoch. */
  prompt: Generated<string | null>;
  prompt_until: Generated<number | null>;
}

/**
 * Sums for budgets: the most that calls begun in a quarter of an hour may cost, for each subject a budget can have.
 * An empty column means all: with only `platform` and `person` filled it's one person across a platform, with nothing
 * filled the whole bot.
 */
export interface BudgetUseTable {
  platform: string;
  workspace: string;
  channel: string;
  person: string;
  /** Quarters of an hour since the epoch: midnight starts one in every time zone. */
  quarter: number;
  /** Millionths of a credit. */
  high: number;
}

/** Settings that administrators chose; see `src/place-settings`. */
export interface PlaceSettingsTable {
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON. */
  value: string;
}

/** Log of setting changes, kept for good; those of a place from which the bot was removed go with what else is kept of it. */
export interface SettingChangesTable {
  id: string;
  platform: string;
  workspace: string;
  /** Empty: for the whole workspace. */
  channel: string;
  name: string;
  /** JSON; null: not set here. */
  before: string | null;
  after: string | null;
  person: string;
  /** The person's name at that time. */
  person_name: string;
  /** Milliseconds since the epoch. */
  changed_at: number;
}

/** People's own settings. */
export interface PersonalDefaultsTable {
  platform: string;
  /** Empty where a person has the same id everywhere. */
  workspace: string;
  person: string;
  name: string;
  /** JSON. */
  value: string;
}

/** Every table of the database. */
export interface Tables extends ConsoleTables {
  keyv: KeyvTable;
  jobs: JobsTable;
  live_answers: LiveAnswersTable;
  live_answer_pieces: LiveAnswerPiecesTable;
  answer_messages: AnswerMessagesTable;
  removals: RemovalsTable;
  feedback: FeedbackTable;
  deliveries: DeliveriesTable;
  renders: RendersTable;
  processes: ProcessesTable;
  turns: TurnsTable;
  locks: LocksTable;
  rates: RatesTable;
  files: FilesTable;
  file_chunks: FileChunksTable;
  ledger: LedgerTable;
  budget_use: BudgetUseTable;
  personal_defaults: PersonalDefaultsTable;
  place_settings: PlaceSettingsTable;
  setting_changes: SettingChangesTable;
}
