import type { Coordination } from '../coordination/index.ts';
import type { Credits } from '../credits/index.ts';
import type { CommandWatch, LatePosts } from '../engine/index.ts';
import { type Clock, untilDone, type Waits } from '../lib/clock.ts';
import { isLocal, type LocalFaults } from '../lib/local-faults.ts';
import { isPrivate, type Job, type Jobs, type MessageAddress, type PlatformAdapters } from '../port/index.ts';
import type { ServiceClient } from '../service/index.ts';
import type { BegunBefore, Database, FileStore } from '../store/index.ts';
import type { PendingRender } from './queue.ts';
import { type RenderStore, TakenOverError } from './render-store.ts';
import type { Render, RenderChange, RenderFault } from './render.ts';
import type { PresentStyle, ProgressBoard, RenderPresenters } from './result/presenter.ts';

/** Dependencies of renders. */
export interface RendersDependencies extends LatePosts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly service: Pick<ServiceClient, 'account' | 'images' | 'videos' | 'download'>;
  /** Has the credits reserved for each render before it began. */
  readonly credits: Pick<Credits, 'ofJob'>;
  readonly adapters: PlatformAdapters;
  readonly presenters: RenderPresenters;
  /** Told of each message that's posted for a job. */
  readonly posted?: (job: Job, at: MessageAddress) => Promise<void>;
  /** Told of a message before the bot takes it away because the result takes its place. */
  readonly replaces?: (announcement: MessageAddress) => Promise<void>;
  /** What was deleted of what a job is made from. */
  readonly sourceDeleted?: (job: Job) => Promise<Job['deleted']>;
  /** Told that the message in which a job's renders are shown was deleted. */
  readonly shownNoMore?: (job: Job) => Promise<void>;
  /** What stands under what was made where a job is; all buttons and nothing else if absent. */
  readonly styleAt?: (job: Job) => Promise<PresentStyle>;
  readonly spool: FileStore;
  /** What a database that was restored may have lost of what was posted. */
  readonly begunBefore?: BegunBefore;
  readonly troubles: LocalFaults;
  /** Told how commands end whose renders went on, and in which steps. */
  readonly watch: CommandWatch;
  readonly clock: Clock;
  /** With the other processes of the bot. */
  readonly coordination: Pick<Coordination, 'process' | 'locks' | 'signals'>;
  /** 0 to 1: spreads status queries; `Math.random` by default. */
  readonly random?: () => number;
  readonly log: {
    info(data: object, message: string): void;
    warn(data: object, message: string): void;
  };
}

/** Between tries of what this machine's disk or database refused, in milliseconds. */
export const localWaits: Waits = { first: 1_000, longest: 300_000 };

/** Dependencies of a render's lifecycle, besides those of all renders. */
export interface CourseDependencies extends RendersDependencies {
  readonly store: RenderStore;
  readonly progress: ProgressBoard;
  readonly stop: AbortSignal;
  /** About how many renders the service is asked. */
  readonly polled: () => number;
  /** Called before what may take long: others may go on meanwhile. */
  readonly makeRoom: () => void;
  /** Has another render go on, which had nothing left to do. */
  readonly wake: (render: Render) => void;
}

/** The shared state of one render's steps. */
export class LifecycleContext {
  readonly dependencies: CourseDependencies;
  readonly pending: PendingRender;

  constructor(dependencies: CourseDependencies, pending: PendingRender) {
    this.dependencies = dependencies;
    this.pending = pending;
  }

  /** Its name for `/readyz`. */
  get work(): string {
    return workOf(this.pending.id);
  }

  /** The service knows its task, for this key. */
  noteKnown(): void {
    this.pending.account = this.dependencies.service.account;
  }

  /** Whether its task was known to another key, which may come back: that this one doesn't know it says little. */
  get isOfOtherAccount(): boolean {
    const { account } = this.pending;
    return account !== undefined && account !== this.dependencies.service.account;
  }

  /** @throws the error if another process has the render by now: it's none of this one's business then. */
  noteFailure(error: unknown): void {
    if (error instanceof TakenOverError) throw error;
    const { troubles, log } = this.dependencies;
    if (isLocal(error)) troubles.note(this.work, error);
    log.warn({ render: this.pending.id, error }, 'a render cannot go on yet');
  }

  /** Tries until this machine's disk and database let it happen. */
  persistently<T>(work: () => Promise<T>): Promise<T> {
    const { clock, stop: signal, troubles } = this.dependencies;
    const failed = (error: unknown) => this.noteFailure(error);
    return untilDone(work, { clock, waits: localWaits, signal, failed }).finally(() =>
      troubles.clear(this.work),
    );
  }

  /** What of a job is deleted by now; or of what it's made from, where others would see it. */
  async deletedOf(job: Job): Promise<Job['deleted']> {
    const { jobs, sourceDeleted } = this.dependencies;
    const own = (await jobs.find(job.id))?.deleted;
    return own || isPrivate(job) || job.requester.direct ? own : sourceDeleted?.(job);
  }

  /** Whether it's known what was deleted where a job is: asked before that's looked up, to buy or deliver something. */
  async isHeard({ address }: Job): Promise<boolean> {
    return (await this.dependencies.hears?.(address)) !== false;
  }

  /** Why nothing is to be made of a job any more: it was deleted, or what it's made from. */
  async whyNotSent(job: Job): Promise<RenderFault | undefined> {
    const { jobs, sourceDeleted } = this.dependencies;
    if ((await jobs.find(job.id))?.deleted) return { code: 'canceled' };
    return (await sourceDeleted?.(job)) && { code: 'source-gone' };
  }

  /** A job as it's deleted by now, which is on record from then on. */
  async asDeleted(job: Job): Promise<Job> {
    if (job.deleted) return job;
    const deleted = await this.deletedOf(job);
    if (!deleted) return job;
    await this.persistently(() => this.dependencies.jobs.markDeleted(job.id, deleted));
    return { ...job, deleted };
  }

  /** Records what cannot be done over: it must not be forgotten because a disk is full. */
  record(change: RenderChange): Promise<void> {
    return this.persistently(() => this.dependencies.store.change(this.pending.id, change));
  }

  recordFault(fault: RenderFault): Promise<void> {
    return this.record({ state: 'failed', fault });
  }
}

/** A render's name for `/readyz`. */
export function workOf(render: string): string {
  return `render ${render}`;
}
