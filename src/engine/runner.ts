import { once } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import {
  type AcceptedRequest,
  answerAddress,
  type AnyValues,
  askedIn,
  type Caller,
  type CommandEnd,
  type CommandRequest,
  isFormPress,
  type Job,
  type MessageAddress,
  PlatformError,
  refusalOf,
  type Reply,
  type RunEnd,
  seenBy,
  undefinedIfRefused,
} from '../port/index.ts';
import { words } from '../words/index.ts';
import { type BacklogSlot, HeldRequests, StartGate, type StartTurn } from './admission.ts';
import { belowAbout } from './bring-notice.ts';
import { type CommandInFlight, type CommandWatch, recordedReply, whenAbandoned } from './command-watch.ts';
import type { Admitted, Command, DispatcherDependencies, Explanation } from './command.ts';

/** The caller of a command, its event and its acknowledgement. */
export type CallerEvent = Caller &
  Pick<CommandRequest, 'eventId' | 'acknowledgement'> &
  Pick<Job, 'press' | 'question'>;

/** A request of which nothing is put on record. */
export const unrecorded = { isUnrecorded: true, record: async () => true, abandon: async () => {} } as const;

/** How a request is put on record, given up, or carried out. */
export type PreparedWork = Pick<AcceptedRequest, 'record' | 'abandon' | 'run'>;

/** A request that's on record already, by this process or another: nothing more comes of it. */
export const onRecord: AcceptedRequest = {
  ...{ kind: 'accepted', seenBy: 'nobody' },
  record: async () => false,
  abandon: async () => {},
  run: async () => {},
};

/** Runs commands as jobs, which are recorded from before they start until they end. */
export class Runner {
  readonly requests = new HeldRequests();
  readonly #dependencies: DispatcherDependencies;
  readonly #byName: ReadonlyMap<string, Command>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #gate: StartGate;
  readonly #stop = new AbortController();
  readonly #watch: CommandWatch;
  #stopping = false;

  constructor(dependencies: DispatcherDependencies) {
    this.#dependencies = dependencies;
    this.#watch = dependencies.watch;
    this.#gate = new StartGate(dependencies.clock);
    this.#byName = new Map(dependencies.commands.map((command) => [command.name, command]));
  }

  /** Whether new commands are rejected. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Aborted when running commands must end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  find(name: string): Command | undefined {
    return this.#byName.get(name);
  }

  /** A command of this name arrived; `since` when, in milliseconds since the epoch. */
  arrived(name: string, { address }: Pick<Caller, 'address'>, since: number): CommandInFlight {
    const command = this.#byName.has(name) ? name : 'unknown';
    return this.#watch.arrived({ platform: address.platform, command, since });
  }

  /** A command that waited for its confirmation ended without one. */
  ended(job: Job, end: CommandEnd): void {
    this.#watch.ended(job, end);
  }

  /** @throws if a button or a job names an unknown command. */
  known(name: string): Command {
    const command = this.#byName.get(name);
    if (!command) throw new Error(`a button names the unknown command ${name}`);
    return command;
  }

  jobOf(command: Command, options: AnyValues, request: CallerEvent): Job {
    const { newId, clock } = this.#dependencies;
    const { address, requester, acknowledgement, eventId, press, question = eventId } = request;
    const at = answerAddress(options, address, requester);
    const about = { id: newId(), command: command.name, options, address: at, requester };
    const given = { eventId, question, createdAt: clock.now() };
    const settled = { ...(acknowledgement && { acknowledgement }), ...(press !== undefined && { press }) };
    return { ...about, ...given, ...settled };
  }

  /** Prepares a command: it's on record before it's acknowledged, and carried out once. A press takes no turn. */
  prepare(
    command: Command,
    admitted: Admitted,
    request: CallerEvent,
    inFlight: CommandInFlight,
    { slot, turn }: { readonly slot: BacklogSlot; readonly turn?: StartTurn },
  ): PreparedWork {
    const { jobs, clock } = this.#dependencies;
    const { eventId, requester } = request;
    const job = this.jobOf(command, admitted.values, request);
    inFlight.holds(slot);
    if (turn) inFlight.holds(turn);
    const add = () => jobs.add(job, eventId, 'running', turn?.arrival);
    const record = async () => {
      const [isNew] = await Promise.all([turn ? turn.record(add) : add(), inFlight.recorded(job.id)]);
      return isNew;
    };
    const end = async (how: CommandEnd, state: 'done' | 'failed') => {
      inFlight.over(how);
      await nowOrLater(() => jobs.end(job.id, state, how), { clock });
    };
    const run = async (reply: Reply) => {
      if (!(await this.isDropped(job, eventId))) {
        slot.begin();
        await turn?.begin();
        return this.carryOut(command, job, admitted, reply, inFlight);
      }
      await end({ outcome: 'canceled' }, 'done');
      if (!turn) await reply.whisper({ text: words(requester.locale).questionDeleted });
    };
    return {
      abandon: (why) => end(whenAbandoned(why), 'failed'),
      ...this.onceOnRecord(request, inFlight, record, run),
    };
  }

