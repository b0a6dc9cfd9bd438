import { untilDone, type Waits, waitAfter } from '../lib/backoff.ts';
import { sleep } from '../lib/clock.ts';
import { isLocal } from '../lib/local-faults.ts';
import { channelKey, type Job, PlatformError } from '../port/index.ts';
import {
  AddressRefusedError,
  LastingState,
  NotFoundError,
  ResultGoneError,
  ServiceError,
  type TaskRef,
  type TaskStatus,
} from '../service/index.ts';
import type { RendersDependencies } from './dependencies.ts';
import { notTaken } from './not-taken.ts';
import {
  longestSilence,
  looksInVain,
  patience,
  untilNextLook,
  untilNextQuestion,
  usual,
} from './polling/patience.ts';
import { pollSpacing } from './polling/poll-spacing.ts';
import { isOfKey, isRefusal } from './refusals.ts';
import type { Render, RenderFault, RenderKind } from './render.ts';
import type { RenderChange, RenderStore } from './render-store.ts';
import { deliver } from './result/delivery.ts';
import { type Fetched, fetchResult } from './result/fetch-result.ts';
import type { ProgressBoard } from './result/progress-board.ts';
import { settle } from './settle.ts';

/** What it looks like that a result isn't there. */
type Missing = Extract<Fetched, { missing: unknown }>['missing'];

/** Why it ends where the service has told nothing for too long. */
const silence: RenderFault = { code: 'unanswered', days: Math.round(longestSilence / 86_400_000) };

/** Between tries of what this machine's disk or database did not let happen, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };

/** All that is kept in memory of a render while it waits. */
export interface Outstanding {
  readonly id: string;
  /** Milliseconds it waits until it is asked about; undefined while it has to go on in another way. */
  spacing?: number | undefined;
  /** Questions in a row that the service did not answer. */
  unanswered: number;
  /** What the service answered before, where that may need a second look. */
  lasting?: LastingState;
  /** Tries in a row that this machine did not let happen. */
  failures: number;
}

export interface CourseDependencies extends RendersDependencies {
  readonly store: RenderStore;
  readonly progress: ProgressBoard;
  readonly stop: AbortSignal;
  readonly outstanding: () => number;
  /** Called before what may take long: others may go on meanwhile. */
  readonly makeRoom: () => void;
}

/**
 * One render from state to state, until it has to wait or somebody has been told how it ended. Whatever this machine
 * does not let happen is tried again until it does; nothing waits for a restart.
 */
export class RenderCourse {
  readonly #dependencies: CourseDependencies;
  readonly #render: Outstanding;
  readonly #id: string;

  constructor(dependencies: CourseDependencies, render: Outstanding) {
    this.#dependencies = dependencies;
    this.#render = render;
    this.#id = render.id;
  }

