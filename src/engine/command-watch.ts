import type { Clock } from '../lib/clock.ts';
import {
  type Attributes,
  type EndReason,
  faultName,
  type Meter,
  secondsBetween,
  type Span,
  type Telemetry,
  traced,
  type Tracer,
} from '../lib/telemetry.ts';
import {
  type CommandEnd,
  isPrivate,
  type Job,
  type LiveAnswer,
  type LiveAnswers,
  type LiveProgress,
  type Message,
  type MessageAddress,
  type PlatformName,
  type Reply,
  type RunEnd,
  type StreamOptions,
} from '../port/index.ts';
import type { Ending } from '../reply/index.ts';

/** How long what goes on later finds its command's trace, in milliseconds: longer than a render waits. */
const traceLife = 8 * 86_400_000;

export interface CommandWatchDependencies {
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'now'>;
  /** How a command ended that threw this. */
  readonly endOf: (error: unknown) => CommandEnd;
  /** Told that a command has ended, or will in a moment. */
  readonly ended?: () => void;
  /** Where the trace of a command is kept that goes on later, in this process or another; used only while tracing is on. */
  readonly traces: {
    get(job: string): Promise<string | undefined>;
    set(job: string, traceparent: string, life: number): Promise<unknown>;
  };
  /** Told when a command ends that went on by a record of its own. */
  readonly onEnd?: (job: Job, end: CommandEnd) => void;
}

/** What arrived. */
interface Arrival {
  readonly platform: PlatformName;
  /** The name of a command; `unknown` for anything else, so that nobody's typing becomes a label. */
  readonly command: string;
  /** When, in milliseconds since the epoch. */
  readonly since: number;
}

/** Sees every command from its arrival to its end: each is counted once, with its outcome, and has a span. */
export class CommandWatch {
  readonly #dependencies: CommandWatchDependencies;
  #running = 0;

  constructor(dependencies: CommandWatchDependencies) {
    this.#dependencies = dependencies;
  }

  get meter(): Meter {
    return this.#dependencies.telemetry.meter;
  }

  /** How many commands are being carried out here. */
  get running(): number {
    return this.#running;
  }

  arrived(arrival: Arrival): CommandInFlight {
    this.#running += 1;
    return new CommandInFlight(this.#dependencies, arrival, () => {
      this.#running -= 1;
    });
  }

  /** Tells the end of a command that went on by a record of its own, or was left by another process. */
  ended(job: Job, end: CommandEnd): void {
    const { address, command, createdAt } = job;
    this.#dependencies.onEnd?.(job, end);
    count(this.#dependencies, { platform: address.platform, command, since: createdAt }, end);
  }

  /**
   * A step of a command that goes on by a record of its own: in its trace if it goes on at once, else in one that's linked
   * to that, maybe of another process.
   */
  async step<T>(
    job: string,
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    const { telemetry, traces } = this.#dependencies;
    const { tracer } = telemetry;
    if (!tracer.isOn) return work(tracer.start(name));
    const link = await traces.get(job).catch(() => undefined);
    return traced(tracer, name, attributes, work, { isRoot: true, link });
  }

  /** What is done again and again for hours is in no trace. */
  untraced<T>(work: () => T): T {
    return this.#dependencies.telemetry.tracer.untraced(work);
  }
}

/** Each command once, however it ends. */
function count(
  { telemetry, clock, ended }: CommandWatchDependencies,
  { platform, command, since }: Arrival,
  { outcome, reason = '' }: CommandEnd,
): void {
  ended?.();
  const labels = { platform, command, outcome };
  telemetry.meter.count('troupe_commands_total', { ...labels, reason });
  telemetry.meter.observe('troupe_command_duration_seconds', labels, secondsBetween(since, clock.now()));
}

/** Whether a command may run, and why not. */
interface Prepared {
  readonly kind: string;
  readonly reason?: EndReason;
}

/**
 * One command from its arrival until it's over, however it ends: then it gives back what it holds of the order in which
 * commands run, and its span.
 */
export class CommandInFlight implements AsyncDisposable {
  readonly span: Span;
  readonly tracer: Tracer;
  readonly #dependencies: CommandWatchDependencies;
  readonly #arrival: Arrival;
  readonly #onEnded: () => void;
  readonly #held = new Set<{ leave(): void }>();
  #hasWords = false;
  #hasEnded = false;

  constructor(dependencies: CommandWatchDependencies, arrival: Arrival, onEnded: () => void) {
    const { platform, command, since } = arrival;
    this.tracer = dependencies.telemetry.tracer;
    const attributes = { 'troupe.platform': platform, 'troupe.command': command };
    this.span = this.tracer.start('command', attributes, { isRoot: true, since });
    this.#dependencies = dependencies;
    this.#arrival = arrival;
    this.#onEnded = onEnded;
  }

  /** Whether it may run is found out; it ends there if it may not. */
  async preparing<T extends Prepared>(work: () => Promise<T>): Promise<T> {
    const prepared = await this.during(() => traced(this.tracer, 'admission', {}, work));
    if (prepared.kind === 'refused') this.over({ outcome: 'refused', reason: prepared.reason ?? 'rules' });
    return prepared;
  }

