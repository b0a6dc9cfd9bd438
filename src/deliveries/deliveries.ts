import { alone, type Locks } from '../coordination/index.ts';
import { unlessAborted, untilDone, type Waits } from '../lib/clock.ts';
import { isLocal, unlessLocal } from '../lib/local-faults.ts';
import {
  type Address,
  climb,
  type CommandEnd,
  endsWithRequester,
  fetched,
  heldRetry,
  isHeld,
  isPrivate,
  type Job,
  type LiveProgress,
  type Message,
  type MessageAddress,
  refusalOf,
  type RunEnd,
} from '../port/index.ts';
import { words } from '../words/index.ts';
import { DeliveryStore, type PendingDelivery } from './delivery-store.ts';
import { isDropped } from './late-delivery.ts';
import {
  type Brought,
  type DeliveriesDependencies,
  endShown,
  endSign,
  OneDelivery,
  tellWhyMissing,
} from './one-delivery.ts';
import { clipForms } from './other-formats.ts';

/** Delays between attempts to record an outcome, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 300_000 };
/** The same to record a delivery, for which its command waits. */
const keepWaits: Waits = { first: 1_000, longest: 10_000 };

/**
 * Delivers finished answers and clips, which are paid for: in their channel, later, in a plainer form, or by direct
 * message. Pending deliveries are recorded and resume after a restart.
 */
export class Deliveries {
  readonly #dependencies: DeliveriesDependencies;
  readonly #store: DeliveryStore;
  /** A held result is brought by one process at a time. */
  readonly #locks: Locks;
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  /** All deliveries taken over from dead processes, including those completed since: they must not count as lost. */
  readonly #takenOver = new Set<string>();
  /** Set while held results wait to be tried again. */
  #cancelRetry: (() => void) | undefined;
  /** Looks for what is to be delivered that are under way. */
  readonly #takingUp = new Set<Promise<void>>();
  /** Left by dead processes, and not looked for yet. */
  readonly #toTakeUp = new Set<string>();

  constructor(dependencies: DeliveriesDependencies) {
    this.#dependencies = dependencies;
    const { database, coordination = alone(), files, clock } = dependencies;
    this.#locks = coordination.locks;
    const { process } = dependencies.coordination ?? {};
    this.#store = new DeliveryStore({ database, process, files, now: () => clock.now() });
  }

