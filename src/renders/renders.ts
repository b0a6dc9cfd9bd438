import { KeyedQueue } from '../lib/keyed-queue.ts';
import { type Address, isPrivate, type Job, type Message, type MessageAddress } from '../port/index.ts';
import type { RendersDependencies } from './dependencies.ts';
import type { PendingRender } from './lifecycle/lifecycle-context.ts';
import { spacingOf } from './lifecycle/poll.ts';
import { RenderLifecycle } from './lifecycle/render-lifecycle.ts';
import { Agenda } from './polling/agenda.ts';
import { hasEnded, isMade, type Render, type RenderKind, type RenderRequest, renderId } from './render.ts';
import { RenderStore } from './render-store.ts';
import { renderedWithin } from './result/delivery.ts';
import { presentationOf } from './result/presenter.ts';
import { ProgressBoard } from './result/progress-board.ts';

/** Renders that advance at the same time, not counting those that wait for the service or a platform. */
const mostAtOnce = 32;

/** A render in progress. */
export interface RenderUnderWay {
  readonly kind: RenderKind;
  /** Its job's id. */
  readonly id: string;
  readonly job: Job | undefined;
  /** The message that shows its progress. */
  readonly message: MessageAddress;
  /** It waits for its turn and hasn't been sent: it can be canceled. */
  readonly isQueued: boolean;
  /** It's ready and private, and couldn't be sent: its requester can fetch it. */
  readonly isHeld: boolean;
  /** Milliseconds since it was begun. */
  readonly elapsed: number;
}

/** A render to begin. */
export type RenderOrder = RenderRequest & {
  readonly job: Job;
  readonly conversationId: string;
  /** The message that shows its progress. */
  readonly message: MessageAddress;
  /** How many of it are made, each by a request of its own; their results share a message. 1 if absent. */
  readonly count?: number;
};

/**
 * Images and videos that outlive the process. A render is a row, written before each step and after it:
 * `reserved → submitting → waiting → ready → delivered`, or `failed`, or `uncertain` if the process or the connection
 * died while the request was being sent: nobody can know whether credits were spent, so it's never sent again
 * automatically.
 */
export class Renders {
  readonly #dependencies: RendersDependencies;
  readonly #store: RenderStore;
  readonly #stop = new AbortController();
  /** All open renders; one that waits takes no memory but this and an entry of the agenda. */
  readonly #outstanding = new Map<string, PendingRender>();
  readonly #agenda: Agenda<PendingRender>;
  readonly #advancing = new Set<Promise<void>>();
  readonly #ends = new KeyedQueue();
  /** How many advance, up to `mostAtOnce`. */
  #active = 0;
  readonly #progress: ProgressBoard;

  constructor(dependencies: RendersDependencies) {
    this.#dependencies = dependencies;
    this.#store = new RenderStore(dependencies.database, () => dependencies.clock.now());
    this.#progress = new ProgressBoard({ ...dependencies, store: this.#store });
    this.#agenda = new Agenda(dependencies.clock, () => this.#goOn());
  }

