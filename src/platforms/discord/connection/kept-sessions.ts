import { isDeepStrictEqual } from 'node:util';
import type { SessionInfo } from '@discordjs/ws';
import type { Coordination } from '../../../coordination/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { inTime } from '../../../lib/in-time.ts';
import type { Records } from '../../../store/index.ts';
import type { Identity } from './identity.ts';
import type { Log } from './log.ts';

/** Between writes of how far a session is, in milliseconds. What was answered since then comes again, and is known by its event. */
const interval = 1_000;
/** Milliseconds for which a session is on record: Discord keeps one “a few minutes” without a connection (events/gateway). */
const life = 5 * 60_000;
/** Milliseconds for the database to answer at the start and at the end: without it the bot logs in anew. */
const patience = 5_000;
/** Milliseconds for the database to say whose a session is: without it the bot logs in anew, and the log says so. */
const patienceForOwn = 1_000;
/** How many processes in turn go on with a session that gets no further: its next event may be what they die of. */
const mostTakes = 2;

/** A session as it's on record. */
export interface KeptSession {
  /** Up to the last event below which nothing is lost: all of them are on record, or nothing comes of them. */
  readonly session: SessionInfo;
  /** A session that's resumed doesn't say who the bot is. */
  readonly identity: Identity;
}

interface Row extends KeptSession {
  /** The process whose session it is; absent once that has let it go. */
  readonly holder?: string;
  /** How many processes have taken it since it got further, or was let go. */
  readonly takes?: number;
  /** What the session depends on: with other settings the bot logs in anew. */
  readonly settings: readonly unknown[];
}

/** A shard as far as it's put on record. */
export interface SessionHolder {
  readonly id: number;
  /** Undefined while it has none. */
  readonly session: SessionInfo | undefined;
  /** Another process goes on with its session: it gets one of its own. */
  leaveSession(): void;
}

export interface KeptSessionsDependencies {
  readonly records: Pick<Records, 'get' | 'change'>;
  readonly coordination: Pick<Coordination, 'process' | 'slots'> & {
    readonly others: Pick<Coordination['others'], 'isPresent' | 'onAbsence'>;
  };
  /** Undefined before Discord has told it. */
  readonly identity: () => Identity | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * The sessions of this process's shards on record, so that the process after it resumes them: Discord then sends what
 * was missed while none ran. A session belongs to one process at a time. It's taken from one that has let it go or is
 * gone, and where several processes run the same shards, the first one's are on record: the others hear it all anyway.
 */
export class KeptSessions {
  readonly #dependencies: KeptSessionsDependencies;
  readonly #changed = new Set<SessionHolder>();
  /** The session of each shard that was written last, by the shard's id. */
  readonly #written = new Map<number, string>();
  /** Processes that died while this one ran: what they held is free. */
  readonly #gone = new Set<string>();
  readonly #unwatch: () => void;
  #settings: readonly unknown[] = [];
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancelWrite: (() => void) | undefined;
  #writing = Promise.resolve();
  #isLeft = false;
  #hasFailed = false;

  constructor(dependencies: KeptSessionsDependencies) {
    this.#dependencies = dependencies;
    this.#unwatch = dependencies.coordination.others.onAbsence((process) => this.#gone.add(process));
  }

