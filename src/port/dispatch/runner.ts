import { nowOrLater } from '../../lib/local-faults.ts';
import type { AnyCommand, Job } from '../commands/command.ts';
import type { AnyValues } from '../commands/option.ts';
import type { Reply } from '../commands/reply.ts';
import { PlatformError } from '../post/platform-adapter.ts';
import type {
  CommandRequest,
  DispatcherDependencies,
  Explanation,
  PressRequest,
} from './dispatcher-dependencies.ts';
import { recordedReply } from './recorded-reply.ts';
import type { Admitted, Caller } from './rules.ts';
import { StartGate } from './start-gate.ts';

/** Who runs a command, in which event, and what its acknowledgement left. */
export type CallerEvent = Caller &
  Pick<CommandRequest, 'eventId' | 'acknowledgement'> &
  Pick<PressRequest, 'onRecorded'>;

/** Makes jobs of commands and carries them out: on record from before they run until they have ended. */
export class Runner<Dependencies> {
  readonly #dependencies: DispatcherDependencies<Dependencies>;
  readonly #byName: ReadonlyMap<string, AnyCommand<Dependencies>>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #gate: StartGate;
  readonly #stop = new AbortController();
  #stopping = false;

  constructor(dependencies: DispatcherDependencies<Dependencies>) {
    this.#dependencies = dependencies;
    this.#gate = new StartGate(dependencies.clock);
    this.#byName = new Map(dependencies.commands.map((command) => [command.name, command]));
  }

  /** Whether nothing new is taken any more. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Aborted when what is under way has to come to an end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  find(name: string): AnyCommand<Dependencies> | undefined {
    return this.#byName.get(name);
  }

  /** @throws where a button or a job names a command there is not. */
  known(name: string): AnyCommand<Dependencies> {
    const command = this.#byName.get(name);
    if (!command) throw new Error(`a button names the unknown command ${name}`);
    return command;
  }

  jobOf(command: AnyCommand<Dependencies>, options: AnyValues, request: CallerEvent): Job {
    const { newId, clock } = this.#dependencies;
    const { address, requester, acknowledgement, eventId } = request;
    const about = { id: newId(), command: command.name, options, address, requester, eventId };
    const job = { ...about, createdAt: clock.now() };
    return acknowledgement ? { ...job, acknowledgement } : job;
  }

  /** Puts a command on record and carries it out; nothing where its event is on record already. */
  async run(
    command: AnyCommand<Dependencies>,
    { values, settings }: Admitted,
    request: CallerEvent,
    reply: Reply,
  ): Promise<void> {
    const job = this.jobOf(command, values, request);
    const isNew = await this.#dependencies.jobs.add(job, request.eventId);
    request.onRecorded?.();
    if (isNew) await this.carryOut(command, job, settings, reply);
  }

  /** Carries out a job that is on record, with the settings it was admitted with, when incoming events leave time. */
  carryOut(command: AnyCommand<Dependencies>, job: Job, settings: unknown, reply: Reply): Promise<void> {
    return this.track(async () => {
      await this.#gate.enter();
      const { address, requester, options } = job;
      let broke = false;
      const recorded = recordedReply(reply, job.id, this.#dependencies.answers, ({ kind }) => {
        broke ||= kind === 'failed' || kind === 'interrupted';
      });
      const { signal } = this.#stop;
      const invocation = { job, options, settings, address, requester, reply: recorded, signal };
      // The options were checked against this command's definition, and its bot's rules read the settings: as its type says.
      const work = () => command.run(invocation as never, this.#dependencies.commandDependencies);
      const failure = await this.#failureOf(job, work);
      try {
        if (failure) await explain(reply, failure.explanation);
      } catch (error) {
        // The platform took not even the sentence about it: it is told when the platform takes something again.
        this.#dependencies.onEnd?.(command.name, 'failed');
        return this.#dependencies.notifyLater(job, error, failure && lasting(failure));
      }
      const outcome = failure || broke ? 'failed' : 'done';
      this.#dependencies.onEnd?.(command.name, outcome);
      const end = async () => {
        // Together, so that they are one wait for the disk.
        await Promise.all([
          this.#dependencies.jobs.end(job.id, outcome),
          this.#dependencies.answers.remove(job.id),
        ]);
      };
      await nowOrLater(end, { clock: this.#dependencies.clock });
    });
  }

  /** Does the work; an error becomes a sentence for the requester. Rejects only where even that fails. */
  async orExplain(job: Job, reply: Reply, work: () => Promise<void>): Promise<void> {
    const failure = await this.#failureOf(job, work);
    if (failure) await explain(reply, failure.explanation);
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
    const ended = Promise.allSettled(this.#underWay);
    await Promise.race([ended, patience]);
    this.#stop.abort(new Error('shutting down'));
    await ended;
  }
}

/** Why a command failed, and what its requester is told about it. */
interface Failure {
  readonly error: unknown;
  readonly explanation: Explanation;
}

/** What is still true when the platform takes something again: that it's away is not. */
function lasting({ error, explanation: word }: Failure): Explanation | undefined {
  return error instanceof PlatformError && error.kind === 'unreachable' ? undefined : word;
}

/** What the requester can't be told alone is told where the answer would have come. */
async function explain(reply: Reply, { privately: alone, ...message }: Explanation): Promise<void> {
  if (alone) {
    try {
      return await reply.whisper(message);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    }
  }
  await reply.say(message);
}