  /**
   * Goes on as far as it can now. Answers in how many milliseconds to go on; undefined where nothing is left to do.
   * @throws the stop signal's reason when that is aborted.
   */
  async advance(): Promise<number | undefined> {
    const { stop, troubles } = this.#dependencies;
    try {
      for (;;) {
        stop.throwIfAborted();
        const next = await this.#step();
        // That it waits for its next question shows nothing yet.
        if (typeof next === 'number') return next;
        if (this.#render.failures > 0) troubles.clear(this.#name);
        this.#render.failures = 0;
        if (next === 'over') return undefined;
      }
    } catch (error) {
      stop.throwIfAborted();
      this.#failed(error);
      this.#render.failures += 1;
      return waitAfter(this.#render.failures, waits);
    }
  }

  get #name(): string {
    return `render ${this.#id}`;
  }

  #failed(error: unknown): void {
    const { troubles, log } = this.#dependencies;
    if (isLocal(error)) troubles.note(this.#name, error);
    log.warn({ render: this.#id, error }, 'a render cannot go on yet');
  }

  /** Tries until this machine lets it happen. */
  #surely<T>(work: () => Promise<T>): Promise<T> {
    const { clock, stop: signal, troubles } = this.#dependencies;
    const failed = (error: unknown) => this.#failed(error);
    return untilDone(work, { clock, waits, signal, failed }).finally(() => troubles.clear(this.#name));
  }

  /** Writes down what cannot be done over: it must not be forgotten because a disk is full. */
  #change(change: RenderChange): Promise<void> {
    return this.#surely(() => this.#dependencies.store.change(this.#id, change));
  }

  async #step(): Promise<number | 'go on' | 'over'> {
    const { jobs, store, log, makeRoom } = this.#dependencies;
    const [job, render] = [await jobs.find(this.#id), await store.find(this.#id)];
    if (!job || !render) {
      log.warn({ render: this.#id }, 'a render is not on record: nobody can be told of it');
      return 'over';
    }
    if (render.state === 'waiting') return this.#wait(render, job);
    makeRoom();
    if (render.state === 'reserved') await this.#submit(await this.#place(render, job), job);
    // A former process died, or nobody knows whether this one's request was sent: never sent again by itself.
    else if (render.state === 'submitting') await this.#change({ state: 'uncertain' });
    else return this.#end(render, job);
    return 'go on';
  }

  /** A place that cannot be made is not worth the render: it stays with the message it began with. */
  async #place(render: Render, job: Job): Promise<Render> {
    const { adapters, presenters, store, log } = this.#dependencies;
    const adapter = adapters(render.message.platform);
    if (!adapter) throw new PlatformError('unreachable', `${render.message.platform} is not running`);
    try {
      const message = await presenters[render.kind].place?.(adapter, render, job);
      if (!message) return render;
      await store.change(render.id, { message });
      return { ...render, message };
    } catch (error) {
      if (isLocal(error)) throw error;
      log.warn({ render: render.id, error }, 'no place of its own for a render');
      return render;
    }
  }

  async #submit(render: Render, job: Job): Promise<void> {
    await this.#dependencies.store.change(render.id, { state: 'submitting' });
    const task = await this.#send(render, job);
    if (!task) return;
    await this.#surely(() => this.#dependencies.credits.ofJob(render.id).noteRequest(task.requestId));
    await this.#change({ state: 'waiting', ...(task.id !== undefined && { taskId: task.id }) });
    if (task.status.state !== 'ready') return;
    if (task.id === undefined) return this.#fetchUnnamed(render, task.status);
    await this.#checked(render, () => this.#fetch(render, task.status));
  }

  /** What was never named cannot be asked for again, so it is fetched here or never. */
  async #fetchUnnamed(render: Render, status: TaskStatus): Promise<void> {
    const { clock, stop, store } = this.#dependencies;
    for (let attempts = 0; attempts <= looksInVain; attempts++) {
      if (attempts > 0) await sleep(clock, untilNextLook(attempts), stop);
      const now = { ...render, attempts };
      await this.#surely(() => this.#checked(now, () => this.#fetch(now, status)));
      if ((await this.#surely(() => store.find(render.id)))?.state !== 'waiting') return;
    }
  }

  /** Undefined where it failed, which is on record then. */
  async #send(render: Render, job: Job): Promise<TaskRef | undefined> {
    const { progress } = this.#dependencies;
    try {
      // Not cancelled by a shutdown: a request cut off in the middle may have been paid for. What the request
      // looks like was checked by whoever began it; here it is only data.
      return await this.#resource(render.kind).submit(render.request as never, {
        conversationId: render.conversationId,
        fairnessKey: channelKey(job.address),
        onWait: (place) => void progress.show(render, job, { place }),
      });
    } catch (error) {
      this.#dependencies.log.warn({ render: render.id, error }, 'a render was not taken');
      await this.#change(notTaken(error));
      return undefined;
    }
  }

  /** Waits for the next question first; then asks. */
  async #wait(render: Render, job: Job): Promise<number | 'go on'> {
    const { spacing } = this.#render;
    this.#render.spacing =
      spacing === undefined ? spacingOf(render, this.#render, this.#dependencies) : undefined;
    if (spacing === undefined) return this.#render.spacing ?? 0;
    await this.#poll(render, job, spacing);
    return 'go on';
  }

  async #poll(render: Render, job: Job, spacing: number): Promise<void> {
    const { stop } = this.#dependencies;
    const { taskId } = render;
    const waited = render.waited + spacing;
    // Finished at once and never named: what was not fetched then cannot be asked for.
    if (taskId === undefined) return this.#fail({ code: 'result-gone' });
    const refused = ({ operation }: ServiceError) =>
      this.#waitOn(render, job, waited, operation === 'download' ? { fault: { code: 'result-gone' } } : {});
    const ask = async () => {
      const answered = await this.#resource(render.kind).status(taskId, {
        conversationId: render.conversationId,
        signal: stop,
        priority: 'background',
      });
      this.#render.lasting ??= new LastingState();
      const status = this.#render.lasting.read(answered);
      if (status.state === 'failed')
        return this.#fail({ code: 'failed', ...(status.error && { reason: status.error }) });
      const goingOn = { ...render, attempts: 0 };
      const progress = { fraction: status.progress };
      if (answered.unclear) {
        if (status.state === 'ready' && (await this.#isThere(render, status))) return;
        return this.#hearNothing(goingOn, job, spacing, progress);
      }
      if (status.state === 'ready') return this.#fetch(render, status);
      await this.#waitOn(goingOn, job, waited, progress);
    };
    const unanswered = async (error: ServiceError) => {
      // A trouble of the key is its operators' to mend, however long it takes.
      if (isOfKey(error)) return;
      const fault = { code: 'result-gone' } as const;
      await this.#hearNothing(render, job, spacing, error.operation === 'download' ? { fault } : {});
    };
    await this.#checked(render, ask, { refused, unanswered });
  }

  /** Only what the service itself answered counts: it was asked just now, and is still at it, or refuses to say. */
  async #waitOn(
    render: Render,
    job: Job,
    waited: number,
    { fraction, fault }: { readonly fraction?: number | undefined; readonly fault?: RenderFault },
  ): Promise<void> {
    if (waited >= patience)
      return this.#fail(fault ?? { code: 'deadline', minutes: Math.round(patience / 60_000) });
    await this.#dependencies.store.change(render.id, { waited, unanswered: 0, attempts: render.attempts });
    await this.#show({ ...render, waited }, job, waited, fraction);
  }

