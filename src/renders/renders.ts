import { every, inTime, once, untilDone, type Waits } from '../lib/clock.ts';
import { onNewError } from '../lib/local-faults.ts';
import {
  type Address,
  type Job,
  type Message,
  type MessageAddress,
  type PlatformName,
  platformNames,
} from '../port/index.ts';
import { LifecycleContext, type RendersDependencies, workOf } from './dependencies.ts';
import { endOf } from './lifecycle/finish.ts';
import { spacingOf } from './lifecycle/poll.ts';
import { advance } from './lifecycle/render-lifecycle.ts';
import { keepRequest, referencesOf } from './lifecycle/submit.ts';
import { type PendingRender, pendingRender, RenderQueue, type Sleeper } from './queue.ts';
import { RenderStore } from './render-store.ts';
import { isMade, type OpenRender, type Render, renderId, type RenderRequest } from './render.ts';
import { ProgressBoard } from './result/presenter.ts';
import {
  bringHeld,
  isAlone,
  isShownTo,
  type RenderUnderWay,
  TooManyRendersError,
  underWay,
} from './under-way.ts';

/** Renders that advance at the same time, not counting those that wait for the service or a platform. */
const mostAtOnce = 32;

/** Between tries to put a render to sleep while the database is away, in milliseconds. */
const untilAsleep: Waits = { first: 500, longest: 5_000 };

/** Between two looks for renders that the database has lost, in milliseconds. */
const lookForLostSpacing = 30_000;

