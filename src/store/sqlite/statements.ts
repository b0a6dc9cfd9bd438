import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../../lib/bounded-map.ts';

/** The bot has only some dozens of different queries. */
const most = 200;

/** A compiled SQLite query. */
export interface Prepared {
  readonly statement: StatementSync;
  /** Whether it returns rows. */
  readonly hasRows: boolean;
}

/** An LRU cache of prepared statements: preparing takes longer than most queries. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #kept = new BoundedMap<string, Prepared>({ most });

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): Prepared {
    const prepared = this.#kept.get(sql) ?? this.#prepare(sql);
    // Reinserted on every use, so that the least recently used one is evicted.
    this.#kept.set(sql, prepared);
    return prepared;
  }

  #prepare(sql: string): Prepared {
    const statement = this.#database.prepare(sql);
    return { statement, hasRows: statement.columns().length > 0 };
  }
}