  /** Does a part of it; it ends there if that fails. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.span.within(work);
    } catch (error) {
      this.over(this.endOf(error));
      throw error;
    }
  }

  endOf(error: unknown): CommandEnd {
    return this.#dependencies.endOf(error);
  }

  /** It's on record: resolves when what goes on with it can find its trace. */
  async recorded(job: string): Promise<void> {
    this.span.note('recorded');
    const { traceparent } = this.span;
    if (traceparent === undefined) return;
    await this.#dependencies.traces.set(job, traceparent, traceLife).catch(() => undefined);
  }

  /** People see the first of it. */
  firstWords(): void {
    if (this.#hasWords) return;
    this.#hasWords = true;
    this.span.note('first words');
    const { telemetry, clock } = this.#dependencies;
    const { platform, command, since } = this.#arrival;
    const seconds = secondsBetween(since, clock.now());
    telemetry.meter.observe('troupe_first_words_seconds', { platform, command }, seconds);
  }

  /** It takes a turn or a slot, which it leaves when it's over. */
  holds(held: { leave(): void }): void {
    this.#held.add(held);
  }

  /**
   * How it ended is known; it may still have something to do. What comes later changes nothing. `repeated`: its event was
   * answered already, so it doesn't count.
   */
  ended(end: RunEnd | 'repeated'): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnded();
    if (end !== 'goes-on' && end !== 'repeated') count(this.#dependencies, this.#arrival, end);
    this.span.set({ 'troupe.outcome': typeof end === 'string' ? end : end.outcome });
    if (typeof end === 'object' && end.reason) this.span.set({ 'troupe.reason': end.reason });
    this.span.end(typeof end === 'object' && end.outcome === 'failed' ? (end.reason ?? 'failed') : undefined);
  }

  /** It's over: it ended, or was never begun. */
  over(end: RunEnd | 'repeated'): void {
    for (const one of this.#held) one.leave();
    this.ended(end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.over({ outcome: 'failed', reason: 'unexpected' });
  }
}

/** How a command ended that couldn't be acknowledged, or that its place doesn't take. */
export function whenAbandoned(why: 'refused' | undefined): CommandEnd {
  return why === 'refused'
    ? { outcome: 'refused', reason: 'place' }
    : { outcome: 'failed', reason: 'acknowledgement' };
}

/** What is told of a reply. */
export interface ReplyEvents {
  /** How a live answer ended. */
  ended(ending: Ending): void;
  /** A whole message was said. */
  said(at: MessageAddress, message: Message): void;
  /** People see words of it. */
  shown(): void;
  readonly tracer: Tracer;
}

/**
 * A job's reply, whose answers are on record until the job has ended. The messages of a private one are at addresses that only
 * its requester sees, whatever is posted there later.
 */
export function recordedReply(job: Job, reply: Reply, answers: LiveAnswers, events: ReplyEvents): Reply {
  const { tracer, shown } = events;
  const own = (at: MessageAddress) => (isPrivate(job) ? { ...at, onlyFor: job.requester.id } : at);
  const rewrite = isPrivate(job) ? undefined : reply.rewrite?.bind(reply);
  const note = (messages: readonly MessageAddress[]) => answers.note(job.id, messages).catch(() => {});
  /** One live answer: a single span has all its writes, however many. */
  const watched = <Options extends StreamOptions>(options: Options) => {
    const span = tracer.start('live answer');
    let writes = 0;
    const over = (attributes: Attributes, fault?: string) => {
      span.set({ ...attributes, 'troupe.writes': writes });
      span.end(fault);
    };
    const recorded: Options = {
      ...options,
      onProgress: async (written: LiveProgress) => {
        const progress = { ...written, messages: written.messages.map(own) };
        writes += 1;
        if (progress.lastText !== '') shown();
        await answers.save(job.id, progress, 'growing');
        await options.onProgress?.(progress);
      },
    };
    const finish = async (live: LiveAnswer, ending: Ending) => {
      events.ended(ending);
      try {
        const messages = await live.finish(ending);
        // What wasn't noted before: a file below them, or what was posted while the database was away.
        await note(messages.map(own));
        over({ 'troupe.messages': messages.length });
        return messages;
      } catch (error) {
        over({}, faultName(error));
        throw error;
      }
    };
    const told = (live: LiveAnswer): LiveAnswer => ({
      append: (delta) => live.append(delta),
      get text() {
        return live.text;
      },
      hint: (text) => live.hint(text),
      finish: (ending) => finish(live, ending),
    });
    return { recorded, told };
  };
  return {
    say: async (message, options) => {
      const said = own(await traced(tracer, 'post', {}, () => reply.say(message, options)));
      events.said(said, message);
      shown();
      // People have it: that it cannot be written down must not look as if they had not.
      await answers.save(job.id, { messages: [said], lastText: message.text ?? '' }, 'said').catch(() => {});
      return said;
    },
    replace: (said, message) => reply.replace(said, message),
    whisper: async (message) => {
      await traced(tracer, 'post', { 'troupe.privately': true }, () => reply.whisper(message));
      shown();
    },
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: (options) => {
      const { recorded, told } = watched(options);
      return told(reply.stream(recorded));
    },
    ...(rewrite && {
      rewrite: async (message, options) => {
        const { recorded, told } = watched(options);
        const live = told(await rewrite(message, recorded));
        // Before its first words: whoever deletes the message meanwhile wants none of them.
        if (!options.isBelow) await note([message]);
        return live;
      },
    }),
  };
}
