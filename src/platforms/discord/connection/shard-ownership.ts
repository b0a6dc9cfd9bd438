import type { Coordination } from '../../../coordination/index.ts';
import { type Clock, inTime, sleep, untilDone, waitAfter, type Waits } from '../../../lib/clock.ts';
import type { Records } from '../../../store/index.ts';
import { holdersAt, isStuck, keptIn, keyOf, type ShardRow, shardRows } from './heard-shards.ts';
import type { Identity, Log } from './own-application.ts';
import type { KeptSession, Shard } from './shard.ts';

/** Between writes of how far sessions are, in milliseconds. What was answered since then comes again, and is known by its event. */
const interval = 1_000;
/**
 * Milliseconds for which a shard is on record after its session was last heard of. Discord keeps one “a few minutes”
 * without a connection (events/gateway), but machines’ clocks may differ by more than that.
 */
const life = 60 * 60_000;
/** A process that hears nothing of a shard for so long leaves it to another, in milliseconds. */
const longestSilence = 5 * 60_000;
/** Milliseconds for the database to take down where a shard is that's let go. */
const patience = 5_000;
/** Between looks for free shards, in milliseconds: a word may be lost, and a process that dies says none. */
const lookEvery = 2_000;
/** So long a process leaves a free shard to others for each that it holds, in milliseconds, and no longer than that. */
const restraint = { each: 50, most: 500 };
/** Between tries to find out whether a shard is still held, in milliseconds. */
const waits: Waits = { first: 250, longest: 2_000 };
/**
 * Milliseconds for that: Discord keeps the session for about 90 seconds, and people want to be told of an outage. Longer
 * at each loss of the connection in the same outage: it may be another process that takes the session back each time.
 */
const doubt: Waits = { first: 60_000, longest: 60 * 60_000 };
/** Said with a shard's key: nobody holds it any more. */
const freed = 'discord shard free';
/** The same: a process that holds fewer would like to have it. */
const wanted = 'discord shard wanted';

