import { type Clock, sleep } from '../clock.ts';
import type { Credits } from '../credits/index.ts';
import {
  type Address,
  channelKey,
  type Job,
  type Jobs,
  type MessageAddress,
  OutletError,
  type Outlets,
} from '../port/index.ts';
import {
  AddressRefusedError,
  NotFoundError,
  ResultGoneError,
  type ServiceClient,
  ServiceError,
  type TaskRef,
  type TaskStatus,
  TooLargeError,
} from '../service/index.ts';
import type { Database } from '../store/index.ts';
import { afterFailedDelivery, deliver } from './delivery.ts';
import { faultOf } from './fault.ts';
import { pollSpacing } from './poll-spacing.ts';
import type { RenderPresenter } from './presenter.ts';
import { ProgressBoard } from './progress-board.ts';
import type { Render, RenderFault, RenderKind, RenderResult } from './render.ts';
import { RenderStore } from './render-store.ts';
import { settle } from './settle.ts';
import type { Spool } from './spool.ts';

/** How long a render may take before nobody waits for it any more, in minutes. */
const deadlineMinutes: Record<RenderKind, number> = { image: 15, video: 60 };
/** Largest result that is fetched, in bytes. */
const largestResult = 512 * 1024 ** 2;
const triesForResult = 5;
const usualContentTypes: Record<RenderKind, string> = { image: 'image/png', video: 'video/mp4' };
export interface RendersParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly service: Pick<ServiceClient, 'images' | 'videos' | 'download'>;
  /** What was reserved for each before it began. */
  readonly credits: Pick<Credits, 'ofJob'>;
  readonly outlets: Outlets;
  readonly presenters: Readonly<Record<RenderKind, RenderPresenter>>;
  readonly spool: Spool;
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
    const deadlineAt = createdAt + deadlineMinutes[kind] * 60_000;
    await this.#store.add({ id: job.id, kind, request, conversationId, message, createdAt, deadlineAt });
    this.#carryOn(job.id);
  }

  /** Goes on with everything a former process left. Call once, at start, when the platforms can post. */
  async resume(): Promise<number> {
    const open = await this.#store.open();
    for (const render of open) {
      if (render.state === 'submitting') await this.#store.change(render.id, { state: 'uncertain' });
      this.#carryOn(render.id);
    }
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
        return { kind, job, elapsed: now - createdAt };
      }),
    );
  }

  /** How many are being made or delivered. */
  get outstanding(): number {
    return this.#underWay.size;
  }

  #carryOn(id: string): void {
    const ended = this.#run(id)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#parts.log.warn({ render: id, error }, 'render left for the next start');
      })
      .finally(() => {
        this.#underWay.delete(id);
        this.#progress.forget(id);
      });
    this.#underWay.set(id, ended);
  }

  /** Steps from state to state until somebody has been told how it ended. */
  async #run(id: string): Promise<void> {
    const job = await this.#parts.jobs.find(id);
    if (!job) throw new Error('the job of this render is not on record');
    for (;;) {
      this.#stop.signal.throwIfAborted();
      const render = await this.#store.find(id);
      if (!render) throw new Error('this render is not on record');
      if (render.state === 'reserved') await this.#submit(await this.#place(render, job), job);
      else if (render.state === 'waiting') await this.#poll(render, job);
      else {
        // Before people are told, and again after a crash: each ending counts once.
        await settle(this.#parts.credits.ofJob(id), render);
        if (await this.#deliver(render, job)) return;
      }
    }
  }

  /** A place that cannot be made is not worth the render: it stays with the message it began with. */
  async #place(render: Render, job: Job): Promise<Render> {
    const { outlets, presenters, log } = this.#parts;
    const outlet = outlets(render.message.platform);
    if (!outlet) throw new Error(`${render.message.platform} is not running`);
    try {
      const message = await presenters[render.kind].place?.(outlet, render, job);
      if (!message) return render;
      await this.#store.change(render.id, { message });
      return { ...render, message };
    } catch (error) {
      if (!(error instanceof OutletError)) throw error;
      log.warn({ render: render.id, error }, 'no place of its own for a render');
      return render;
    }
  }

  async #submit(render: Render, job: Job): Promise<void> {
    await this.#store.change(render.id, { state: 'submitting' });
    const task = await this.#send(render, job);
    if (!task) return;
    await this.#parts.credits.ofJob(render.id).noteRequest(task.requestId);
    await this.#store.change(render.id, {
      state: 'waiting',
      ...(task.id !== undefined && { taskId: task.id }),
    });
    if (task.status.state !== 'ready') return;
    await this.#fetch(render, task.status).catch((error: unknown) => this.#afterFailedPoll(render, error));
  }

  /** Undefined where it failed, which is on record then. */
  async #send(render: Render, job: Job): Promise<TaskRef | undefined> {
    try {
      // Not cancelled by a shutdown: a request cut off in the middle may have been paid for. What the request
      // looks like was checked by whoever began it; here it is only data.
      return await this.#resource(render.kind).submit(render.request as never, {
        conversationId: render.conversationId,
        fairnessKey: channelKey(job.address),
        onWait: (place) => void this.#progress.show(render, job, { place }),
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const unknown = error.outcome === 'unknown';
      await this.#store.change(
        render.id,
        unknown ? { state: 'uncertain' } : { state: 'failed', fault: faultOf(error) },
      );
      return undefined;
    }
  }

  async #poll(render: Render, job: Job): Promise<void> {
    const { clock } = this.#parts;
    const age = clock.now() - render.createdAt;
    await sleep(
      clock,
      pollSpacing(age, this.#underWay.size, (this.#parts.random ?? Math.random)()),
      this.#stop.signal,
    );
    if (clock.now() >= render.deadlineAt) {
      const fault: RenderFault = { code: 'deadline', minutes: deadlineMinutes[render.kind] };
      return this.#store.change(render.id, { state: 'failed', fault });
    }
    // Finished at once and never named: what was not fetched then cannot be asked for.
    if (render.taskId === undefined) return this.#giveUp(render);
    try {
      const status = await this.#resource(render.kind).status(render.taskId, {
        conversationId: render.conversationId,
        signal: this.#stop.signal,
        priority: 'background',
      });
      if (status.state === 'ready') return await this.#fetch(render, status);
      if (status.state === 'failed') {
        const fault: RenderFault = { code: 'failed', ...(status.error && { reason: status.error }) };
        return await this.#store.change(render.id, { state: 'failed', fault });
      }
      const { progress: fraction } = status;
      await this.#progress.show(render, job, fraction === undefined ? {} : { fraction });
    } catch (error) {
      await this.#afterFailedPoll(render, error);
    }
  }

  /** A status query that fails costs nothing: it is asked again, unless the task or its result is gone. */
  async #afterFailedPoll(render: Render, error: unknown): Promise<void> {
    this.#stop.signal.throwIfAborted();
    if (error instanceof NotFoundError && !(error instanceof ResultGoneError)) {
      return this.#store.change(render.id, { state: 'failed', fault: { code: 'task-gone' } });
    }
    if (error instanceof ResultGoneError) return this.#giveUp(render);
    if (error instanceof TooLargeError || error instanceof AddressRefusedError) return this.#giveUp(render);
    if (!(error instanceof ServiceError)) throw error;
    this.#parts.log.warn({ render: render.id, error }, 'status query failed, asking again');
  }

  /** Brings the result to this machine's disk; from then on it cannot be lost any more. */
  async #fetch(render: Render, status: TaskStatus): Promise<void> {
    const { service, spool } = this.#parts;
    const source = status.results[0];
    if (!source) return this.#notShownYet(render);
    const download = await service.download(source, {
      signal: this.#stop.signal,
      maxBytes: largestResult,
    });
    const bytes = await spool.write(render.id, download.stream);
    const result: RenderResult = {
      contentType: download.contentType ?? usualContentTypes[render.kind],
      bytes,
      ...(source.kind === 'url' && source.url.startsWith('https:') && { link: source.url }),
    };
    await this.#store.change(render.id, { state: 'ready', result, attempts: 0 });
  }

  /** Ready, and no result to be found: some services are a moment behind themselves. */
  async #notShownYet(render: Render): Promise<void> {
    if (render.attempts >= triesForResult) return this.#giveUp(render);
    await this.#store.change(render.id, { attempts: render.attempts + 1 });
  }

  #giveUp(render: Render): Promise<void> {
    return this.#store.change(render.id, { state: 'failed', fault: { code: 'result-gone' } });
  }

  /** Posts how it ended. True when nothing is left to do. */
  async #deliver(render: Render, job: Job): Promise<boolean> {
    const { outlets, presenters, spool, clock, log } = this.#parts;
    const outlet = outlets(render.message.platform);
    if (!outlet) throw new Error(`${render.message.platform} is not running`);
    try {
      const delivered = await deliver({ render, job, outlet, presenter: presenters[render.kind], spool });
      await this.#store.change(render.id, {
        delivered,
        ...(render.state === 'ready' && { state: 'delivered' as const }),
      });
      await spool.remove(render.id);
      return true;
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      log.warn({ render: render.id, error }, 'render could not be posted');
      const { change, wait } = afterFailedDelivery(render, error);
      await this.#store.change(render.id, change);
      if (wait !== undefined) await sleep(clock, wait, this.#stop.signal);
      return change.delivered !== undefined;
    }
  }

  #resource(kind: RenderKind) {
    return kind === 'image' ? this.#parts.service.images : this.#parts.service.videos;
  }
}