  /** Begins a render: when this resolves it is on record, and goes on whatever happens to the process. */
  async begin(order: RenderOrder): Promise<void> {
    const { job, count: parts = 1, ...request } = order;
    const createdAt = this.#dependencies.clock.now();
    const numbers = Array.from({ length: parts }, (_, index) => index + 1);
    const renders = numbers.map((part) => this.#note(renderId(job.id, part), job.id));
    try {
      await this.#store.add(numbers.map((part) => ({ ...request, job: job.id, part, parts, createdAt })));
    } catch (error) {
      for (const render of renders) this.#forget(render);
      throw error;
    }
    // A person is waiting: start now, no matter how many others run.
    for (const render of renders) this.#advance(render, () => {});
  }

  /**
   * Cancels what hasn't been sent yet of a job; what was sent goes on. False if all of it was sent, or has ended: it's too
   * late then.
   */
  async cancel(job: string): Promise<boolean> {
    const canceled = await this.#store.cancel(job);
    for (const id of canceled) this.#outstanding.get(id)?.leaveQueue?.();
    return canceled.length > 0;
  }

  /** Goes on with all renders a former process left. Call once, at start, when the platforms can post. */
  async resume(): Promise<number> {
    const left = await this.#store.countOpen();
    const outstanding = () => Math.max(left, this.#outstanding.size);
    for await (const page of this.#store.open()) {
      if (this.#stop.signal.aborted) break;
      // Those begun in the meantime are already running.
      for (const open of page.filter(({ id }) => !this.#outstanding.has(id))) {
        const render = this.#note(open.id, open.job);
        if (open.state === 'waiting') {
          render.spacing = spacingOf(open, render, { ...this.#dependencies, outstanding });
        }
        this.#agenda.put(render, render.spacing ?? 0);
      }
      this.#goOn();
    }
    return left;
  }

  /** Stops; what is open goes on in the next process, from its row. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    this.#agenda.clear();
    this.#outstanding.clear();
    await Promise.allSettled(this.#advancing);
  }

  find(id: string): Promise<Render | undefined> {
    return this.#store.find(id);
  }

  /** All renders of a job, in order; none if it has none. */
  ofJob(job: string): Promise<readonly Render[]> {
    return this.#store.ofJob(job);
  }

  /** How many of a job's renders have no result. */
  async countMissing(job: string): Promise<number> {
    return (await this.#store.ofJob(job)).filter((render) => !isMade(render)).length;
  }

  /**
   * Brings a held result to its requester by `say`, which gets its message for a place that takes files of `limit` bytes.
   * @returns false if there's none, or none any more.
   */
  async bringHeld(
    job: Job,
    limit: number,
    say: (message: Message) => Promise<MessageAddress>,
  ): Promise<boolean> {
    const { presenters, spool } = this.#dependencies;
    return this.#ends.run(job.id, async () => {
      const [first, ...more] = await this.#store.ofJob(job.id);
      if (!first) return false;
      const renders = [first, ...more] as const;
      const isThere = renders.some(isMade) && renders.every(hasEnded);
      if (!isThere || renders.some(({ delivered }) => delivered)) return false;
      const ids = renders.map(({ id }) => id);
      for (const { id } of renders.filter(isMade)) if (!(await spool.has(id))) return false;
      const presentation = presentationOf(presenters, renders, job);
      const { message } = presentation.ready(renderedWithin({ renders, presentation, spool }, limit));
      await this.#store.deliver(ids, await say(message));
      for (const id of ids) await spool.remove(id).catch(() => {});
      return true;
    });
  }

  /** Jobs with renders in progress in a channel and its threads, oldest first; without those private to somebody else. */
  async underWayAt(place: Address, person: string): Promise<readonly RenderUnderWay[]> {
    const all = await this.#underWay(await this.#store.openAt(place));
    return all.filter(({ job }) => !job || !isPrivate(job) || job.requester.id === person);
  }

  /** A person's renders in progress in a workspace, oldest first, at most so many. */
  async underWayOf(
    { address, requester }: Pick<Job, 'address' | 'requester'>,
    most: number,
  ): Promise<readonly RenderUnderWay[]> {
    return this.#underWay(await this.#store.openOf(address, requester.id, most));
  }

  #underWay(renders: readonly Render[]): Promise<readonly RenderUnderWay[]> {
    const now = this.#dependencies.clock.now();
    const jobs = [...Map.groupBy(renders, ({ job }) => job).entries()];
    return Promise.all(
      jobs.map(async ([id, ofJob]) => {
        const job = await this.#dependencies.jobs.find(id);
        const { kind, createdAt, message } = ofJob[0] as Render;
        const isQueued = ofJob.some(({ state }) => state === 'reserved');
        const isHeld = job !== undefined && isPrivate(job) && ofJob.every(hasEnded) && ofJob.some(isMade);
        return { kind, id, job, message, isQueued, isHeld, elapsed: Math.max(0, now - createdAt) };
      }),
    );
  }

  /** Ids of the renders whose end has not been posted yet. */
  async open(): Promise<readonly string[]> {
    return (await Array.fromAsync(this.#store.open())).flatMap((page) => page.map(({ id }) => id));
  }

  /** How many are being made or delivered. */
  get outstanding(): number {
    return this.#outstanding.size;
  }

  #note(id: string, job: string): PendingRender {
    const render: PendingRender = { id, job, unansweredQueries: 0, failures: 0 };
    this.#outstanding.set(id, render);
    return render;
  }

  #forget({ id, job }: PendingRender): void {
    this.#outstanding.delete(id);
    this.#progress.forget(job);
  }

  /** Has a render go on that had nothing left to do. */
  #wake(id: string, job: string): void {
    if (this.#outstanding.has(id) || this.#stop.signal.aborted) return;
    this.#agenda.put(this.#note(id, job), 0);
    this.#goOn();
  }

  /** Advances those whose time has come, at most `mostAtOnce` at once. */
  #goOn(): void {
    while (this.#active < mostAtOnce) {
      const render = this.#agenda.take();
      if (!render) return;
      this.#active += 1;
      this.#advance(
        render,
        once(() => {
          this.#active -= 1;
          this.#goOn();
        }),
      );
    }
  }

  #advance(render: PendingRender, makeRoom: () => void): void {
    const { log } = this.#dependencies;
    const lifecycle = new RenderLifecycle(
      {
        ...this.#dependencies,
        store: this.#store,
        progress: this.#progress,
        ends: this.#ends,
        wake: (id, job) => this.#wake(id, job),
        stop: this.#stop.signal,
        outstanding: () => this.#outstanding.size,
        makeRoom,
      },
      render,
    );
    const advanced = lifecycle
      .advance()
      .then((wait) => {
        if (wait === undefined) this.#forget(render);
        else if (!this.#stop.signal.aborted) this.#agenda.put(render, wait);
      })
      .catch((error: unknown) => {
        this.#forget(render);
        if (!this.#stop.signal.aborted) log.warn({ render: render.id, error }, 'a render stopped');
      })
      .finally(() => {
        this.#advancing.delete(advanced);
        makeRoom();
      });
    this.#advancing.add(advanced);
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
