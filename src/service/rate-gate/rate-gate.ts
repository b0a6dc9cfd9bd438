import type { Clock } from '../../lib/clock.ts';
import type { RateGroup } from '../../service-rules/limits.ts';
import { QueueFullError } from '../errors/local-errors.ts';
import type { Operation } from '../errors/service-error.ts';
import type { Deadline } from '../http/deadline.ts';
import { failure } from '../http/failure.ts';
import { errorName, type ServiceLog } from '../log.ts';
import { FairLine } from './fair-queue.ts';
import { Shares } from './fair-share.ts';
import type { RateWindows } from './rate-windows.ts';

/** `interactive`: a person waits for it. `background`: nobody does; served when nothing interactive waits. */
export type Priority = 'interactive' | 'background';

/** Someone who wants through. */
export interface Turn {
  operation: Operation;
  /** Whose turn it is; keys are served one after the other. */
  key: string;
  priority: Priority;
  /** Told the place in the queue, 1 for the next, after 2 s of waiting and whenever it has changed. */
  onWait?: ((place: number) => void) | undefined;
  /** Whether it was through before and was sent back by a 429: then it goes ahead of the others of its key. */
  again: boolean;
}

interface Ticket extends Turn {
  since: number;
  place?: number;
  admit(): void;
  refuse(): void;
}

/** What a {@link Turnstile} is made of. */
export interface TurnstileParts {
  group: RateGroup;
  windows: RateWindows;
  clock: Clock;
  log: ServiceLog;
  /** Requests a minute, as the windows let them through. */
  limit: number;
  /** How many may wait. */
  room: number;
}

const placeAfter = 2_000;
const placesEvery = 1_000;

/** Lets the calls of one group through as its rate window allows, in turns between keys. */
export class Turnstile {
  readonly #parts: TurnstileParts;
  readonly #interactive = new FairLine<Ticket>();
  readonly #background = new FairLine<Ticket>();
  readonly #shares: Shares;
  #pumping = false;
  #cancelWake: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;

  constructor(parts: TurnstileParts) {
    this.#parts = parts;
    this.#shares = new Shares(parts.limit, parts.clock);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#interactive.size + this.#background.size;
  }

  /**
   * Resolves when the turn has come; rejects with the deadline's error, or with {@link QueueFullError}. In a full
   * queue the key with most waiting gives way, so that one busy place cannot shut out the others.
   */
  enter(turn: Turn, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopped = () => failure(undefined, { operation: turn.operation, deadline, sent: false });
      if (deadline.signal.aborted) return reject(stopped());
      const onAbort = () => {
        this.#line(turn.priority).remove(ticket);
        this.#rest();
        reject(stopped());
      };
      const done = (settle: () => void) => () => {
        deadline.signal.removeEventListener('abort', onAbort);
        settle();
      };
      const ticket: Ticket = {
        ...turn,
        since: this.#parts.clock.steady(),
        admit: done(resolve),
        refuse: done(() => reject(new QueueFullError(this.#parts.room, turn.operation))),
      };
      deadline.signal.addEventListener('abort', onAbort, { once: true });
      this.#add(ticket);
    });
  }

  /** Lets nobody through for so many milliseconds. */
  async pause(milliseconds: number): Promise<void> {
    const { group, windows, log } = this.#parts;
    log('warn', 'paused', { group, milliseconds });
    try {
      await windows.pause(group, milliseconds);
    } catch (error) {
      log('warn', 'windows-failed', { group, error: errorName(error) });
    }
  }

  #line(priority: Priority): FairLine<Ticket> {
    return priority === 'interactive' ? this.#interactive : this.#background;
  }

  #add(ticket: Ticket): void {
    this.#line(ticket.priority).add(ticket, ticket.again);
    if (this.waiting > this.#parts.room) this.#turnAway(ticket);
    this.#cancelTick ??= this.#parts.clock.after(placesEvery, () => this.#tellPlaces());
    void this.#pump();
  }

  #turnAway(newcomer: Ticket): void {
    const line = this.#background.size > 0 ? this.#background : this.#interactive;
    const longest = line.newestOfLongest();
    const yields =
      line.count(newcomer.key) >= line.count(longest?.key ?? '') && line === this.#line(newcomer.priority);
    const ticket = yields ? newcomer : longest;
    if (!ticket) return;
    line.remove(ticket);
    ticket.refuse();
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    while (this.waiting > 0) {
      const mayGo = this.#shares.judge(this.#wanted());
      if (!this.#interactive.hasNext(mayGo) && !this.#background.hasNext(mayGo)) {
        this.#wakeIn(this.#shares.changesIn);
        break;
      }
      const taken = this.#take();
      // A promise only where the windows are shared: in one process a free way costs no turn of the event loop.
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
    this.#cancelWake = this.#parts.clock.after(Math.max(milliseconds, 10), () => void this.#pump());
  }

  *#wanted() {
    yield* this.#interactive.counts();
    yield* this.#background.counts();
  }

  #admit(ticket: Ticket | undefined): void {
    if (!ticket) return;
    this.#shares.took(ticket.key);
    ticket.admit();
  }

  #take(): number | Promise<number> {
    const { group, windows, log } = this.#parts;
    const failed = (error: unknown) => {
      // The service's own 429 still guards the limit.
      log('warn', 'windows-failed', { group, error: errorName(error) });
      return 0;
    };
    try {
      const taken = windows.take(group);
      return typeof taken === 'number' ? taken : taken.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** Nothing ticks where nobody waits. */
  #rest(): void {
    if (this.waiting > 0) return;
    this.#cancelWake?.();
    this.#cancelTick?.();
    this.#cancelWake = undefined;
    this.#cancelTick = undefined;
  }

  #tellPlaces(): void {
    this.#cancelTick = this.#parts.clock.after(placesEvery, () => this.#tellPlaces());
    const now = this.#parts.clock.steady();
    let place = 0;
    for (const line of [this.#interactive, this.#background]) {
      for (const ticket of line.inOrder()) {
        place++;
        if (now - ticket.since >= placeAfter && ticket.place !== place) this.#tell(ticket, place);
      }
    }
  }

  #tell(ticket: Ticket, place: number): void {
    ticket.place = place;
    try {
      ticket.onWait?.(place);
    } catch (error) {
      this.#parts.log('warn', 'callback-failed', { error: errorName(error) });
    }
  }
}