  /**
   * Delivers a message by `say`, the command's own reply; if that fails, delivery continues in the background. A file
   * is saved to disk before anything is posted. Resolves when the message is posted or on record; never rejects. `end` is
   * how the command ended, once people have it.
   */
  async deliver(
    job: Job,
    message: Message,
    say: () => Promise<MessageAddress | readonly MessageAddress[]>,
    end: CommandEnd = { outcome: 'done' },
  ): Promise<RunEnd> {
    const isFile = Boolean(message.files?.length);
    const kept = isFile ? await this.#keep(job, { message, end }) : undefined;
    const one = this.#one(job);
    let said: readonly MessageAddress[];
    try {
      said = [await one.withLateNotice(unlessAborted(say(), this.#stop.signal))].flat();
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#dependencies.log.warn(
          { job: job.id, error },
          'posting an answer failed; delivering it another way',
        );
      const whole = kept?.message ?? message;
      if (refusalOf(error) === 'deleted') return this.deliverAlone(job, whole, end);
      await this.#goOn(job, { message: whole, end, ...(await this.#shown(job)) });
      return 'goes-on';
    }
    if (!isFile) return end;
    const whole = { message: kept?.message ?? message, end };
    // What its requester alone got stays with them.
    const mayGo = !isPrivate(job) && said.some(({ channel }) => channel === job.address.channel);
    const deleted = mayGo ? await one.withdrawn() : undefined;
    if (!deleted || isDropped(whole, deleted)) {
      this.#track(job, this.#forget(job.id));
      return end;
    }
    await this.#goOn(job, { ...whole, isDeleted: true });
    return 'goes-on';
  }

  /** Delivers a message that an earlier process finished, or was to end with, and people may not have seen. */
  async deliverFinished(
    job: Job,
    message: Message,
    { messages, lastText }: LiveProgress,
    end: CommandEnd = { outcome: 'done' },
  ): Promise<void> {
    await this.#goOn(job, { message, end, shown: messages, shownText: lastText });
  }

  /** Delivers only to its requester what somebody deleted where it was asked for. */
  async deliverAlone(job: Job, message: Message, end: CommandEnd): Promise<RunEnd> {
    await this.#goOn(job, { message, end, isDeleted: true });
    return 'goes-on';
  }

  /** Whether a job's answer is pending, or was when it was taken over (delivered since, or about to be). */
  async isPending(jobId: string): Promise<boolean> {
    return this.#takenOver.has(jobId) || (await this.#store.has(jobId));
  }

  /** Whether a job's answer still has to be posted; not what its requester alone gets, who can fetch it. */
  async isOnItsWay(job: Job): Promise<boolean> {
    return (await this.#store.has(job.id)) && !(await this.isAlone(job));
  }

  /** Whether a job's answer waits until its requester, who alone gets it, fetches it or can be reached. */
  async isAlone(job: Job): Promise<boolean> {
    return this.#endsAlone(job) && (await this.#store.isHeld(job.id));
  }

  /** Ids of the jobs with pending deliveries. */
  pendingIds(): Promise<readonly string[]> {
    return this.#store.all();
  }

  /** Number of deliveries under way; held ones count while they're tried. */
  get outstanding(): number {
    return this.#underWay.size + this.#takingUp.size;
  }

  /**
   * Goes on with what dead processes left, by job id; it may be told of them again. Call when the platforms can post. Resolves
   * once all are under way, for which nothing has to wait: they may be thousands. Never rejects.
   */
  resume(left: readonly string[]): Promise<void> {
    const more = left.filter((id) => !this.#toTakeUp.has(id));
    for (const id of more) {
      this.#takenOver.add(id);
      this.#toTakeUp.add(id);
    }
    return this.#lookingFor(this.#takeUp(more));
  }

  /** A person's results in a workspace that could be posted nowhere, nor be sent to them, oldest first. */
  async heldOf(place: Address, person: string): Promise<readonly Job[]> {
    const ids = await this.#store.heldOf(place, person);
    const found = await Promise.all(ids.map((id) => this.#dependencies.jobs.find(id)));
    return found.filter((job) => job !== undefined);
  }

  /**
   * Brings a held result to its requester by `say`.
   * @returns false if there's none, or none any more.
   */
  async bringHeld(job: Job, say: (message: Message) => Promise<MessageAddress>): Promise<boolean> {
    // It may be on its way, by another press or because it's tried again.
    for (let other = this.#underWay.get(job.id); other; other = this.#underWay.get(job.id)) await other;
    const bringing = this.#locks.run(heldKey(job), () => this.#bring(job, say));
    this.#track(
      job,
      bringing.then(() => {}),
    );
    return bringing;
  }

  /** Stops waiting; pending deliveries are recorded and left to another process. */
  stop(): void {
    this.#cancelRetry?.();
    this.#stop.abort(new Error('shutting down'));
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#takingUp);
    await Promise.allSettled(this.#underWay.values());
  }

  /** One after another, and where the database is away, once it's back: nobody else would go on with them. */
  async #takeUp(ids: readonly string[]): Promise<void> {
    const { signal } = this.#stop;
    const { clock, troubles, log } = this.#dependencies;
    const work = 'late answers';
    const failed = (error: unknown) => {
      unlessLocal(error);
      troubles.note(work, error);
    };
    const persistence = { clock, waits: keepWaits, signal, failed };
    for (const id of ids) {
      signal.throwIfAborted();
      await untilDone(() => this.#takeUpOne(id), persistence)
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn({ job: id, error }, "a delivery can't go on");
        })
        .finally(() => troubles.clear(work));
      this.#toTakeUp.delete(id);
    }
  }

  async #takeUpOne(jobId: string): Promise<void> {
    if (this.#underWay.has(jobId)) return;
    const { jobs, answers } = this.#dependencies;
    const job = await jobs.find(jobId);
    const said = (await answers.find(jobId))?.kind === 'said';
    const pending = said || !job ? undefined : await this.#store.find(jobId);
    // Posted by a process that died before recording it.
    if (job && said) this.#dependencies.watch.ended(job, { outcome: 'done' });
    if (!job || !pending) await this.#forget(jobId);
    else if (pending.isHeld) this.#tryHeld(job);
    else this.#deliverLater(job, pending);
  }

  #lookingFor(work: Promise<void>, failed = () => {}): Promise<void> {
    const looking = work
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#dependencies.log.warn({ error }, "couldn't look for what is to be delivered");
        failed();
      })
      .finally(() => this.#takingUp.delete(looking));
    this.#takingUp.add(looking);
    return looking;
  }

  /** Tries a held result once more, unless a person has been shown it meanwhile, or asked another process for it. */
  #tryHeld(job: Job): void {
    if (this.#stop.signal.aborted || this.#underWay.has(job.id)) return;
    const trying = this.#locks.run(heldKey(job), async () => {
      const [isOurs] = await this.#store.held(job.id);
      const pending = isOurs ? await this.#store.find(job.id) : undefined;
      if (pending?.isHeld) await this.#deliverPending(job, pending, async () => {});
    });
    this.#track(
      job,
      trying.catch((error: unknown) => {
        this.#retryHeld();
        throw error;
      }),
    );
  }

