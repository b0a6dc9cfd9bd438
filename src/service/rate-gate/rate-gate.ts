import type { Clock } from '../../lib/clock.ts';
import { faultName } from '../../lib/telemetry.ts';
import { randomId } from '../../lib/text.ts';
import { type RateGroup, ratesPerMinute } from '../../service-rules/limits.ts';
import { type Operation, QueueFullError, type ServiceLog } from '../errors.ts';
import { type Deadline, failure } from '../http/transport.ts';
import { type Caller, FairQueue, FairShare, minute } from './fair-queue.ts';

/** `interactive`: a person is waiting for it. `background`: nobody is; served only if nothing interactive waits. */
export type Priority = 'interactive' | 'background';

/** A waiting call. */
export interface Turn extends Caller {
  operation: Operation;
  priority: Priority;
  /** Called with the position in the queue, 1 for the next, after 2 s of waiting and whenever it changes. */
  onWait?: ((place: number) => void) | undefined;
  /** Whether it passed before and was sent back by a 429: then it goes ahead of the others of its key. */
  again: boolean;
}

interface QueueEntry extends Turn {
  since: number;
  place?: number;
  admit(): void;
  refuse(): void;
}

/** Dependencies of a {@link RateGate}. */
export interface RateGateDependencies {
  group: RateGroup;
  windows: RateWindows;
  clock: Clock;
  log: ServiceLog;
  /** Requests per minute, matching the windows. */
  limit: number;
  /** How many calls may wait. */
  room: number;
}

const placeAfter = 2_000;
const placesEvery = 1_000;

/** Lets the calls of one group pass at the rate its window allows, with keys and people taking turns. */
export class RateGate {
  readonly #dependencies: RateGateDependencies;
  readonly #interactive = new FairQueue<QueueEntry>();
  readonly #background = new FairQueue<QueueEntry>();
  readonly #shares: FairShare;
  #pumping = false;
  #cancelWake: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;

  constructor(dependencies: RateGateDependencies) {
    this.#dependencies = dependencies;
    const { group, windows, limit, clock } = dependencies;
    this.#shares = new FairShare(limit, clock);
    windows.onOtherUse?.(group, (caller) => this.#shares.noteUse(caller));
  }

  /** Number of waiting calls. */
  get waiting(): number {
    return this.#interactive.size + this.#background.size;
  }

  /**
   * Resolves when the call may be sent; rejects with the deadline's error, or with {@link QueueFullError}. If the
   * queue is full, the key or person with the most waiting calls loses one, so that nobody busy can lock out the others.
   */
  enter(turn: Turn, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopped = () => failure(undefined, { operation: turn.operation, deadline, sent: false });
      if (deadline.signal.aborted) return reject(stopped());
      const onAbort = () => {
        this.#line(turn.priority).remove(entry);
        this.#rest();
        reject(stopped());
      };
      const done = (settle: () => void) => () => {
        deadline.signal.removeEventListener('abort', onAbort);
        settle();
      };
      const entry: QueueEntry = {
        ...turn,
        since: this.#dependencies.clock.steady(),
        admit: done(resolve),
        refuse: done(() => reject(new QueueFullError(this.#dependencies.room, turn.operation))),
      };
      deadline.signal.addEventListener('abort', onAbort, { once: true });
      this.#add(entry);
    });
  }

  /** Blocks all calls for this many milliseconds. */
  async pause(milliseconds: number): Promise<void> {
    const { group, windows, log } = this.#dependencies;
    log('warn', 'paused', { group, milliseconds });
    try {
      await windows.pause(group, milliseconds);
    } catch (error) {
      log('warn', 'windows-failed', { group, error: faultName(error) });
    }
  }

  #line(priority: Priority): FairQueue<QueueEntry> {
    return priority === 'interactive' ? this.#interactive : this.#background;
  }

  #add(entry: QueueEntry): void {
    this.#line(entry.priority).add(entry, entry.again);
    if (this.waiting > this.#dependencies.room) this.#turnAway();
    this.#cancelTick ??= this.#dependencies.clock.after(placesEvery, () => this.#tellPlaces());
    void this.#pump();
  }

  #turnAway(): void {
    const line = this.#background.size > 0 ? this.#background : this.#interactive;
    const entry = line.newestOfMost();
    if (!entry) return;
    line.remove(entry);
    entry.refuse();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    while (this.waiting > 0) {
      const mayGo = this.#shares.whoMayPass(this.#wanted());
      if (!this.#interactive.hasNext(mayGo) && !this.#background.hasNext(mayGo)) {
        this.#wakeIn(this.#shares.changesIn);
        break;
      }
      const taken = this.#take();
      // A promise only if the windows are shared: in a single process, a free slot costs no turn of the event loop.
      const wait = typeof taken === 'number' ? taken : await taken;
      if (wait > 0) {
        this.#wakeIn(wait);
        break;
      }
      this.#admit(this.#interactive.next(mayGo) ?? this.#background.next(mayGo));
    }
    this.#pumping = false;
    this.#rest();
  }

