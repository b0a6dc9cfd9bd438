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
