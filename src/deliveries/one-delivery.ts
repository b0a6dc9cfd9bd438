import type { Coordination } from '../coordination/index.ts';
import { bringNotice, type CommandWatch, type LatePosts, type ShowEnd, textEnding } from '../engine/index.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import type { LocalFaults } from '../lib/local-faults.ts';
import {
  adapterOf,
  afterQuestion,
  type Asked,
  climb,
  conversationKey,
  isPrivate,
  type Job,
  type Jobs,
  type Landed,
  type LiveAnswers,
  type Message,
  type MessageAddress,
  persistently,
  type PlatformAdapter,
  type PlatformAdapters,
  PlatformError,
  type PlatformErrorKind,
  type PostedAnswer,
  type Run,
  searchResult,
  undefinedIfFailed,
  unlessDeleted,
  untilHeard,
  withLateNotice,
} from '../port/index.ts';
import { sharedLength, splitMarkdown } from '../reply/index.ts';
import type { Database, FileStore } from '../store/index.ts';
import { type Words, words } from '../words/index.ts';
import type { PendingDelivery } from './delivery-store.ts';
import { type LateDelivery, outgoingOf } from './late-delivery.ts';
import type { ConvertSound } from './other-formats.ts';

export interface DeliveriesDependencies extends LatePosts {
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
  /** What of a job was deleted by now; what's on record of the job alone where absent. */
  readonly deleted?: (job: Job) => Promise<Job['deleted']>;
  /**
   * How the message of a new version of an answer ends, with the version before and a note; `shown` is where the new one has
   * begun. Undefined for other answers, and where the new one has begun elsewhere, too.
   */
  readonly versionBefore?: (
    job: Job,
    shown: readonly MessageAddress[],
    note: string,
  ) => Promise<{ readonly message: MessageAddress; readonly shows: Message } | undefined>;
  /** Whose answer is delivered. */
  readonly asked: (job: Job) => Asked;
  readonly troubles: LocalFaults;
  /** Told how commands end whose answers are delivered late. */
  readonly watch: CommandWatch;
  readonly clock: Clock;
  readonly log: { info(data: object, message: string): void; warn(data: object, message: string): void };
}

/** A delivery that was brought somewhere, or nowhere. */
export interface Brought extends Ended {
  /** The last refusal, where it could be posted nowhere. */
  readonly last?: PlatformErrorKind;
  /** What of its job was deleted by then. */
  readonly deleted: Job['deleted'];
  /** Its place said that what it was to come to is deleted. */
  readonly isGoneThere: boolean;
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
  readonly #say: Words;