export interface OwnershipDependencies {
  readonly records: Pick<Records, 'change' | 'startingWith'> & {
    get<T>(key: string): Promise<T | undefined>;
  };
  readonly coordination: Pick<Coordination, 'process' | 'signals'> & {
    readonly others: Pick<Coordination['others'], 'living'>;
  };
  /** Undefined before Discord has told it. */
  readonly identity: () => Identity | undefined;
  /** A shard may have come from another process, or goes to one. */
  readonly onMoved: (id: number, count: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The shards that a process may hold, and how it opens one; `kept`: the session to go on with. */
interface ShardPlan {
  readonly ids: readonly number[];
  /** Shards in all. */
  readonly count: number;
  /** Everything that a session depends on. */
  readonly settings: readonly unknown[];
  readonly create: (id: number, kept: KeptSession | undefined) => Shard;
}

/**
 * Each shard belongs to one process at a time: its row says to which, for as long as that process's lease isn't ended. The
 * row keeps the shard's session, so that whoever takes it next resumes that, and Discord sends what was missed. A process
 * takes the shards that are free, later the more it has, and asks one that has two more for one of them.
 */
export class ShardOwnership {
  readonly #dependencies: OwnershipDependencies;
  readonly #plan: ShardPlan;
  readonly #held = new Map<number, Shard>();
  /** Those that this process is letting go or has given away: until when, by the steady clock, it leaves them to others. */
  readonly #left = new Map<number, number>();
  /** When something was last heard of each, by the steady clock. */
  readonly #heardAt = new WeakMap<Shard, number>();
  /** Those that were lost since the database was last there: when last, and how many connections in all. */
  readonly #doubts = new WeakMap<Shard, { readonly at: number; readonly losses: number }>();
  /** Those of which what was missed isn't on record yet. */
  readonly #catchingUp = new WeakSet<Shard>();
  readonly #changed = new Set<Shard>();
  /** The session of each shard that a write was last begun for. */
  readonly #written = new Map<number, string>();
  readonly #closing = new AbortController();
  readonly #unheard: readonly (() => void)[];
  #running = Promise.resolve();
  #lookNow = () => {};
  #hasLooked = false;
  /** Resolved by the next look that begins. */
  #looked = Promise.withResolvers<void>();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #cancelWrite: (() => void) | undefined;
  #writing = Promise.resolve();
  #hasFailed = false;

  constructor(dependencies: OwnershipDependencies, plan: ShardPlan) {
    this.#dependencies = dependencies;
    this.#plan = plan;
    const { clock, coordination } = dependencies;
    const { signals } = coordination;
    this.#unheard = [
      signals.on(freed, () => this.#lookNow()),
      signals.on(wanted, (key) => {
        const shard = this.shards.find(({ id }) => this.#keyOf(id) === key);
        // Who asks again before the first has come, because this process was busy, would get more than its share.
        const isOnTheWay = [...this.#left.values()].some((until) => clock.steady() < until);
        if (shard && !isOnTheWay) this.#giveAway(shard, 'goes to a process that has fewer');
      }),
    ];
    this.#running = this.#run().catch(() => {});
  }

  /** Those that this process holds. */
  get shards(): readonly Shard[] {
    return [...this.#held.values()];
  }

  shard(id: number): Shard | undefined {
    return this.#held.get(id);
  }

  /** Whether what happens in a shard's servers, and what was missed there, is heard by this process. */
  hears(id: number): boolean {
    const shard = this.#held.get(id);
    return shard !== undefined && !this.#catchingUp.has(shard);
  }

  /** Whether it's known which shards this process holds. */
  get hasLooked(): boolean {
    return this.#hasLooked;
  }

  /**
   * Resolves once this process has taken the shards that are free from now on, and knows what was missed in the sessions of
   * those that it holds; its rows say so then.
   */
  async caughtUp(): Promise<void> {
    const { promise: looked } = this.#looked;
    this.#lookNow();
    await looked;
    await Promise.all(this.shards.map((shard) => shard.caughtUp));
    await this.#writing;
  }

  /**
   * A shard has a session: that's put on record at once. Or it has got further in it: that is within a second. Resolves
   * once what had to be written at once is on record, or can't be.
   */
  async changed(shard: Shard): Promise<void> {
    if (!this.#holds(shard)) return;
    this.#changed.add(shard);
    const { clock } = this.#dependencies;
    this.#heardAt.set(shard, clock.steady());
    const isNew = shard.session && shard.session.sessionId !== this.#written.get(shard.id);
    const wait = isNew ? 0 : this.#writtenAt + interval - clock.steady();
    if (wait <= 0) this.#write();
    else this.#cancelWrite ??= clock.after(wait, () => this.#write());
    await this.#writing;
  }

  /**
   * Whether a shard is still this process's, as soon as the database says so: two that resume the same session would take
   * it from each other for ever. Where the database is away for long, it most likely is for all, and nobody has taken it.
   */
  async mayConnect(shard: Shard): Promise<boolean> {
    const { coordination, clock } = this.#dependencies;
    const { signal } = this.#closing;
    const heardAt = this.#heardAt.get(shard) ?? 0;
    const { at, losses: before } = this.#doubts.get(shard) ?? { at: heardAt, losses: 1 };
    const losses = heardAt > at ? before + 1 : before;
    this.#doubts.set(shard, { at: clock.steady(), losses });
    const look = () => Promise.all([this.#rows(), coordination.others.living()]);
    const found = untilDone(look, { clock, waits, signal }).then(
      ([rows, living]) => {
        this.#doubts.delete(shard);
        const silence = clock.steady() - (this.#heardAt.get(shard) ?? 0);
        if (!this.#isMine(rows.find(({ id }) => id === shard.id))) this.#lose(shard);
        else if (living.size > 1 && silence >= longestSilence) this.#giveAway(shard, 'can’t be connected');
      },
      () => {},
    );
    await inTime(clock, waitAfter(losses, doubt), found, undefined);
    return this.#holds(shard);
  }

  /** Lets go of all shards, so that others, or the next process, go on with them. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const stop of this.#unheard) stop();
    this.#lookNow();
    await inTime(this.#dependencies.clock, patience, this.#running, undefined);
    await Promise.all(this.shards.map((shard) => this.#letGo(shard)));
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted;) {
      const { promise: next, resolve } = Promise.withResolvers<void>();
      this.#lookNow = resolve;
      const looked = this.#looked;
      this.#looked = Promise.withResolvers();
      try {
        await this.#look();
        looked.resolve();
        this.#hasLooked = true;
        failures = 0;
      } catch (error) {
        looked.resolve(this.#looked.promise);
        if (failures++ === 0 && !signal.aborted)
          log.warn({ error }, 'Discord’s shards could not be looked for');
      }
      const hasAll = failures === 0 && this.#held.size === this.#plan.ids.length;
      const cancel = hasAll ? () => {} : clock.after(lookEvery, resolve);
      await next;
      cancel();
    }
  }

  async #look(): Promise<void> {
    const { coordination, clock } = this.#dependencies;
    const [rows, living] = await Promise.all([this.#rows(), coordination.others.living()]);
    const others = rows.filter((row) => this.#isOthers(row, living));
    for (const { id } of others) this.#left.delete(id);
    for (const id of this.#plan.ids) {
      const isLeft = clock.steady() < (this.#left.get(id) ?? 0);
      if (this.#held.has(id) || isLeft || others.some((row) => row.id === id)) continue;
      const wait = Math.min(restraint.most, this.#held.size * restraint.each);
      if (living.size > 1 && wait > 0) await sleep(clock, wait, this.#closing.signal);
      this.#closing.signal.throwIfAborted();
      await this.#take(id);
    }
    await this.#askForOne(others);
  }

  async #take(id: number): Promise<void> {
    const { records, coordination, onMoved, clock, log } = this.#dependencies;
    const { count, settings, create } = this.#plan;
    const { process: holder } = coordination;
    const former = await records.get<ShardRow>(this.#keyOf(id));
    // Asked after that: whoever holds a shard was on record before.
    if (former && this.#isOthers(former, await coordination.others.living())) return;
    const row = await records.change<ShardRow>(this.#keyOf(id), life, (before) => {
      if (before?.holder !== former?.holder) return undefined;
      const left = isStuck(before) ? {} : { ...before };
      return { ...left, id, count, holder, catchingUp: keptIn(left, settings) && holder };
    });
    if (!row) return;
    onMoved(id, count);
    if (isStuck(former)) log.warn({ shard: id }, 'a session got no further: the bot logs in anew');
    this.#written.delete(id);
    const shard = create(id, keptIn(row, settings));
    this.#held.set(id, shard);
    if (row.catchingUp) this.#catchUp(shard);
    this.#heardAt.set(shard, clock.steady());
    if (!this.#closing.signal.aborted) shard.open();
  }

  #catchUp(shard: Shard): void {
    this.#catchingUp.add(shard);
    void shard.caughtUp.then(() => {
      this.#catchingUp.delete(shard);
      this.#changed.add(shard);
      this.#write();
    });
  }

  /** Whoever has a shard less than others is content; one that isn't connected takes on no more. */
  async #askForOne(others: readonly ShardRow[]): Promise<void> {
    if (this.shards.some((shard) => shard.notReady() !== undefined)) return;
    const candidates = others.filter(({ id }) => this.#plan.ids.includes(id));
    const byHolder = [...Map.groupBy(candidates, ({ holder }) => holder).values()];
    const most = byHolder.reduce((one, other) => (other.length > one.length ? other : one), []);
    if (most.length < this.#held.size + 2) return;
    const one = most[Math.floor(Math.random() * most.length)];
    if (one) await this.#dependencies.coordination.signals.send(wanted, this.#keyOf(one.id));
  }

  #giveAway(shard: Shard, why: string): void {
    if (!this.#holds(shard)) return;
    this.#dependencies.log.info({ shard: shard.id }, `a shard ${why}`);
    void this.#letGo(shard);
    this.#dependencies.onMoved(shard.id, this.#plan.count);
  }

  /** First it hears nothing more, then others may have it. */
  async #letGo(shard: Shard): Promise<void> {
    const { records, coordination, clock } = this.#dependencies;
    this.#held.delete(shard.id);
    this.#left.set(shard.id, Number.POSITIVE_INFINITY);
    await shard.close();
    const key = this.#keyOf(shard.id);
    const own = this.#rowOf(shard);
    const written = records.change<ShardRow>(key, life, (before) => {
      const { holder: _, ...row }: ShardRow = { ...before, ...own, ...(own.session && { holders: [] }) };
      return this.#isMine(before) ? row : undefined;
    });
    const told = written
      .then(() => coordination.signals.send(freed, key))
      .catch((error) => this.#failed(error));
    await inTime(clock, patience, told, undefined);
    // It hears its own word, too, and would be the first to take the shard again.
    this.#left.set(shard.id, clock.steady() + lookEvery);
  }

  /** Another process has it: that hears what comes. */
  #lose(shard: Shard): void {
    const { log, onMoved } = this.#dependencies;
    if (!this.#holds(shard)) return;
    this.#held.delete(shard.id);
    log.warn({ shard: shard.id }, 'another process has this shard now');
    void shard.close();
    onMoved(shard.id, this.#plan.count);
    this.#lookNow();
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const { clock } = this.#dependencies;
    this.#writtenAt = clock.steady();
    const shards = [...this.#changed];
    this.#changed.clear();
    this.#writing = this.#writing
      .then(async () => {
        await Promise.all(shards.map((shard) => this.#put(shard)));
        this.#hasFailed = false;
      })
      .catch((error) => {
        this.#failed(error);
        for (const shard of shards) if (this.#holds(shard)) this.#changed.add(shard);
        if (this.#changed.size > 0) this.#cancelWrite ??= clock.after(interval, () => this.#write());
      });
  }

  /** Fails where the database is away. */
  async #put(shard: Shard): Promise<void> {
    if (!this.#holds(shard)) return;
    const { process: holder } = this.#dependencies.coordination;
    const own = this.#rowOf(shard);
    if (own.session) this.#written.set(shard.id, own.session.sessionId);
    const mine = await this.#dependencies.records.change<ShardRow>(this.#keyOf(shard.id), life, (before) => {
      if (!this.#isMine(before)) return undefined;
      const holders = own.session && [...new Set(holdersAt(own.session, before)).add(holder)];
      const catchingUp = this.#catchingUp.has(shard) ? holder : undefined;
      return { ...before, ...own, holder, catchingUp, ...(holders && { holders }) };
    });
    if (!mine) this.#lose(shard);
  }

  #failed(error: unknown): void {
    const { log } = this.#dependencies;
    if (!this.#hasFailed) log.warn({ error }, 'where the sessions on Discord are could not be put on record');
    this.#hasFailed = true;
  }

  async #rows(): Promise<readonly ShardRow[]> {
    const rows = await this.#dependencies.records.startingWith<ShardRow>(shardRows);
    return rows.filter(({ count }) => count === this.#plan.count);
  }

  /**
   * What a shard puts on record. Until Discord goes on with the session of an earlier process, or begins another, that's
   * none: the one on record stays there.
   */
  #rowOf({ id, session }: Shard): Omit<ShardRow, 'holder' | 'holders'> {
    const { count, settings } = this.#plan;
    const identity = this.#dependencies.identity();
    return { id, count, ...(session && identity && { session, identity, settings }) };
  }

  #holds(shard: Shard): boolean {
    return this.#held.get(shard.id) === shard;
  }

  /** One that has expired is anybody's. */
  #isMine(row: ShardRow | undefined): boolean {
    return row === undefined || row.holder === this.#dependencies.coordination.process;
  }

  #isOthers({ holder }: ShardRow, living: ReadonlySet<string>): boolean {
    return holder !== undefined && living.has(holder) && holder !== this.#dependencies.coordination.process;
  }

  #keyOf(id: number): string {
    return keyOf({ id, count: this.#plan.count });
  }
}