  /**
   * Puts what a request gives on record by `add`, and does the work if it's new. Its event or form may be there already, or
   * what the same press gave in another event is under way: then the person is told so.
   */
  onceOnRecord(
    { press, eventId, requester }: CallerEvent,
    inFlight: CommandInFlight,
    add: () => Promise<boolean>,
    work: (reply: Reply) => Promise<void>,
  ): Pick<PreparedWork, 'record' | 'run'> {
    const recorded = once(async (): Promise<'new' | 'repeated' | 'taken'> => {
      try {
        if (await add()) return 'new';
        const isForm = press === undefined || isFormPress(press);
        const isRepeated = isForm || (await this.#dependencies.jobs.ofEvent(eventId));
        inFlight.over(isRepeated ? 'repeated' : { outcome: 'refused', reason: 'waiting' });
        return isRepeated ? 'repeated' : 'taken';
      } catch (error) {
        inFlight.over(inFlight.endOf(error));
        throw error;
      }
    });
    return {
      record: async () => (await recorded()) !== 'repeated',
      run: async (reply) => {
        const how = await recorded();
        if (how === 'new') await work(reply);
        if (how === 'taken') await reply.whisper({ text: words(requester.locale).alreadyUnderWay });
      },
    };
  }

  /**
   * What comes of an event whose command is on record: it's acknowledged as that was, and nothing more. Undefined for any
   * other.
   */
  async begun({
    eventId,
    acknowledgement,
  }: Pick<CallerEvent, 'eventId' | 'acknowledgement'>): Promise<AcceptedRequest | undefined> {
    const begun = await this.#dependencies.jobs.ofEvent(eventId);
    if (!begun) return undefined;
    const { command, options, acknowledgement: settled } = begun.job;
    const call = { command, options };
    // What comes of it stands elsewhere than where it's acknowledged.
    if (acknowledgement && !settled) return { ...onRecord, call };
    const isQuestion = begun.state === 'asking' || begun.state === 'asked';
    return { ...onRecord, call, seenBy: isQuestion ? 'requester' : seenBy(this.known(command), options) };
  }

  /** Whether a job that's on record by now isn't carried out, since its question was deleted before; it goes on where that can't be known. */
  async isDropped(job: Job, eventId: string): Promise<boolean> {
    const { jobs } = this.#dependencies;
    const isDropped = (await this.#dependencies.isDropped?.(eventId, job).catch(() => false)) ?? false;
    // It ends as canceled in any case, where this can't be put on record.
    if (isDropped) await jobs.markDeleted(job.id, 'question').catch(() => {});
    return isDropped;
  }

  /** Runs a recorded job as it was admitted, when incoming events leave time. */
  carryOut(
    command: Command,
    job: Job,
    { settings, note }: Pick<Admitted, 'settings' | 'note'>,
    reply: Reply,
    inFlight: CommandInFlight,
  ): Promise<void> {
    return this.track(async () => {
      await using _ = inFlight;
      if (note !== undefined) reply.whisper({ text: note }).catch(() => {});
      await Promise.all([this.#gate.enter(), this.#recordLoading(job, reply)]);
      const { address, requester, options } = job;
      let broken: CommandEnd | undefined;
      let said: Said | undefined;
      const recorded = recordedReply(job, reply, this.#dependencies.answers, {
        ended: ({ kind }) => {
          if (kind === 'failed' || kind === 'interrupted') broken ??= { outcome: kind };
        },
        said: (at, { text = '' }) => {
          said = { at, text };
        },
        shown: () => inFlight.firstWords(),
        tracer: inFlight.tracer,
      });
      const { signal } = this.#stop;
      const invocation = { job, options, settings, address, requester, reply: recorded, signal };
      const work = () => command.run(invocation);
      let told: RunEnd | undefined;
      const failure = await this.#failureOf(job, async () => {
        const end = await inFlight.span.within(work);
        if (end) told = end;
      });
      const how = failure ? this.#endOf(failure, inFlight) : (told ?? broken ?? { outcome: 'done' });
      try {
        if (failure) await this.#tell(command, job, reply, said, failure);
      } catch (error) {
        // The platform didn't even accept the explanation: notify when it's available again.
        inFlight.ended('goes-on');
        // Taken away later, it could have that in it by then.
        await reply.discardLoading?.().catch(() => {});
        return this.#dependencies.notifyLater(
          job,
          error,
          failure && lasting(failure),
          how === 'goes-on' ? { outcome: 'failed' } : how,
        );
      }
      const outcome = failure || broken ? 'failed' : 'done';
      const known = how === 'goes-on' ? undefined : how;
      inFlight.ended(how);
      const end = async () => {
        // In parallel, so that they share one disk write.
        await Promise.all([
          this.#dependencies.jobs.end(job.id, outcome, known),
          this.#dependencies.answers.remove(job.id),
        ]);
      };
      await nowOrLater(end, { clock: this.#dependencies.clock });
    });
  }

  /** It stops where somebody deletes what stands for its answer; that it can't be put on record stops nothing. */
  async #recordLoading({ id }: Job, reply: Reply): Promise<void> {
    const { answers } = this.#dependencies;
    const records = {
      note: (message: MessageAddress) => answers.note(id, [message]),
      forget: (message: MessageAddress) => answers.forget(message),
    };
    await reply.recordLoading?.(records).catch(() => {});
  }

  /** Runs the work and explains an error to the requester. Rejects only if that fails too. */
  async orExplain(job: Job, reply: Reply, work: () => Promise<void>): Promise<void> {
    const failure = await this.#failureOf(job, work);
    if (failure) await explain(reply, failure.explanation);
  }

  /**
   * Explains a failure: in the place of what the command said for the time being, so that nothing that was promised is left.
   * Where that can't be changed any more, a new message tells whose it is. If somebody deleted what the command said, or its
   * question, nothing comes back there, and nothing stays: only the requester is told. It's told by the command's own reply,
   * which still knows what it has shown; what that can't do now the recovery brings.
   */
  async #tell(
    command: Command,
    job: Job,
    reply: Reply,
    said: Said | undefined,
    { error, explanation }: Failure,
  ): Promise<void> {
    const named = { ...explanation, whose: askedIn(job, command) };
    const isDeleted = await this.#isDeleted(job);
    if (isDeleted) await this.#dependencies.takeAway?.(job);
    try {
      if (!isDeleted && refusalOf(error) !== 'deleted')
        return await this.#tellThere(command, job, reply, said, named);
    } catch (fault) {
      if (refusalOf(fault) !== 'deleted') throw fault;
    }
    await undefinedIfRefused(whisper(reply, named));
  }

