import type { Generated } from 'kysely';

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