  constructor(dependencies: DeliveriesDependencies, job: Job, signal: AbortSignal) {
    this.#dependencies = dependencies;
    this.#job = job;
    this.#signal = signal;
    this.#run = persistently({ ...dependencies, work: `answer ${job.id}`, signal });
    this.#closeQuestion = async () => dependencies.closeQuestionOf?.(job);
    this.#adapter = () => dependencies.adapters(job.address.platform);
    this.#say = words(job.requester.locale, job.address.platform);
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
    const { watch, convert, endMessage, versionBefore, asked, log } = this.#dependencies;
    const job = this.#job;
    const about = { job, say: this.#say, adapter: this.#adapter, whose: asked(job), versionBefore };
    const closed = () => this.#run('question', this.#closeQuestion);
    let pending = known;
    let deleted: Job['deleted'];
    let refusal: PlatformError | undefined;
    let isBlocked = false;
    let isGoneThere = false;
    const work = async () => {
      if (!known.isDeleted) {
        await this.#untilHeard();
        pending = await withFoundMessages(job, known, this.#adapter, this.#run, this.#signal);
        // What was found, too.
        await this.#note(pending.shown ?? []);
      }
      const gone = known.isDeleted && (await this.deleted());
      const outgoing = outgoingOf({
        ...{ ...about, pending, convert },
        ...(gone && { job: { ...job, deleted: gone } }),
        ...{ closeQuestion: this.#closeQuestion, onPosted: (at) => this.#note([at]) },
        endLater: async (message, shows) =>
          shows
            ? endMessage?.(message, shows)
            : endShown({ ...about, pending, endMessage, log }, this.#say.postedBelow),
        readQuestion: async () => {
          if (known.isHeld) await this.#dependencies.readQuestion?.(job);
        },
        // Asked at each try.
        deleted: async () => {
          deleted = await this.deleted();
          return deleted;
        },
      });
      const refused = (error: PlatformError) => {
        refusal ??= error;
        isBlocked ||= error.kind === 'moderated' && !pending.message.files?.length;
        isGoneThere ||= error.kind === 'deleted' && !isPrivate(job);
      };
      return climb({ ...outgoing, refused }, this.#run);
    };
    const ended = () => {
      return { ...about, pending, refusal, isBlocked, isGoneThere, deleted, closed, endMessage, log };
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
      return { ...ended(), landed };
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof PlatformError)) throw error;
      log.warn({ job: job.id, error }, "an answer couldn't be posted anywhere");
      return { ...ended(), landed: undefined, last: error.kind };
    }
  }

  /** Where nobody heard for a while what was deleted, that's known first. While the database is away, it goes on. */
  async #untilHeard(): Promise<void> {
    const { hears = async () => true, clock } = this.#dependencies;
    while (!(await hears(this.#job.address).catch(() => true))) await sleep(clock, untilHeard, this.#signal);
  }

  /** What people have mustn't wait for the database. */
  async #note(messages: readonly MessageAddress[]): Promise<void> {
    await this.#dependencies.answers.note(this.#job.id, messages).catch(() => {});
  }
}

/**
 * Adds messages the platform accepted but no process recorded, so that the answer continues there. `signal` is aborted
 * when the process stops.
 */
async function withFoundMessages(
  job: Job,
  pending: PendingDelivery,
  adapter: () => PlatformAdapter | undefined,
  run: Run,
  signal: AbortSignal,
): Promise<PendingDelivery> {
  const { shown = [], message } = pending;
  if (message.files?.length) return pending;
  const find = async () =>
    shown.length > 0
      ? findContinuationOf(adapter(), job, message.text ?? '', shown)
      : adapter()?.findAnswer(job);
  const found = await undefinedIfFailed(run('search', () => searchResult(find(), signal)));
  return found ? { ...pending, shown: [...shown, found.message], shownText: found.text } : pending;
}

/**
 * The message that continues a live answer but isn't recorded, because its process died first. A message posted below
 * by an earlier delivery doesn't count: it shows another piece of the answer.
 */
async function findContinuationOf(
  adapter: PlatformAdapter | undefined,
  job: Job,
  text: string,
  shown: readonly MessageAddress[],
): Promise<PostedAnswer | undefined> {
  const [first] = shown;
  if (!adapter || !first) return undefined;
  // The platform splits it the same way.
  const pieces = splitMarkdown(text, await adapter.messageLimits(first));
  const piece = pieces[shown.length];
  if (piece === undefined) return undefined;
  const found = await adapter.findContinuation(job, shown, piece);
  if (!found || found.isLossy) return found;
  // A growing message ends with marks that change or disappear in the finished one.
  return sharedLength(found.text, piece) > found.text.length / 2 ? found : undefined;
}

/** A delivery that's over, for people who look for it where it was asked for. */
interface Ended extends Pick<LateDelivery, 'job' | 'pending' | 'say' | 'adapter' | 'whose'> {
  /** Undefined if it could be posted nowhere. */
  readonly landed: Landed | undefined;
  /** Moderation blocked its words. */
  readonly isBlocked: boolean;
  /** The first refusal. */
  readonly refusal: PlatformError | undefined;
  /** Resolves once the job's question, which was answered, is closed: what's told here may come into its message. */
  readonly closed: () => Promise<void>;
  readonly endMessage: DeliveriesDependencies['endMessage'];
  readonly versionBefore?: DeliveriesDependencies['versionBefore'];
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Tells people where it was asked for that it isn't there, or not all of it, once; or that it isn't yet: it's held. A failure
 * is only logged.
 */
export async function tellWhyMissing(ended: Ended, isHeld = false): Promise<void> {
  const { job, pending, adapter, whose, landed, isBlocked, closed, log } = ended;
  if (landed && !isBlocked) return endShown(ended, await whereabouts(ended, landed));
  const { name, text } = isHeld ? { name: 'held', text: ended.say.keptForYou } : await whyMissing(ended);
  const { shown: messages = [], shownText: lastText = '' } = pending;
  const answer = messages.length > 0 ? ({ messages, lastText, kind: 'growing' } as const) : undefined;
  const message = { text, ...(whose && { whose }) };
  // What's held may go on there later: nothing is to undo that.
  const endNow: ShowEnd = async (at, shows) => adapter()?.edit(at, shows);
  const endMessage = isHeld ? endNow : ended.endMessage;
  try {
    await closed();
    if (await endVersion({ ...ended, endMessage }, text)) return;
    const found = adapter();
    if (found) await bringNotice(found, job, { message, name, answer, endMessage });
  } catch (error) {
    log.warn({ job: job.id, error }, "couldn't post why an answer is missing");
  }
}

/** Where an answer is instead; undefined if it's complete where it begins. */
async function whereabouts(
  { job, pending, say, adapter }: Ended,
  landed: Landed,
): Promise<string | undefined> {
  const { at, door, why } = landed;
  const last = pending.shown?.at(-1);
  // A token may say it as a message of its own.
  const isBeside = door.name === 'token' && last?.message !== '' && at.message !== last?.message;
  if (last && !isBeside && (door.name === 'edit' || door.name === 'token')) return undefined;
  if (door.name === 'direct') return say.postedDirectly(why);
  if (conversationKey(at) === conversationKey(last ?? job.address)) return say.postedBelow;
  const [message = at.message] = at.parts ?? [];
  return say.postedInChannel(
    await adapter()
      ?.linkTo({ ...at, message })
      .catch(() => undefined),
  );
}

/** The part of an answer that stands where it was asked for, perhaps none. */
type Beginning = Pick<Ended, 'job' | 'pending' | 'adapter' | 'endMessage' | 'versionBefore' | 'log'>;

/** What's shown of an answer doesn't stand there as if it were the whole: it ends with `note`. */
export async function endShown(beginning: Beginning, note: string | undefined): Promise<void> {
  const { job, pending, adapter, endMessage, log } = beginning;
  const { shown = [], shownText = '' } = pending;
  const last = shown.at(-1);
  if (note === undefined) return;
  try {
    if (await endVersion(beginning, note)) return;
    const found = adapter();
    if (found && last?.message)
      await endMessage?.(last, { text: await textEnding(found, last, shownText, note) });
  } catch (error) {
    log.warn({ job: job.id, error }, "couldn't end what's shown of an answer");
  }
}

/** The version that stood in a message before stays there; false if the answer is no new version. */
async function endVersion(
  { job, pending, endMessage, versionBefore }: Omit<Beginning, 'adapter' | 'log'>,
  note: string,
): Promise<boolean> {
  const ended = await versionBefore?.(job, pending.shown ?? [], note);
  if (ended) await endMessage?.(ended.message, ended.shows);
  return ended !== undefined;
}

async function whyMissing(ended: Ended): Promise<{ readonly name: string; readonly text: string }> {
  const { say, landed, isBlocked } = ended;
  if (isBlocked) return { name: 'blocked', text: say.blockedHere(landed?.door.name === 'direct') };
  return { name: 'nowhere', text: await whyNowhere(ended) };
}

/** Why it couldn't be posted anywhere, going by the channel's first refusal. */
async function whyNowhere({ job, pending, say, adapter, refusal }: Ended): Promise<string> {
  const [file] = pending.message.files ?? [];
  if (!file || refusal?.kind !== 'too-large') return say.postedNowhere;
  const limit = await adapter()
    ?.maxFileBytes(job.address, file.kind)
    .catch(() => undefined);
  // A channel may accept less than it advertises.
  return say.tooLargeAnywhere(file.size, limit !== undefined && limit < file.size ? limit : undefined);
}

/** Ends the platform's "still working" indicator, where only that can be replaced: people have the answer already. */
export async function endSign({
  job,
  pending,
  say,
  adapter,
  landed,
  isBlocked,
  closed,
}: Ended): Promise<void> {
  const { acknowledgement } = job;
  if (!acknowledgement || !landed || isBlocked || pending.shown?.length) return;
  const { at, door, why } = landed;
  // What the command left has taken the place of the sign itself.
  const isBelow = door.name === 'here' && at.message !== '';
  if (!isBelow && door.name !== 'direct') return;
  const text = isBelow ? say.postedBelow : say.postedDirectly(why);
  const settled = async () => {
    await closed();
    await adapter()?.answerInterrupted(acknowledgement, { text });
  };
  await settled().catch(() => {});
}
