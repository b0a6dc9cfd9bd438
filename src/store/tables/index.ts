import type { Generated } from 'kysely';
import type { ConsoleTables } from './console-tables.ts';
import type { CreditsTables } from './credits-tables.ts';
import type { PlaceTables } from './place-settings-tables.ts';

/** Key and value pairs of Keyv. */
export interface KeyvTable {
  key: string;
  value: string;
  /** Milliseconds since the epoch; null: never. */
  expires: number | null;
}

/** Commands that were given: what buttons refer to, and what keeps an event from being answered twice. */
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
  /** `asked`: it waits for the requester's yes. */
  state: 'asked' | 'running' | 'done' | 'failed';
  created_at: number;
  /** JSON of what its platform needs to settle it after a crash; null where it needs nothing. */
  acknowledgement: string | null;
  /** The event of the press that confirmed it; null where nobody was asked. */
  confirmed_in: Generated<string | null>;
}

/** Answers under way, so that they can be ended honestly after a crash. */
export interface LiveAnswersTable {
  job_id: string;
  kind: 'said' | 'growing';
  /** JSON of the messages' addresses, in order. */
  messages: string;
  /** What the last of them shows. */
  last_text: string;
}

/** Messages that were paid for and must reach people; a file's content is in the spool, by the job's id. */
export interface DeliveriesTable {
  job_id: string;
  /** JSON of what is said, and of what is known of the file. */
  message: string;
  /** Milliseconds since the epoch. */
  created_at: number;
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
  /** The job's id. */
  id: string;
  kind: 'image' | 'video';
  state: RenderState;
  /** JSON of the service request. */
  request: string;
  conversation_id: string;
  /** JSON of the port's `MessageAddress`: the message that shows how far it is. */
  message: string;
  task_id: string | null;
  /** JSON of the service's result. */
  result: string | null;
  /** JSON of the delivered message's address. */
  delivered: string | null;
  /** Why it failed: a code, and the service's own words where it gave some. */
  fault: string | null;
  created_at: number;
  updated_at: number;
  /** Running time for which it was waited for, in milliseconds. */
  waited_ms: Generated<number>;
  /** Running time for which no question about it has been answered, in milliseconds. */
  unanswered_ms: Generated<number>;
  attempts: Generated<number>;
}

/** Every table of the database. */
export interface Tables extends ConsoleTables, CreditsTables, PlaceTables {
  keyv: KeyvTable;
  jobs: JobsTable;
  live_answers: LiveAnswersTable;
  deliveries: DeliveriesTable;
  renders: RendersTable;
}
