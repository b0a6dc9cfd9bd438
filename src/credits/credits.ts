import { type Clock, untilDone, type Waits } from '../lib/clock.ts';
import { isLocal, nowOrLater, unlessLocal } from '../lib/local-faults.ts';
import type { Meter } from '../lib/telemetry.ts';
import { randomId } from '../lib/text.ts';
import type { Caller, Job } from '../port/index.ts';
import {
  image,
  video,
  type VideoOperation,
  type VideoQuality,
  type VideoResolution,
} from '../service-rules/limits.ts';
import type { ChatModel } from '../service-rules/models.ts';
import {
  chatCreditsPerMillionTokens,
  type ChatTokenKind,
  type CreditRange,
  imageCredits,
  type PaidOperation,
  speechCreditsPerSecond,
  videoCreditsPerSecond,
  type VideoPriceMode,
} from '../service-rules/prices.ts';
import { type ChatUsage, ServiceError } from '../service/index.ts';
import { type Database, inTransaction, LeaseEndedError, takeTurn } from '../store/index.ts';
import {
  type Budget,
  type BudgetPassed,
  lookAt,
  passedBy,
  requireRoom,
  type Standing,
  standingsOf,
} from './budget.ts';
import { requireCooledDown } from './cooldown.ts';
import {
  countedOf,
  type EndedCall,
  forgetPrompt,
  forgetPromptsAt,
  insert,
  isOnRecord,
  type LedgerKey,
  microcredits,
  type NewCall,
  noteRequest,
  noteSending,
  type OpenCall,
  type PaidCall,
  raise,
  settle,
  settleAbandoned,
  type Spending,
  takeBack,
} from './ledger.ts';
import { type Grouping, usageCsv, type UsageLine, usageOf, type UsageScope } from './usage.ts';

/** What a person's calls are held to, and how long what they asked for is kept. */
export type Limits = Pick<PaidCall, 'budgets' | 'unheeded' | 'cooldown' | 'promptLife'>;

/** Calls of one caller. */
export type PaidCalls = readonly [PaidCall, ...PaidCall[]];

/** Told of the shares of budgets that a job's call passes, in the transaction that records the call. */
export type OnPassed = (
  transaction: Database,
  job: Pick<Job, 'address'>,
  passed: readonly BudgetPassed[],
) => Promise<() => void>;

interface CreditsDependencies {
  readonly database: Database;
  /** The process that makes the calls. */
  readonly process?: string;
  readonly meter?: Meter;
  /** Notes shares of budgets that a job's call passes, with that call. @returns what tells of them once it's on record. */
  readonly onPassed?: OnPassed;
  readonly clock: Clock;
}

/**
 * Credits, known before they're spent: a paid call is in the ledger before it's made, and counts against the budgets from
 * then on with the most it may cost.
 */
export class Credits {
  readonly #dependencies: CreditsDependencies;
  readonly #books: Books;