  /**
   * No answer, or none that tells anything, as a state nobody knows. The service may be away, so that this doesn't count
   * as waiting for what it makes; but nothing is asked about for ever.
   */
  async #hearNothing(
    render: Render,
    job: Job,
    spacing: number,
    {
      fraction,
      fault = silence,
    }: { readonly fraction?: number | undefined; readonly fault?: RenderFault } = {},
  ): Promise<void> {
    const unanswered = render.unanswered + spacing;
    if (unanswered >= longestSilence) return this.#fail(fault);
    await this.#dependencies.store.change(render.id, { unanswered, attempts: render.attempts });
    await this.#show(render, job, render.waited + unanswered, fraction);
  }

  /** Fetches what a task has whose state nobody knows. That it isn't there ends nothing: the task may be far from ready. */
  async #isThere(render: Render, status: TaskStatus): Promise<boolean> {
    const { stop, log } = this.#dependencies;
    try {
      if (!(await this.#missing(render, status))) return true;
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      log.warn({ render: render.id, error }, 'what a render of an unknown state has could not be fetched');
    }
    this.#render.lasting?.goesOn();
    return false;
  }

  async #show(render: Render, job: Job, elapsed: number, fraction?: number): Promise<void> {
    const late = elapsed >= usual[render.kind];
    this.#dependencies.makeRoom();
    await this.#dependencies.progress.show(render, job, {
      late,
      ...(fraction !== undefined && { fraction }),
    });
  }

  /**
   * Asking costs nothing, so that it is asked again after every error: long where there was no answer (`unanswered`), so
   * often where something is not there, and where it `refused` as long as for what is being made.
   */
  async #checked(
    render: Render,
    work: () => Promise<void>,
    {
      refused,
      unanswered,
    }: {
      readonly refused?: (error: ServiceError) => Promise<void>;
      readonly unanswered?: (error: ServiceError) => Promise<void>;
    } = {},
  ): Promise<void> {
    const { stop, log } = this.#dependencies;
    try {
      await work();
      this.#render.unanswered = 0;
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      this.#render.unanswered += 1;
      log.warn({ render: render.id, error }, 'a render could not be asked about or fetched');
      if (error instanceof ResultGoneError || error instanceof AddressRefusedError)
        return this.#notThereYet(render);
      if (error instanceof NotFoundError) return this.#notThereYet(render, 'task-gone');
      await (isRefusal(error) ? refused : unanswered)?.(error);
    }
  }

  async #fetch(render: Render, status: TaskStatus): Promise<void> {
    const missing = await this.#missing(render, status);
    if (missing) await this.#notThereYet(render, missing);
  }

  /** Fetches the result; answers what it looks like where it isn't there. */
  async #missing(render: Render, status: TaskStatus): Promise<Missing | undefined> {
    const fetched = await fetchResult(render, status, {
      ...this.#dependencies,
      signal: this.#dependencies.stop,
    });
    if ('missing' in fetched) return fetched.missing;
    if ('fault' in fetched) await this.#fail(fetched.fault);
    else await this.#change({ state: 'ready', result: fetched.result, attempts: 0 });
    return undefined;
  }

  /** Not to be found, though it was promised: some services are a moment behind themselves. */
  async #notThereYet(render: Render, code: Missing | 'task-gone' = 'result-gone'): Promise<void> {
    if (render.attempts >= looksInVain) return this.#fail({ code });
    await this.#dependencies.store.change(render.id, { attempts: render.attempts + 1 });
  }

  #fail(fault: RenderFault): Promise<void> {
    return this.#change({ state: 'failed', fault });
  }

  /** Puts it on the ledger, then tells people. */
  async #end(render: Render, job: Job): Promise<'go on' | 'over'> {
    const { credits, adapters, presenters, spool, stop: signal } = this.#dependencies;
    // Before people are told, and again after a crash: each ending counts once.
    await settle(credits.ofJob(render.id), render);
    const isReady = render.state === 'ready';
    if (isReady && !(await spool.has(render.id))) {
      await this.#change(
        render.taskId ? { state: 'waiting' } : { state: 'failed', fault: { code: 'result-gone' } },
      );
      return 'go on';
    }
    const adapter = () => adapters(render.message.platform);
    const presenter = presenters[render.kind];
    const delivered = await deliver({
      ...this.#dependencies,
      render,
      job,
      adapter,
      presenter,
      spool,
      signal,
    });
    if ('fault' in delivered && isReady) {
      await this.#fail(delivered.fault);
      return 'go on';
    }
    // Where nobody can be told any more, nothing is left to do either.
    const at = 'at' in delivered ? delivered.at : render.message;
    await this.#change({ delivered: at, ...(isReady && { state: 'delivered' as const }) });
    await spool.remove(render.id).catch(() => {});
    return 'over';
  }

  #resource(kind: RenderKind) {
    return kind === 'image' ? this.#dependencies.service.images : this.#dependencies.service.videos;
  }
}

/** Milliseconds until a waiting render is asked about. */
export function spacingOf(
  { kind, waited, attempts, unanswered }: Pick<Render, 'kind' | 'waited' | 'attempts' | 'unanswered'>,
  { unanswered: inVain, lasting }: Pick<Outstanding, 'unanswered' | 'lasting'>,
  { outstanding, random = Math.random }: Pick<CourseDependencies, 'outstanding' | 'random'>,
): number {
  const elapsed = waited + (lasting?.isUnclear ? unanswered : 0);
  const late = elapsed >= usual[kind];
  return Math.max(
    pollSpacing({ waited: elapsed, late, outstanding: outstanding(), random: random() }),
    attempts > 0 ? untilNextLook(attempts) : 0,
    inVain > 0 ? untilNextQuestion(inVain, unanswered) : 0,
  );
}
