import type { Generated } from 'kysely';
import type { Deleted } from '../../port/index.ts';
import type { ConsoleTables } from './console-tables.ts';
import type { CreditsTables } from './credits-tables.ts';
import type { FileTables } from './file-tables.ts';
import type { LocksTable } from './locks-table.ts';
import type { PlaceTables } from './place-settings-tables.ts';
import type { ProcessesTable } from './processes-table.ts';
import type { TurnsTable } from './turns-table.ts';

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
  /** The press that gave it, until it gives another one after this has ended; null if none did. Unique. */
  press: Generated<string | null>;
  /** The event of the question that it carries out anew; null if it has its own. */
  question: Generated<string | null>;
}

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

/** What people think of answers: one vote for each person and answer. */
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

export type RenderState =
  | 'reserved'
  | 'submitting'
  | 'waiting'
  | 'ready'
  | 'delivered'
  | 'failed'
  | 'uncertain';

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

/** Every table of the database. */
export interface Tables extends ConsoleTables, CreditsTables, FileTables, PlaceTables {
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
}