  #wakeIn(milliseconds: number): void {
    this.#cancelWake = this.#dependencies.clock.after(Math.max(milliseconds, 10), () => void this.#pump());
  }

  *#wanted() {
    yield* this.#interactive.wishes();
    yield* this.#background.wishes();
  }

  #admit(entry: QueueEntry | undefined): void {
    if (!entry) return;
    const { group, windows } = this.#dependencies;
    this.#shares.noteUse(entry);
    windows.tellUse?.(group, entry);
    entry.admit();
  }

  #take(): number | Promise<number> {
    const { group, windows, log } = this.#dependencies;
    const failed = (error: unknown) => {
      // The service's own 429 still enforces the limit.
      log('warn', 'windows-failed', { group, error: faultName(error) });
      return 0;
    };
    try {
      const taken = windows.take(group);
      return typeof taken === 'number' ? taken : taken.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** No timer runs while nothing waits. */
  #rest(): void {
    if (this.waiting > 0) return;
    this.#cancelWake?.();
    this.#cancelTick?.();
    this.#cancelWake = undefined;
    this.#cancelTick = undefined;
  }

  #tellPlaces(): void {
    this.#cancelTick = this.#dependencies.clock.after(placesEvery, () => this.#tellPlaces());
    const now = this.#dependencies.clock.steady();
    let place = 0;
    for (const line of [this.#interactive, this.#background]) {
      for (const entry of line.inOrder()) {
        place++;
        if (now - entry.since >= placeAfter && entry.place !== place) this.#tell(entry, place);
      }
    }
  }

  #tell(entry: QueueEntry, place: number): void {
    entry.place = place;
    try {
      entry.onWait?.(place);
    } catch (error) {
      this.#dependencies.log('warn', 'callback-failed', { error: faultName(error) });
    }
  }
}

/**
 * How many requests of each group the key may still send (description, section 8). One instance per key; an
 * implementation with a shared store lets several processes keep the limits together.
 */
export interface RateWindows {
  /**
   * Takes one request from the group's allowance: 0 if it may be sent now, otherwise the milliseconds until asking
   * again makes sense.
   */
  take(group: RateGroup): number | Promise<number>;
  /** Blocks the group for this many milliseconds: the service returned 429. */
  pause(group: RateGroup, milliseconds: number): void | Promise<void>;
  /** Tells the other processes whose request was sent. */
  tellUse?(group: RateGroup, caller: Caller): void;
  /** Has `listener` called for each request of the group that another process sends. */
  onOtherUse?(group: RateGroup, listener: (caller: Caller) => void): void;
}

/** In-memory windows of one process: never more than the limit in any minute, however requests bunch up. */
export class MemoryRateWindows implements RateWindows {
  readonly #clock: Clock;
  readonly #windows = new Map<RateGroup, Window>();
  readonly #limits: Readonly<Record<RateGroup, number>>;

