import type { Coordination } from '../coordination/index.ts';
import { type CommandWatch, unwatched } from '../engine/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Troubles } from '../lib/local-faults.ts';
import {
  type Asked,
  adapterOf,
  afterQuestion,
  climb,
  type Job,
  type Jobs,
  type LiveAnswers,
  type Locale,
  type MessageAddress,
  type PlatformAdapter,
  type PlatformAdapters,
  PlatformError,
  type PlatformErrorKind,
  type PlatformName,
  persistently,
  type Run,
  unlessDeleted,
  withLateNotice,
} from '../port/index.ts';
import type { Database, FileStore } from '../store/index.ts';
import { withFoundMessages } from './found-messages.ts';
import { outgoingOf } from './late-delivery.ts';
import type { ConvertSound } from './other-formats.ts';
import type { DeliveryWords, PendingDelivery } from './pending-delivery.ts';
import type { Ended } from './why-missing.ts';

export interface DeliveriesDependencies {
  readonly database: Database;
  /** The process that delivers, and what it shares with others; absent where it's alone. */
  readonly coordination?: Pick<Coordination, 'process' | 'locks'>;
  readonly jobs: Jobs;
  readonly answers: LiveAnswers;
  readonly adapters: PlatformAdapters;
  /** Stores files until they are posted. */
  readonly files: FileStore;
  /** For channels that reject a clip's format and accept another. */
  readonly convert: ConvertSound;
  readonly words: (locale: Locale, platform?: PlatformName) => DeliveryWords;
  /** What of a job was deleted by now; what's on record of the job alone where absent. */
  readonly deleted?: (job: Job) => Promise<Job['deleted']>;
  /** Takes away what's posted of a job. */
  readonly takeAway?: (job: Job) => Promise<void>;
  /**
   * Closes a job's question, which was answered: what's delivered or told of the job may come into the same message.
   * @throws {PlatformError} `unreachable` as long as that can't be done.
   */
  readonly closeQuestionOf?: (job: Job) => Promise<void>;
  /** Whose answer is delivered. */
  readonly asked: (job: Job) => Asked;
  readonly troubles: Troubles;
  /** Told how commands end whose answers are delivered late. */
  readonly watch?: CommandWatch;
  readonly clock: Clock;
  readonly log: { info(data: object, message: string): void; warn(data: object, message: string): void };
}

/** A delivery that was brought somewhere, or nowhere. */
interface Brought extends Ended {
  /** The last refusal, where it could be posted nowhere. */
  readonly last?: PlatformErrorKind;
  /** What of its job was deleted by then. */
  readonly deleted: Job['deleted'];
}

/** A job's answer or clip on its way to people. */
export class OneDelivery {
  readonly #dependencies: DeliveriesDependencies;
  readonly #job: Job;
  /** Aborted when the process stops. */
  readonly #signal: AbortSignal;
  readonly #run: Run;
  readonly #closeQuestion: () => Promise<void>;
  readonly #adapter: () => PlatformAdapter | undefined;
  readonly #say: DeliveryWords;

  constructor(dependencies: DeliveriesDependencies, job: Job, signal: AbortSignal) {
    this.#dependencies = dependencies;
    this.#job = job;
    this.#signal = signal;
    this.#run = persistently({ ...dependencies, work: `answer ${job.id}`, signal });
    this.#closeQuestion = async () => dependencies.closeQuestionOf?.(job);
    this.#adapter = () => dependencies.adapters(job.address.platform);
    this.#say = dependencies.words(job.requester.locale, job.address.platform);
  }

  /** What of its job was deleted. Where that can't be known, since the database is away, it goes on. */
  async deleted(): Promise<Job['deleted']> {
    const { jobs, deleted = async ({ id }: Job) => (await jobs.find(id))?.deleted } = this.#dependencies;
    return deleted(this.#job).catch(() => undefined);
  }

  /** What somebody deleted of its job while it was posted, which is taken away then. */
  async withdrawn(): Promise<Job['deleted']> {
    const deleted = await this.deleted();
    if (deleted) await this.#dependencies.takeAway?.(this.#job).catch(() => {});
    return deleted;
  }

  withLateNotice<T>(work: Promise<T>): Promise<T> {
    const doors = () =>
      afterQuestion(
        adapterOf(this.#dependencies, this.#job.address).doors(this.#job),
        this.#closeQuestion,
      ).map((door) => unlessDeleted(door, () => this.deleted()));
    const say = this.#say.notPostedYet;
    return withLateNotice(work, { ...this.#dependencies, job: this.#job, doors, say });
  }

  /** `posted` is awaited once it's there, or can be posted nowhere. */
  async bring(known: PendingDelivery, posted: () => Promise<void>): Promise<Brought> {
    const { watch = unwatched(), convert, asked, log } = this.#dependencies;
    const job = this.#job;
    const about = { job, say: this.#say, adapter: this.#adapter, whose: asked(job) };
    const closed = () => this.#run('question', this.#closeQuestion);
    let pending = known;
    let deleted: Job['deleted'];
    let refusal: PlatformError | undefined;
    let isBlocked = false;
    const work = async () => {
      if (!known.isDeleted) {
        pending = await withFoundMessages(job, known, this.#adapter, this.#run, this.#signal);
        // What was found, too.
        await this.#note(pending.shown ?? []);
      }
      const gone = known.isDeleted && (await this.deleted());
      const outgoing = outgoingOf({
        ...{ ...about, pending, convert },
        ...(gone && { job: { ...job, deleted: gone } }),
        ...{ closeQuestion: this.#closeQuestion, onPosted: (at) => this.#note([at]) },
        // Asked at each try.
        deleted: async () => {
          deleted = await this.deleted();
          return deleted;
        },
      });
      const refused = (error: PlatformError) => {
        refusal ??= error;
        isBlocked ||= error.kind === 'moderated' && !pending.message.files?.length;
      };
      return climb({ ...outgoing, refused }, this.#run);
    };
    try {
      // Nobody waits for what remains to be done after posting.
      const landed = await watch
        .step(job.id, 'delivery', {}, () => (known.isDeleted ? work() : this.withLateNotice(work())))
        .finally(posted);
      await this.#note([landed.at]);
      const isShown = landed.door.seenBy === 'place' && !known.isDeleted;
      deleted ??= isShown ? await this.withdrawn() : undefined;
      log.info({ job: job.id }, 'an answer was delivered late');
      return { ...about, pending, landed, refusal, isBlocked, deleted, closed, log };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof PlatformError)) throw error;
      log.warn({ job: job.id, error }, "an answer couldn't be posted anywhere");
      const ended = { ...about, pending, landed: undefined, refusal, isBlocked, deleted, closed, log };
      return { ...ended, last: error.kind };
    }
  }

  /** What people have mustn't wait for the database. */
  async #note(messages: readonly MessageAddress[]): Promise<void> {
    await this.#dependencies.answers.note(this.#job.id, messages).catch(() => {});
  }
}
