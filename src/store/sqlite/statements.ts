import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Most queries of the bot are some dozens of texts. */
const most = 200;

/** A query that SQLite has compiled. */
export interface Prepared {
  readonly statement: StatementSync;
  /** Whether it answers rows. */
  readonly hasRows: boolean;
}

/** Prepared statements, the last used of them kept: preparing takes longer than most queries. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #kept = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): Prepared {
    const kept = this.#kept.get(sql);
    this.#kept.delete(sql);
    const prepared = kept ?? this.#prepare(sql);
    this.#kept.set(sql, prepared);
    if (this.#kept.size > most) this.#forgetOldest();
    return prepared;
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql);
    return { statement, hasRows: statement.columns().length > 0 };
  }

  #forgetOldest(): void {
    for (const sql of this.#kept.keys()) {
      this.#kept.delete(sql);
      return;
    }
  }
}