  constructor(clock: Clock, limits: Readonly<Record<RateGroup, number>> = ratesPerMinute) {
    this.#clock = clock;
    this.#limits = limits;
  }

  take(group: RateGroup): number {
    return this.#window(group).take(this.#clock.steady());
  }

  pause(group: RateGroup, milliseconds: number): void {
    this.#window(group).pauseUntil(this.#clock.steady() + milliseconds);
  }

  #window(group: RateGroup): Window {
    const window = this.#windows.get(group) ?? new Window(this.#limits[group]);
    this.#windows.set(group, window);
    return window;
  }
}

/** The times of the last `limit` requests, in a ring. */
class Window {
  readonly #times: Float64Array;
  #oldest = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  take(now: number): number {
    const free = (this.#times[this.#oldest] ?? 0) + minute;
    const wait = Math.max(free, this.#pausedUntil) - now;
    if (wait > 0) return wait;
    this.#times[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#times.length;
    return 0;
  }

  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }
}

/** Dependencies of several processes that keep the key's limits together. */
export interface SharedRates {
  /** Uses of `name`, at most `count` in any `milliseconds`: 0 if one was used, else the milliseconds to wait. */
  readonly slots: (name: string, count: number, milliseconds: number) => { take(): Promise<number> };
  /** Brings words to all processes, this one too. */
  readonly signals: {
    send(topic: string, text: string): Promise<void>;
    on(topic: string, listener: (text: string) => void): () => void;
  };
}

/** A group is paused for all processes. The text: `GROUP MILLISECONDS`. */
const topic = 'service pause';
/** A request was sent. The text: an {@link OtherUse} as JSON. One that's lost makes a share a little larger. */
const useTopic = 'service use';

interface OtherUse extends Caller {
  /** The process. */
  readonly sender: string;
  readonly group: RateGroup;
}

/** The key's rate windows, kept by several processes together: the service counts all that use the key. */
export class SharedRateWindows implements RateWindows {
  readonly #rates: SharedRates;
  readonly #clock: Clock;
  readonly #groups: Readonly<Record<string, { take(): Promise<number> }>>;
  readonly #pausedUntil = new Map<string, number>();
  readonly #id = randomId();

  constructor(rates: SharedRates, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
    this.#groups = Object.fromEntries(
      Object.entries(ratesPerMinute).map(([group, limit]) => [
        group,
        rates.slots(`service ${group}`, limit, minute),
      ]),
    );
    rates.signals.on(topic, (text) => {
      const [group = '', milliseconds] = text.split(' ');
      this.#pauseHere(group, Number(milliseconds));
    });
  }

  async take(group: RateGroup): Promise<number> {
    const paused = (this.#pausedUntil.get(group) ?? 0) - this.#clock.steady();
    return paused > 0 ? paused : ((await this.#groups[group]?.take()) ?? 0);
  }

  /** Here at once, and in the other processes as soon as they hear of it. */
  async pause(group: RateGroup, milliseconds: number): Promise<void> {
    this.#pauseHere(group, milliseconds);
    await this.#rates.signals.send(topic, `${group} ${Math.ceil(milliseconds)}`);
  }

  tellUse(group: RateGroup, { key, person }: Caller): void {
    const use: OtherUse = { sender: this.#id, group, key, person };
    // If the database is away, each process shares out what it sends itself.
    this.#rates.signals.send(useTopic, JSON.stringify(use)).catch(() => {});
  }

  onOtherUse(group: RateGroup, listener: (caller: Caller) => void): void {
    this.#rates.signals.on(useTopic, (text) => {
      const use: OtherUse = JSON.parse(text);
      if (use.sender !== this.#id && use.group === group) listener(use);
    });
  }

  #pauseHere(group: string, milliseconds: number): void {
    const until = this.#clock.steady() + milliseconds;
    this.#pausedUntil.set(group, Math.max(this.#pausedUntil.get(group) ?? 0, until));
  }
}
