import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../../lib/bounded-map.ts';

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
  readonly #kept = new BoundedMap<string, Prepared>({ most });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): Prepared {
    const prepared = this.#kept.get(sql) ?? this.#prepare(sql);
    // Set again with every use, so that the one used longest ago is forgotten.
    this.#kept.set(sql, prepared);
    return prepared;
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql);
    return { statement, hasRows: statement.columns().length > 0 };
  }
}