  /** The sessions of these shards that this process can go on with, with the same settings; it holds them from now on. */
  async take(
    ids: readonly number[],
    count: number,
    settings: readonly unknown[],
  ): Promise<ReadonlyMap<number, KeptSession>> {
    this.#settings = settings;
    const { clock, log } = this.#dependencies;
    const taken = Promise.all(ids.map(async (id) => [id, await this.#take(keyOf(id, count))] as const));
    try {
      const found = await inTime(clock, patience, taken, undefined);
      if (!found) throw new Error(`the database did not answer within ${patience} ms`);
      return new Map(found.flatMap(([id, row]) => (row ? [[id, row] as const] : [])));
    } catch (error) {
      log.warn({ error }, 'the sessions on Discord could not be looked for');
      return new Map();
    }
  }

  /** A shard has a session: that's put on record at once. Or it has got further in it: that is within a second. */
  changed(shard: SessionHolder): void {
    if (this.#isLeft) return;
    this.#changed.add(shard);
    const { clock } = this.#dependencies;
    const isNew = shard.session && shard.session.sessionId !== this.#written.get(shard.id);
    const wait = isNew ? 0 : this.#writtenAt + interval - clock.steady();
    if (wait <= 0) this.#write();
    else this.#cancelWrite ??= clock.after(wait, () => this.#write());
  }

  /**
   * Whether this process may resume a session of its own: not if another one holds it, and not if the database doesn't
   * say so. A process that's cut off from it may have been taken for gone, and two that resume the same session would
   * take it from each other for ever.
   */
  async mayResume(session: SessionInfo): Promise<boolean> {
    const { records, coordination, clock } = this.#dependencies;
    if (!coordination.slots) return true;
    const key = keyOf(session.shardId, session.shardCount);
    const isMine = records
      .get<Row>(key)
      .then((row) => this.#isMine(row) || row?.session.sessionId !== session.sessionId);
    return inTime(
      clock,
      patienceForOwn,
      isMine.catch(() => false),
      false,
    );
  }

  /** Puts where these shards are on record for the last time: any process may go on from there. */
  async leave(shards: readonly SessionHolder[]): Promise<void> {
    this.#isLeft = true;
    this.#unwatch();
    for (const shard of shards) this.#changed.add(shard);
    this.#write();
    await inTime(this.#dependencies.clock, patience, this.#writing, undefined);
  }

  async #take(key: string): Promise<KeptSession | undefined> {
    const { records, coordination, log } = this.#dependencies;
    const before = await records.get<Row>(key);
    if (!before) return undefined;
    if (before.holder !== undefined && (await coordination.others.isPresent(before.holder))) return undefined;
    const mine = await records.change<Row>(key, life, (row) =>
      row && row.holder === before.holder
        ? { ...row, holder: coordination.process, takes: (row.takes ?? 0) + 1 }
        : undefined,
    );
    if (!mine) return undefined;
    if ((mine.takes ?? 0) > mostTakes) {
      log.warn({ session: key, takes: mine.takes }, 'a session got no further: the bot logs in anew');
      return undefined;
    }
    return isDeepStrictEqual(mine.settings, this.#settings) ? mine : undefined;
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#writtenAt = this.#dependencies.clock.steady();
    const shards = [...this.#changed];
    this.#changed.clear();
    const rows = shards.flatMap((shard) => {
      const row = this.#rowOf(shard);
      return row ? [{ shard, row }] : [];
    });
    this.#writing = this.#writing.then(() => this.#put(rows));
  }

  #rowOf({ session }: SessionHolder): Row | undefined {
    const { identity, coordination } = this.#dependencies;
    const me = identity();
    if (!session || !me) return undefined;
    this.#written.set(session.shardId, session.sessionId);
    const holder = this.#isLeft ? {} : { holder: coordination.process };
    return { ...holder, settings: this.#settings, identity: me, session };
  }

  #isMine(row: Row | undefined): boolean {
    const { process } = this.#dependencies.coordination;
    return row?.holder === undefined || row.holder === process || this.#gone.has(row.holder);
  }

  /** Never rejects. The next write says it all again. */
  async #put(rows: readonly { readonly shard: SessionHolder; readonly row: Row }[]): Promise<void> {
    const { records, log } = this.#dependencies;
    const put = async ({ shard, row }: (typeof rows)[number]) => {
      const { shardId, shardCount, sessionId } = row.session;
      let isTaken = false;
      await records.change<Row>(keyOf(shardId, shardCount), life, (before) => {
        if (this.#isMine(before))
          return this.#isLeft || !before ? row : { ...row, takes: takesAt(row, before) };
        isTaken = before?.session.sessionId === sessionId;
        return undefined;
      });
      // It was taken for gone. Discord lets one of them have the session: they'd take it from each other for ever.
      if (isTaken && !this.#isLeft) shard.leaveSession();
    };
    try {
      await Promise.all(rows.map(put));
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        log.warn({ error }, 'where the sessions on Discord are could not be put on record');
      this.#hasFailed = true;
    }
  }
}

/** How often a session has been taken without getting further. */
function takesAt({ session }: Row, { session: before, takes = 0 }: Row): number {
  const isThere = session.sessionId === before.sessionId && session.sequence <= before.sequence;
  return isThere ? takes : 0;
}

function keyOf(id: number, count: number): string {
  return `gateway session ${id}/${count}`;
}