/** Signals: a job's end is posted; a render that may wait for its turn was canceled. */
const [over, canceled] = ['renders.over', 'renders.canceled'];

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
  /** Those that this process is at work on. */
  readonly #inHand = new Map<string, PendingRender>();
  /** Those of them that came due again: another process had taken them over, and this one has taken them back. */
  readonly #dueAgain = new Map<string, PendingRender>();
  readonly #queue: RenderQueue;
  readonly #advancing = new Set<Promise<void>>();
  #taking: Promise<void> | undefined;
  /** Something may have become due, or there is room. */
  #mayGoOn = false;
  readonly #stopListening: () => void;
  #cancelLook = () => {};
  /** How many advance, up to `mostAtOnce`. */
  #active = 0;
  readonly #progress: ProgressBoard;

  constructor(dependencies: RendersDependencies) {
    this.#dependencies = dependencies;
    const { database, clock, coordination, log } = dependencies;
    const { process } = coordination;
    this.#store = new RenderStore(database, () => clock.now(), process);
    this.#progress = new ProgressBoard({ ...dependencies, store: this.#store });
    this.#stopListening = coordination.signals.on(canceled, (id) => this.#inHand.get(id)?.leaveQueue?.());
    this.#queue = new RenderQueue({ database, process, clock, log }, () => this.#goOn());
    if (this.#queue.isShared) this.#lookForLost();
  }

  /**
   * Now and then goes on with what sleeps, and a database has lost that came back without its last commits; and with what's
   * this process's by its row, and isn't: PostgreSQL's answer was lost.
   */
  #lookForLost(): void {
    const { clock, log } = this.#dependencies;
    const look = async () => {
      const lost = await this.#store.writeLostAgain();
      if (lost > 0)
        log.warn({ renders: lost }, 'the database has lost renders, which are put on record again');
      await this.#putIdleToSleep();
    };
    // While the database is away, there's nothing to compare with.
    this.#cancelLook = every(clock, lookForLostSpacing, () => void look().catch(() => {}));
  }

  /**
   * Does work that begins a job's renders, if its person has fewer than `most` jobs under way in its channel: one job at a
   * time, so that several commands at once get no more, and only one at a time has its images in memory.
   * @throws {TooManyRendersError}
   */
  whereRoom<T>(job: Job, most: number, work: () => Promise<T>): Promise<T> {
    const { coordination } = this.#dependencies;
    const { address, requester } = job;
    const { platform, workspace } = address;
    return coordination.locks.run(`renders of ${platform} ${workspace} ${requester.id}`, async () => {
      if (!(await this.hasRoom(job, most))) throw new TooManyRendersError(most);
      return work();
    });
  }

  /** Whether a person has fewer than `most` jobs under way in a channel. */
  async hasRoom({ address, requester }: Pick<Job, 'address' | 'requester'>, most: number): Promise<boolean> {
    return (await this.#store.countUnfinished(address, requester.id)) < most;
  }

  /** Begins a render: when this resolves it is on record, and goes on whatever happens to the process. */
  async begin(order: RenderOrder): Promise<void> {
    const { job, count: parts = 1, ...given } = order;
    const { clock, spool } = this.#dependencies;
    const createdAt = clock.now();
    const numbers = Array.from({ length: parts }, (_, index) => index + 1);
    const { platform } = given.message;
    const request = await keepRequest(spool, job.id, given.request);
    const renders = numbers.map((part) =>
      pendingRender({ id: renderId(job.id, part), job: job.id, platform }),
    );
    for (const render of renders) this.#inHand.set(render.id, render);
    try {
      await this.#store.add(
        numbers.map((part) => ({ ...given, request, job: job.id, part, parts, createdAt })),
      );
    } catch (error) {
      for (const { id } of renders) this.#inHand.delete(id);
      await spool.remove(referencesOf(job.id)).catch(() => {});
      throw error;
    }
    // A person is waiting: start now, no matter how many others run.
    for (const render of renders) this.#advance(render, () => {});
  }

  /**
   * Cancels what hasn't been sent yet of a job; what was sent goes on. False if all of it was sent, or has ended: it's too
   * late then.
   */
  async cancel(job: string, why: 'canceled' | 'source-gone' = 'canceled'): Promise<boolean> {
    const ids = await this.#store.cancel(job, why);
    // A process that doesn't hear it finds out when their turn comes.
    for (const id of ids) await this.#dependencies.coordination.signals.send(canceled, id).catch(() => {});
    return ids.length > 0;
  }

  /**
   * Does at once what a job's renders would do later: ask the service again, or try again to post. Nothing is sent a second time.
   * False if none of them waits for its time.
   */
  hurry(job: string): Promise<boolean> {
    return this.#queue.hurry(job);
  }

  /**
   * Goes on with all renders that are in this process's hand by their rows and that it isn't at work on: a former process
   * left them, or it has taken them over; and, from the first call on, with those that other processes have put to sleep. Call
   * at start, when the platforms can post and have told what was deleted meanwhile, and after taking over. Resolves with how
   * many there are.
   */
  async resume(): Promise<number> {
    await this.#store.claimForgotten();
    const left = await this.#putIdleToSleep();
    this.#queue.look();
    return left;
  }

  /** Has renders go on that are in this process's hand by their rows, and that it isn't at work on; resolves with how many. */
  async #putIdleToSleep(): Promise<number> {
    const waiting = await this.#store.countWaiting();
    const polled = () => Math.max(waiting, this.#polled);
    let idle = 0;
    for await (const page of this.#store.open({ mine: true })) {
      if (this.#stop.signal.aborted) break;
      const theirs = page.filter(({ id }) => !this.#isInHand(id));
      idle += theirs.length;
      await this.#queue.put(theirs.map((one) => this.#sleeperOf(one, polled)));
    }
    return idle;
  }

  /** Whether nobody needs to wake a render of this process's: it's at work on it, or undoes it. */
  #isInHand(id: string): boolean {
    return this.#inHand.has(id) || this.#dueAgain.has(id) || this.#store.isUndoing(id);
  }

  #sleeperOf(open: OpenRender, polled: () => number): Sleeper {
    const render = pendingRender({ ...open, platform: open.message.platform });
    if (open.state === 'waiting') render.spacing = spacingOf(open, render, { ...this.#dependencies, polled });
    return { render, milliseconds: render.spacing ?? 0 };
  }

  /** Stops; what is open goes on in another process, or in the next one, from its row. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    this.#stopListening();
    this.#cancelLook();
    await this.#taking;
    while (this.#advancing.size > 0) await Promise.allSettled(this.#advancing);
    this.#queue.close();
    this.#inHand.clear();
  }

  find(id: string): Promise<Render | undefined> {
    return this.#store.find(id);
  }

  /** Whether a job has renders whose end isn't posted yet. */
  isOpen(job: string): Promise<boolean> {
    return this.#store.isOpen(job);
  }

  /** Whether what was made for a job comes only to its requester, who can fetch it if they can't be reached. */
  async isAlone(job: Job): Promise<boolean> {
    const renders = await this.#store.ofJob(job.id);
    const isPosted = renders.some(({ delivered }) => delivered);
    return !isPosted && isAlone(job, renders, this.#dependencies.adapters);
  }

  /** Resolves when the outcome of a job's renders is posted and on record, or after so many milliseconds. */
  async over(job: string, most: number): Promise<void> {
    const { clock, coordination } = this.#dependencies;
    const ended = Promise.withResolvers<void>();
    const look = async () => {
      if (!(await this.#store.isOpen(job))) ended.resolve();
    };
    const stopListening = coordination.signals.on(over, (id) => {
      if (id === job) look().catch(() => {});
    });
    try {
      await look();
      await inTime(clock, most, ended.promise, undefined);
    } finally {
      stopListening();
    }
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
    const { coordination } = this.#dependencies;
    return coordination.locks.run(endOf(job.id), () =>
      bringHeld(job, limit, say, { ...this.#dependencies, store: this.#store }),
    );
  }

  /**
   * Jobs with renders in progress in a channel and its threads, oldest first; of other people's, those that everybody at
   * `place` can read: none that's private or deleted, and none in a private thread, unless that's the place.
   */
  async underWayAt(place: Address, person: string): Promise<readonly RenderUnderWay[]> {
    const all = await underWay(await this.#store.openAt(place), this.#dependencies);
    return all.filter((one) => isShownTo(person, place, one, this.#dependencies));
  }

  /** A person's renders in progress in a workspace, oldest first, at most so many. */
  async underWayOf(
    { address, requester }: Pick<Job, 'address' | 'requester'>,
    most: number,
  ): Promise<readonly RenderUnderWay[]> {
    return underWay(await this.#store.openOf(address, requester.id, most), this.#dependencies);
  }

  /** Ids of the renders whose end has not been posted yet. */
  async open(): Promise<readonly string[]> {
    return (await Array.fromAsync(this.#store.open())).flatMap((page) => page.map(({ id }) => id));
  }

  /** Files in the `spool` that are needed, or may be. */
  async neededFiles(): Promise<readonly string[]> {
    return (await this.open()).flatMap((id) => [id, referencesOf(id)]);
  }

  /** About how many the service is asked, in all processes: of the others none takes of the key's limit. */
  get #polled(): number {
    return this.#queue.polled(this.#active);
  }

  /** Has a render go on that had nothing left to do. */
  #wake({ id, job, message: { platform } }: Render): void {
    if (this.#inHand.has(id) || this.#stop.signal.aborted) return;
    this.#put(pendingRender({ id, job, platform }), 0).catch(() => {});
  }

  /** Leaves a render alone for a while; until that's on record it stays in this process's hand. */
  async #sleep(render: PendingRender, milliseconds: number): Promise<void> {
    if (this.#queue.isShared) await this.#progress.settled(render.job);
    await this.#put(render, milliseconds);
    this.#letGo(render);
    // Another process may go on with it, and has its own troubles.
    if (this.#queue.isShared) this.#dependencies.troubles.clear(workOf(render.id));
  }

  #put(render: PendingRender, milliseconds: number): Promise<void> {
    const { clock, log } = this.#dependencies;
    return untilDone(() => this.#queue.put([{ render, milliseconds }]), {
      clock,
      waits: untilAsleep,
      signal: this.#stop.signal,
      failed: onNewError((error) =>
        log.warn({ render: render.id, error }, 'a render could not be put to sleep'),
      ),
    });
  }

  async #drop(render: PendingRender): Promise<void> {
    this.#progress.forget(render.job);
    // If the database is away, the row says that its end is posted, or it's found to be idle later.
    await this.#queue.drop(render).catch(() => {});
    this.#letGo(render);
    await this.#dependencies.coordination.signals.send(over, render.job).catch(() => {});
  }

  /** Leaves a render's row as it is: another process has it in hand, or has put it to sleep. */
  #leaveToOthers(render: PendingRender): void {
    this.#progress.forget(render.job);
    this.#letGo(render);
  }

  /** This process isn't at work on a render any more; where it has come due meanwhile, it begins anew as soon as there's room. */
  #letGo({ id }: PendingRender): void {
    this.#inHand.delete(id);
    if (this.#dueAgain.has(id)) this.#goOn();
  }

  /** Advances those whose time has come, at most `mostAtOnce` at once. */
  #goOn(): void {
    this.#mayGoOn = true;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
      if (this.#mayGoOn && this.#canTake()) this.#goOn();
    });
  }

  async #take(): Promise<void> {
    while (this.#mayGoOn && this.#canTake()) {
      this.#mayGoOn = false;
      this.#beginDueAgain();
      if (!this.#canTake()) return;
      const due = await this.#queue.take(mostAtOnce - this.#active, this.#platforms());
      for (const render of due) this.#begin(render);
      this.#mayGoOn ||= due.length > 0;
    }
  }

  #beginDueAgain(): void {
    for (const [id, render] of this.#dueAgain) {
      if (this.#inHand.has(id) || !this.#canTake()) continue;
      this.#dueAgain.delete(id);
      this.#begin(render);
    }
  }

  #canTake(): boolean {
    return this.#active < mostAtOnce && !this.#stop.signal.aborted;
  }

  /** Those that this process runs. */
  #platforms(): readonly PlatformName[] {
    return platformNames.filter((name) => this.#dependencies.adapters(name) !== undefined);
  }

  #begin(render: PendingRender): void {
    // At work on it twice, this process would take its own request for that of a dead one.
    if (this.#inHand.has(render.id)) {
      this.#dueAgain.set(render.id, render);
      return;
    }
    this.#inHand.set(render.id, render);
    this.#active += 1;
    this.#advance(
      render,
      once(async () => {
        this.#active -= 1;
        this.#goOn();
      }),
    );
  }

  #advance(render: PendingRender, makeRoom: () => void): void {
    const dependencies = {
      ...this.#dependencies,
      store: this.#store,
      progress: this.#progress,
      wake: (sibling: Render) => this.#wake(sibling),
      stop: this.#stop.signal,
      polled: () => this.#polled,
      makeRoom,
    };
    const advanced = advance(new LifecycleContext(dependencies, render))
      .then((next) => {
        if (next === 'over') return this.#drop(render);
        if (next === 'taken over') return this.#leaveToOthers(render);
        return this.#sleep(render, next);
      })
      .catch((error: unknown) => this.#leave(render, error))
      .finally(() => {
        this.#advancing.delete(advanced);
        makeRoom();
      });
    this.#advancing.add(advanced);
  }

  /** What can't go on here goes on in another process, if there may be one, or after the next start. */
  async #leave(render: PendingRender, error: unknown): Promise<void> {
    const { log } = this.#dependencies;
    if (!this.#stop.signal.aborted) log.warn({ render: render.id, error }, 'a render stopped');
    else await this.#queue.put([{ render, milliseconds: 0 }]).catch(() => {});
    this.#letGo(render);
  }
}
