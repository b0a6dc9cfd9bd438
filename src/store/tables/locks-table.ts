/** Named locks that processes hold; only where several share the database. */
export interface LocksTable {
  name: string;
  /** Whose it is, as long as that one's lease hasn't ended. */
  process: string;
  /** Random: each time it's taken it gets another. */
  token: string;
}