  constructor(dependencies: CreditsDependencies) {
    this.#dependencies = dependencies;
    const { database, clock, onPassed } = dependencies;
    this.#books = {
      database,
      clock,
      onEnded: (ended) => this.#count(ended),
      onPassed: async (transaction, job, passed) =>
        (passed.length > 0 && (await onPassed?.(transaction, job, passed))) || (() => {}),
    };
  }

  /**
   * Records a call and checks its limits in one transaction, so that calls at the same time can't exceed one together.
   * @throws {BudgetExceededError | CooldownError} Nothing is reserved then.
   */
  async reserve(call: PaidCall): Promise<Reservation> {
    const [reservation] = await this.#reserveAll([call]);
    return reservation;
  }

  /** All calls of one caller, or none of them. */
  async #reserveAll(calls: PaidCalls): Promise<readonly [Reservation, ...Reservation[]]> {
    const { database, process = null, clock } = this.#dependencies;
    const [{ job, budgets, unheeded = [], cooldown, kind }] = calls;
    const caller = { address: job.address, requester: job.requester };
    const at = clock.now();
    const newCall = (call: PaidCall): NewCall => ({ id: randomId(), call, at, process });
    const [first, ...more] = calls;
    const all = [newCall(first), ...more.map(newCall)] as const;
    const reservation = (one: NewCall) => new Reservation(this.#books, one);
    const credits = all.reduce((sum, { call }) => sum + call.estimate.high, 0);
    let tell = () => {};
    try {
      await inTransaction(database, async (transaction) => {
        await takeTurn(transaction, 'budgets');
        if (cooldown) await requireCooledDown(transaction, cooldown, caller, { kind, job: job.id }, at);
        const look = lookAt(transaction, [...budgets, ...unheeded], caller, { at, now: at });
        const standings = look.standings(await insert(transaction, all, look));
        requireRoom(standings.slice(0, budgets.length), credits);
        tell = await this.#books.onPassed(transaction, job, passedBy(standings, credits));
      });
    } catch (error) {
      // It's on record where only the answer to its commit was lost; nobody else ends it.
      if (isLocal(error))
        for (const one of all)
          reservation(one)
            .release()
            .catch(() => {});
      throw error;
    }
    tell();
    const [one, ...others] = all;
    return [reservation(one), ...others.map(reservation)];
  }

  /** The reservation of a job with one paid call, from any process. */
  ofJob(job: string): Settlement {
    return new Settlement(this.#books, { column: 'job', value: job });
  }

  /**
   * Reserves, makes the call, and settles by how it ended. `make` gets what tells the ledger that it's sent.
   * @throws {BudgetExceededError | CooldownError}, or whatever `make` throws.
   */
  async charge<T>(
    call: PaidCall,
    make: (sending: Sending) => Promise<{ readonly result: T; readonly spending: Spending }>,
  ): Promise<T> {
    const reservation = await this.reserve(call);
    try {
      const { result, spending } = await make(reservation.sending);
      await reservation.settle(spending);
      return result;
    } catch (error) {
      await reservation.fail(error);
      throw error;
    }
  }

  /**
   * Reserves nothing.
   * @throws {BudgetExceededError | CooldownError} if the limits wouldn't allow a call of a kind that costs so much now.
   */
  async requireRoom(
    caller: Caller,
    { budgets, cooldown }: Limits,
    credits: number,
    kind: PaidOperation,
  ): Promise<void> {
    const { database, clock } = this.#dependencies;
    if (cooldown) await requireCooledDown(database, cooldown, caller, { kind }, clock.now());
    requireRoom(await this.standings(caller, budgets), credits);
  }

  /**
   * Reserves for calls of one caller that are made and settled elsewhere ({@link ofJob}): for all of them, or none.
   * Released if `begin` fails.
   * @throws {BudgetExceededError | CooldownError}, or whatever `begin` throws.
   */
  async hold(calls: PaidCalls, begin: () => Promise<void>): Promise<void> {
    const reservations = await this.#reserveAll(calls);
    try {
      await begin();
    } catch (error) {
      for (const reservation of reservations) await reservation.release();
      throw error;
    }
  }

  /** What was used, the most first. */
  usage(scope: UsageScope, grouping: Grouping): Promise<readonly UsageLine[]> {
    return usageOf(this.#dependencies.database, scope, grouping);
  }

  /** Every call of a scope, for spreadsheets. */
  csv(scope: UsageScope): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
    return usageCsv(this.#dependencies.database, scope);
  }

  /** What a job was asked for isn't kept any longer. */
  forgetPrompt(job: string): Promise<void> {
    return forgetPrompt(this.#dependencies.database, job);
  }

  /** Nor is what was asked for in a thread or channel, in whichever workspace where none is named. */
  forgetPromptsAt(place: Parameters<typeof forgetPromptsAt>[1]): Promise<void> {
    return forgetPromptsAt(this.#dependencies.database, place);
  }

  /** What’s left of each budget, for the caller. */
  async standings(caller: Caller, budgets: readonly Budget[]): Promise<readonly Standing[]> {
    const { database, clock } = this.#dependencies;
    const now = clock.now();
    return standingsOf(database, budgets, caller, { at: now, now });
  }

  /** Settles the calls of processes that don't live any more. */
  async settleAbandoned(): Promise<number> {
    const { database, clock } = this.#dependencies;
    const ended = await settleAbandoned(database, clock.now());
    this.#count(ended);
    return ended.length;
  }

  #count(ended: readonly EndedCall[]): void {
    for (const { kind, platform, state, credits } of ended) {
      if (state === 'failed') continue;
      const name = state === 'spent' ? 'troupe_credits_spent_total' : 'troupe_credits_uncertain_total';
      this.#dependencies.meter?.count(name, { kind, platform }, credits);
    }
  }
}

/** Where calls are put on record. */
interface Books {
  readonly database: Database;
  readonly clock: Clock;
  /** Told of calls that ended, once each. */
  readonly onEnded: (ended: readonly EndedCall[]) => void;
  readonly onPassed: OnPassed;
}

/** Ends a paid call. Only the first ending counts. */
export class Settlement {
  protected readonly books: Books;
  readonly #key: LedgerKey;

  constructor(books: Books, key: LedgerKey) {
    this.books = books;
    this.#key = key;
  }

  /** It was made. Whatever `spending` leaves out stays as reserved. */
  settle(spending: Partial<Spending> = {}): Promise<void> {
    return this.end('spent', { estimated: false, ...spending });
  }

  /** It cost nothing. */
  release(requestId?: string): Promise<void> {
    return this.end('failed', { credits: { low: 0, high: 0 }, requestId });
  }

  /** It may have been charged. Whatever `spending` leaves out stays as reserved. */
  uncertain(spending: Partial<Spending> = {}): Promise<void> {
    return this.end('uncertain', spending);
  }

  /** Ends it by an error: a request that certainly wasn't processed cost nothing, any other may have been charged. */
  fail(error: unknown, spending: Partial<Spending> = {}): Promise<void> {
    if (!(error instanceof ServiceError)) return this.uncertain(spending);
    const { outcome, requestId } = error;
    return outcome === 'unknown' ? this.uncertain({ requestId, ...spending }) : this.release(requestId);
  }

  /** Notes the service's id of the request while it is under way. */
  async noteRequest(requestId: string | undefined): Promise<void> {
    if (requestId !== undefined) await noteRequest(this.books.database, this.#key, requestId);
  }

  protected async end(...how: Parameters<Settlement['endNow']>): Promise<void> {
    await this.endNow(...how);
  }

  /** @returns whether there was something to end. */
  protected async endNow(
    state: 'spent' | 'failed' | 'uncertain',
    spending: Partial<Spending>,
  ): Promise<boolean> {
    const { database, clock, onEnded } = this.books;
    const ended = await settle(database, this.#key, state, spending, clock.now(), this.known());
    onEnded(ended);
    return ended.length > 0;
  }

  /** The call as this process put it on record; undefined where it has to be read. */
  protected known(): OpenCall | undefined {
    return undefined;
  }
}

/** Awaited around each attempt to send a call: as the service's client asks. */
interface Sending {
  /** Right before: it's on record then. Waits for a database that's away, until the signal is aborted. */
  readonly beforeSending: (signal?: AbortSignal) => Promise<void>;
  /** It certainly wasn't processed. */
  readonly onNotProcessed: () => Promise<void>;
}

/** Between tries to record that a call is sent while the database is away, in milliseconds: a person waits. */
const waits: Waits = { first: 250, longest: 2_000 };

/** Credits set aside for one call. */
export class Reservation extends Settlement {
  readonly #reserved: NewCall;
  /** Credits. */
  #high: number;
  /** As it's on record; undefined before, and where it certainly wasn't processed. */
  #sentAt: number | undefined;
  #ended: Promise<void> | undefined;

  constructor(books: Books, reserved: NewCall) {
    super(books, { column: 'id', value: reserved.id });
    this.#reserved = reserved;
    this.#high = reserved.call.estimate.high;
  }

  /**
   * Puts on record that the call is sent, which only a process can that counts as living: one that was cut off or stood
   * still pays for nothing that others have given up.
   */
  readonly sending: Sending = {
    beforeSending: async (signal) => {
      const how = { clock: this.books.clock, waits, signal, failed: unlessLocal };
      this.#sentAt = await untilDone(() => this.#noteSending(), how);
    },
    onNotProcessed: async () => {
      const [sentAt, id] = [this.#sentAt, this.#reserved.id];
      this.#sentAt = undefined;
      // Nobody waits for this: without it, a takeover takes it for paid.
      if (sentAt !== undefined) takeBack(this.books.database, id, sentAt).catch(() => {});
    },
  };

  /**
   * Reserves more for a call that turns out more expensive while it runs. It counts on the day it began, so that day's
   * budgets have to allow it, even after midnight. If that can't be recorded now, the call goes on; its end will be.
   * @throws {BudgetExceededError} The earlier reservation stays.
   */
  raise(estimate: CreditRange): Promise<void> {
    return this.#raise(estimate, requireRoom);
  }

  /** Tells of the shares of budgets that it passes, too; `check` rejects what budgets don't allow. */
  async #raise(estimate: CreditRange, check?: typeof requireRoom): Promise<void> {
    const { call, at } = this.#reserved;
    const { budgets, unheeded = [], job } = call;
    const { address, requester } = job;
    let tell = () => {};
    await inTransaction(this.books.database, async (transaction) => {
      await takeTurn(transaction, 'budgets');
      const moments = { at, now: this.books.clock.now() };
      const look = lookAt(transaction, [...budgets, ...unheeded], { address, requester }, moments);
      const raised = await raise(transaction, this.known(), estimate, look);
      if (!raised) return;
      const [standings, counted] = [look.standings(raised.seen), raised.call.high / 1e6];
      check?.(standings.slice(0, budgets.length), estimate.high, counted);
      const passed = passedBy(standings, estimate.high - counted);
      tell = await this.books.onPassed(transaction, job, passed);
    }).then(() => {
      this.#high = estimate.high;
      tell();
    }, unlessLocal);
  }

  /** One that wasn't sent cost nothing, whatever kept it from being sent. */
  override fail(error: unknown, spending: Partial<Spending> = {}): Promise<void> {
    return this.#sentAt !== undefined || error instanceof ServiceError
      ? super.fail(error, spending)
      : this.release();
  }

  /** A paid result isn't withheld because its end can't be recorded now. The first ending counts. */
  protected override end(...[state, spending]: Parameters<Settlement['endNow']>): Promise<void> {
    const { credits } = spending;
    const work = async () => {
      // It was made, whatever budgets allow.
      if (credits && credits.high > this.#high) await this.#raise(credits);
      const isEnded = await this.endNow(state, spending);
      if (!isEnded && this.#sentAt !== undefined && (await this.#putBack()))
        await this.endNow(state, spending);
    };
    this.#ended ??= nowOrLater(work, { clock: this.books.clock });
    return this.#ended;
  }

  protected override known(): OpenCall {
    const { id, call, at } = this.#reserved;
    return { ...countedOf(call, at), id, high: microcredits(this.#high) };
  }

  async #noteSending(): Promise<number> {
    const { id, process } = this.#reserved;
    for (;;) {
      const now = this.books.clock.now();
      if (await noteSending(this.books.database, id, process, now)) return now;
      if (!(await this.#putBack())) throw new LeaseEndedError();
    }
  }

  /** Where its row is gone, a database has come back without its last commits: it's made again. */
  async #putBack(): Promise<boolean> {
    const { database } = this.books;
    if (await isOnRecord(database, this.#reserved.id)) return false;
    await inTransaction(database, (transaction) => insert(transaction, [this.#reserved]));
    return true;
  }
}

/** A price that is one figure. */
export function exactly(credits: number): CreditRange {
  return { low: credits, high: credits };
}

/** Credits of a chat answer by its tokens: a range, since the rate depends on the request (description, section 8). */
export function chatCredits(model: ChatModel, usage: ChatUsage): CreditRange {
  const tokens: Record<ChatTokenKind, number> = {
    input: usage.inputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheCreation: usage.cacheCreationTokens,
    output: usage.outputTokens,
  };
  const at = (end: 'low' | 'high') => {
    const rates = Object.entries(chatCreditsPerMillionTokens[model]) as [ChatTokenKind, CreditRange][];
    return rates.reduce((sum, [kind, rate]) => sum + tokens[kind] * rate[end], 0) / 1e6;
  };
  return { low: at('low'), high: at('high') };
}

/**
 * Credits of a chat answer whose tokens are only estimated. How much of the prompt comes from the service's cache isn't
 * known then, so the range goes from all of it read from the cache to all of it written to it.
 */
export function chatCreditsEstimated(model: ChatModel, prompt: number, output: number): CreditRange {
  const rates = chatCreditsPerMillionTokens[model];
  return {
    low: (prompt * rates.cacheRead.low + output * rates.output.low) / 1e6,
    high: (prompt * rates.cacheCreation.high + output * rates.output.high) / 1e6,
  };
}

/** How many tokens an answer may have that costs at most so many credits, by the upper end of the estimate; whole ones. */
export function tokensFor(model: ChatModel, prompt: number, credits: number): number {
  const { high: first } = chatCreditsEstimated(model, prompt, 0);
  return Math.floor(((credits - first) * 1e6) / chatCreditsPerMillionTokens[model].output.high);
}

/** Credits of so many seconds of speech: whole seconds, rounded up, at least one (description, section 8). */
export function speechCredits(seconds: number): number {
  return Math.max(1, Math.ceil(seconds)) * speechCreditsPerSecond;
}

/** Credits of an image: the same for every size and reference. */
export const creditsOfImage = imageCredits;

/** The fields of a video request that decide its price; missing ones have the service's defaults. */
export interface PricedVideo {
  readonly duration?: number | undefined;
  readonly resolution?: VideoResolution | undefined;
  readonly quality?: VideoQuality | undefined;
  readonly operation?: VideoOperation | undefined;
  readonly reference_video_urls?: readonly string[] | undefined;
}

/** The row of the price table for a video: editing costs as much as generating from a reference video. */
function videoPriceMode(request: PricedVideo): VideoPriceMode {
  const fromVideo = request.operation === 'edit' || Boolean(request.reference_video_urls?.length);
  return fromVideo ? 'reference' : (request.quality ?? video.defaultQuality);
}

/** Credits of a video: exact, by mode, resolution and length. */
export function videoCredits(request: PricedVideo): number {
  const perSecond = videoCreditsPerSecond[videoPriceMode(request)];
  return (
    perSecond[request.resolution ?? video.defaultResolution] * (request.duration ?? video.duration.default)
  );
}

/** What the ledger has for a model where the service has none: what decided the price or the size. */
export const namedBy = {
  image: (size: string | undefined) => `image ${size ?? image.defaultSize}`,
  video: (request: PricedVideo) =>
    `video ${videoPriceMode(request)} ${request.resolution ?? video.defaultResolution}`,
};