  async #bring(job: Job, say: (message: Message) => Promise<MessageAddress>): Promise<boolean> {
    const { adapters, answers, convert, endMessage, versionBefore, log } = this.#dependencies;
    const pending = await this.#store.find(job.id);
    if (!pending?.isHeld) return false;
    // Another process may have tried it from time to time.
    await this.#store.claim(job.id);
    const deleted = await this.#one(job).deleted();
    if (isDropped(pending, deleted)) {
      this.#dependencies.watch.ended(job, { outcome: 'canceled' });
      await this.#forget(job.id);
      return false;
    }
    const isGone = pending.isDeleted || deleted !== undefined;
    const isTheirs = this.#endsAlone(job);
    const message = fetched(pending.message, isTheirs && !isGone);
    const { tooLargeAs, fetched: isFetched } = words(job.requester.locale, job.address.platform);
    try {
      const { at } = await climb({
        audience: 'requester',
        isPaid: true,
        doors: () => [
          {
            name: 'aside',
            seenBy: 'requester',
            put: say,
            maxFileBytes: async () => Number.POSITIVE_INFINITY,
          },
        ],
        forms: clipForms(message, convert, tooLargeAs),
        key: () => '',
      });
      await answers.note(job.id, [{ ...at, isKept: true }]).catch(() => {});
    } catch (error) {
      this.#retryHeld();
      throw error;
    }
    this.#over(job, pending, true);
    await this.#forget(job.id);
    const adapter = () => adapters(job.address.platform);
    const about = { job, pending, adapter, endMessage, versionBefore, log };
    if (!isTheirs && !isGone) await endShown(about, isFetched);
    return true;
  }

  /** Keeps what could be posted nowhere: its requester can fetch it, and it's tried again. People are told once. */
  async #hold(job: Job, brought: Brought): Promise<void> {
    const { pending, deleted } = brought;
    if (!pending.isHeld) {
      await this.#keep(job, { ...pending, isHeld: true });
      if (!pending.isDeleted && !deleted) await tellWhyMissing(brought, true);
    }
    this.#retryHeld();
  }

  /** Whether only its requester can get a job's answer. */
  #endsAlone(job: Job): boolean {
    return endsWithRequester(job, this.#dependencies.adapters(job.address.platform));
  }

  #retryHeld(): void {
    if (this.#stop.signal.aborted) return;
    this.#cancelRetry ??= this.#dependencies.clock.after(heldRetry, () => {
      this.#cancelRetry = undefined;
      const retried = this.#store.held().then((ids) => this.#takeUp(ids));
      void this.#lookingFor(retried, () => this.#retryHeld());
    });
  }

  /** Records a delivery; undefined if that isn't possible now. */
  async #keep(job: Job, pending: PendingDelivery): Promise<PendingDelivery | undefined> {
    try {
      return await this.#store.keep(job.id, pending);
    } catch (error) {
      this.#dependencies.log.warn({ job: job.id, error }, "couldn't record a delivery");
      return undefined;
    }
  }

  /**
   * Delivers in the background. Resolves once that's on record or people have the message: if its command ended
   * before, nobody would know of it where the process dies.
   */
  async #goOn(job: Job, pending: PendingDelivery): Promise<void> {
    const kept = await this.#keep(job, pending);
    if (kept) return this.#deliverLater(job, kept);
    const posted = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, posted.signal]);
    const keep = () => this.#store.keep(job.id, pending);
    const persistence = { clock: this.#dependencies.clock, waits: keepWaits, signal, failed: unlessLocal };
    const keeping = untilDone(keep, persistence).catch(() => undefined);
    this.#deliverLater(job, pending, async () => {
      posted.abort();
      await keeping;
    });
    await keeping;
  }

  /** `posted` is awaited before it's forgotten. */
  #deliverLater(job: Job, pending: PendingDelivery, posted = async () => {}): void {
    if (this.#stop.signal.aborted || this.#underWay.has(job.id)) return;
    this.#track(job, this.#deliverPending(job, pending, posted));
  }

  #track(job: Job, work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#dependencies.log.warn({ job: job.id, error }, 'a delivery stopped');
      })
      .finally(() => this.#underWay.delete(job.id));
    this.#underWay.set(job.id, ended);
  }

  async #deliverPending(job: Job, known: PendingDelivery, posted: () => Promise<void>): Promise<void> {
    const { jobs, clock } = this.#dependencies;
    const brought = await this.#one(job).bring(known, posted);
    const { pending, landed, last, deleted, isBlocked, isGoneThere } = brought;
    const isGone = isDropped(pending, deleted);
    if (!landed && isGone) {
      this.#dependencies.watch.ended(job, { outcome: 'canceled' });
      return this.#forget(job.id);
    }
    // It's its requester's alone from now on.
    if (landed ? landed.door.seenBy === 'place' && deleted && !isGone : isGoneThere && !pending.isDeleted) {
      const alone = { ...pending, isDeleted: true } as const;
      return this.#deliverPending(job, (await this.#keep(job, alone)) ?? alone, posted);
    }
    const what = pending.isDeleted ? 'answer' : deleted;
    const about = what ? { ...job, deleted: what } : job;
    // Words that moderation blocked aren't tried there again.
    const mayComeLater = !isBlocked || this.#endsAlone(about);
    if (last && mayComeLater && isHeld(job, last, clock.now())) return this.#hold(job, brought);
    this.#over(job, pending, landed !== undefined);
    // Otherwise the job would count as done, like its command; and how that ended isn't on record yet.
    if (!landed) await jobs.end(job.id, 'failed').catch(() => undefined);
    else if (pending.end && pending.end.outcome !== 'done') {
      const state = pending.end.outcome === 'canceled' ? 'done' : 'failed';
      await jobs.end(job.id, state, pending.end).catch(() => undefined);
    }
    // Not a word more comes there.
    if (pending.isDeleted || deleted) return this.#forget(job.id);
    await tellWhyMissing(brought);
    // Until then, another process would go on with it.
    await endSign(brought);
    await this.#forget(job.id);
  }

  #one(job: Job): OneDelivery {
    return new OneDelivery(this.#dependencies, job, this.#stop.signal);
  }

  #over(job: Job, { end = { outcome: 'done' } }: PendingDelivery, isPosted: boolean): void {
    const outcome = isPosted ? 'posted' : 'undeliverable';
    this.#dependencies.watch.meter.count('troupe_deliveries_ended_total', { outcome });
    this.#dependencies.watch.ended(job, isPosted ? end : { outcome: 'failed', reason: 'platform' });
  }

  #forget(jobId: string): Promise<void> {
    const { clock, troubles, log } = this.#dependencies;
    const work = `answer ${jobId}`;
    const failed = (error: unknown) => {
      if (isLocal(error)) troubles.note(work, error);
      log.warn({ job: jobId, error }, "couldn't delete a finished delivery's record yet");
    };
    const persistence = { clock, waits, signal: this.#stop.signal, failed };
    return untilDone(() => this.#store.remove(jobId), persistence).finally(() => troubles.clear(work));
  }

  async #shown(job: Job): Promise<Omit<PendingDelivery, 'message'>> {
    const answer = await this.#dependencies.answers.find(job.id).catch(() => undefined);
    return answer ? { shown: answer.messages, shownText: answer.lastText } : {};
  }
}

function heldKey({ id }: Job): string {
  return `held ${id}`;
}