  async #tellThere(
    command: Command,
    job: Job,
    reply: Reply,
    said: Said | undefined,
    named: Explanation,
  ): Promise<void> {
    if (!said || command.isInterim?.(said.text, job) !== true) return explain(reply, named);
    const { privately: _, ...message } = named;
    try {
      await reply.replace(said.at, belowAbout(command, job, message));
    } catch (fault) {
      const refusal = refusalOf(fault);
      if (!refusal || refusal === 'deleted') throw fault;
      await reply.say(message);
      if (refusal === 'gone') return;
      const adapter = this.#dependencies.adapters(said.at.platform);
      await adapter?.remove(said.at).catch(() => {});
    }
  }

  /** Whether somebody deleted it, or its question; no where that can't be known. */
  async #isDeleted({ id }: Job): Promise<boolean> {
    const job = await this.#dependencies.jobs.find(id).catch(() => undefined);
    return job?.deleted !== undefined;
  }

  /** What's cut off by a shutdown is interrupted, whatever it throws. */
  #endOf({ error }: Failure, inFlight: CommandInFlight): CommandEnd {
    return this.signal.aborted ? { outcome: 'interrupted' } : inFlight.endOf(error);
  }

  async #failureOf(job: Job, work: () => Promise<void>): Promise<Failure | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      return { error, explanation: this.#dependencies.explain(error, job) };
    }
  }

  /** Counts work as under way. */
  track(work: () => Promise<void>): Promise<void> {
    const done = work().finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    return done;
  }

  /** See the dispatcher's `stop`. */
  async stop(patience: Promise<unknown>): Promise<void> {
    this.#stopping = true;
    const underWay = [...this.#underWay, this.requests.settled()];
    await Promise.race([Promise.allSettled(underWay), patience]);
    this.#stop.abort(new Error('shutting down'));
    await Promise.allSettled(this.#underWay);
  }
}

/** Why a command failed, and the explanation for its requester. */
interface Failure {
  readonly error: unknown;
  readonly explanation: Explanation;
}

/** The newest whole message that a command said. */
interface Said {
  readonly at: MessageAddress;
  readonly text: string;
}

/** The explanation, unless it says the platform is unreachable: that won't be true when it's posted. */
function lasting({ error, explanation }: Failure): Explanation | undefined {
  return error instanceof PlatformError && error.kind === 'unreachable' ? undefined : explanation;
}

/** Explains in the channel if a private message isn't possible. */
async function explain(reply: Reply, { privately, ...message }: Explanation): Promise<void> {
  if (privately) {
    try {
      return await whisper(reply, message);
    } catch (error) {
      if (!refusalOf(error)) throw error;
    }
  }
  await reply.say(message);
}

function whisper(reply: Reply, { whose: _, privately: __, ...alone }: Explanation): Promise<void> {
  return reply.whisper(alone);
}
