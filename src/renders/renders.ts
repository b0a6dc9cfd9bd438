import type { Clock } from '../clock.ts';
import type { Credits } from '../credits/index.ts';
import type { Address, Job, Jobs, MessageAddress, Outlets } from '../port/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { Database } from '../store/index.ts';
import type { Troubles } from '../troubles.ts';
import { Course } from './course.ts';
import type { RenderPresenter } from './presenter.ts';
import { ProgressBoard } from './progress-board.ts';
import type { Render, RenderKind } from './render.ts';
import { RenderStore } from './render-store.ts';
import type { Spool } from './spool.ts';

export interface RendersParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly service: Pick<ServiceClient, 'images' | 'videos' | 'download'>;
  /** What was reserved for each before it began. */
  readonly credits: Pick<Credits, 'ofJob'>;
  readonly outlets: Outlets;
  readonly presenters: Readonly<Record<RenderKind, RenderPresenter>>;
  readonly spool: Spool;
  readonly troubles: Troubles;
  readonly clock: Clock;
  /** 0 to 1: spreads status queries; `Math.random` by default. */
  readonly random?: () => number;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
  };
}

/** Something being made. */
export interface RenderUnderWay {
  readonly kind: RenderKind;
  readonly job: Job | undefined;
  /** Milliseconds since it was asked for. */
  readonly elapsed: number;
}

/** What is asked for. */
export interface RenderOrder {
  readonly job: Job;
  readonly kind: RenderKind;
  /** The service's request. */
  readonly request: unknown;
  readonly conversationId: string;
  /** The message that shows how far it is. */
  readonly message: MessageAddress;
}

/**
 * Images and videos that outlive the process. A render is a row, written before each step and after it:
 * `reserved → submitting → waiting → ready → delivered`, or `failed`, or `uncertain` where the process died, or
 * the connection, while the request was being sent: nobody can know then whether credits were spent, and it
 * is never sent again by itself.
 */
export class Renders {
  readonly #parts: RendersParts;
  readonly #store: RenderStore;
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #progress: ProgressBoard;

  constructor(parts: RendersParts) {
    this.#parts = parts;
    this.#progress = new ProgressBoard(parts);
    this.#store = new RenderStore(parts.database, () => parts.clock.now());
  }

  /** Takes an order on: when this resolves it is on record, and goes on whatever happens to the process. */
  async begin(order: RenderOrder): Promise<void> {
    const { job, kind, request, conversationId, message } = order;
    const createdAt = this.#parts.clock.now();
    await this.#store.add({ id: job.id, kind, request, conversationId, message, createdAt });
    this.#carryOn(job.id);
  }

  /** Goes on with everything a former process left. Call once, at start, when the platforms can post. */
  async resume(): Promise<number> {
    const open = await this.#store.open();
    for (const { id } of open) this.#carryOn(id);
    return open.length;
  }

  /** Leaves everything as its row says, for the next process. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await Promise.allSettled(this.#underWay.values());
  }

  find(id: string): Promise<Render | undefined> {
    return this.#store.find(id);
  }

  /** What is being made at a place and in its threads, the oldest first. */
  async underWayAt(place: Address): Promise<readonly RenderUnderWay[]> {
    const now = this.#parts.clock.now();
    const renders = await this.#store.openAt(place);
    return Promise.all(
      renders.map(async ({ id, kind, createdAt }) => {
        const job = await this.#parts.jobs.find(id);
        return { kind, job, elapsed: Math.max(0, now - createdAt) };
      }),
    );
  }

  /** Ids of the renders about which somebody still has to be told. */
  async open(): Promise<readonly string[]> {
    return (await this.#store.open()).map(({ id }) => id);
  }

  /** How many are being made or delivered. */
  get outstanding(): number {
    return this.#underWay.size;
  }

  #carryOn(id: string): void {
    const { log } = this.#parts;
    const course = new Course(
      {
        ...this.#parts,
        store: this.#store,
        progress: this.#progress,
        stop: this.#stop.signal,
        outstanding: () => this.#underWay.size,
      },
      id,
    );
    const ended = course
      .run()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) log.warn({ render: id, error }, 'a render stopped');
      })
      .finally(() => {
        this.#underWay.delete(id);
        this.#progress.forget(id);
      });
    this.#underWay.set(id, ended);
  }
}
