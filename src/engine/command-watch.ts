import type Keyv from 'keyv';
import type { Clock } from '../lib/clock.ts';
import {
  type Attributes,
  type EndReason,
  faultName,
  type Meter,
  noTelemetry,
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

/** Where the trace of a command that goes on later is kept, in this process or another. */
export interface TraceRecords {
  keep(job: string, traceparent: string): Promise<void>;
  find(job: string): Promise<string | undefined>;
}

export interface CommandWatchDependencies {
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'now'>;
  /** How a command ended that threw this. */
  readonly endOf: (error: unknown) => CommandEnd;
  /** Told that a command has ended, or will in a moment. */
  readonly ended?: () => void;
  /** Used only while tracing is on. */
  readonly traces: TraceRecords;
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
    const { platform, command, since } = arrival;
    const span = this.#dependencies.telemetry.tracer.start(
      'command',
      { 'troupe.platform': platform, 'troupe.command': command },
      { isRoot: true, since },
    );
    const { tracer } = this.#dependencies.telemetry;
    this.#running += 1;
    let isOver = false;
    const over = () => {
      if (isOver) return false;
      isOver = true;
      this.#running -= 1;
      return true;
    };
    return new CommandInFlight(span, tracer, {
      recorded: (job) => this.#keepTrace(job, span),
      firstWords: () => this.#observeWords(arrival),
      endOf: this.#dependencies.endOf,
      ended: (end) => {
        if (!over()) return;
        if (end !== 'goes-on' && end !== 'repeated') this.#count(arrival, end);
        span.set({ 'troupe.outcome': typeof end === 'string' ? end : end.outcome });
        if (typeof end === 'object' && end.reason) span.set({ 'troupe.reason': end.reason });
        span.end(typeof end === 'object' && end.outcome === 'failed' ? (end.reason ?? 'failed') : undefined);
      },
    });
  }

  /** Tells the end of a command that went on by a record of its own, or was left by another process. */
  ended(job: Job, end: CommandEnd): void {
    const { address, command, createdAt } = job;
    this.#dependencies.onEnd?.(job, end);
    this.#count({ platform: address.platform, command, since: createdAt }, end);
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
    const link = await traces.find(job).catch(() => undefined);
    return traced(tracer, name, attributes, work, { isRoot: true, link });
  }

  /** What is done again and again for hours is in no trace. */
  untraced<T>(work: () => T): T {
    return this.#dependencies.telemetry.tracer.untraced(work);
  }

  #count({ platform, command, since }: Arrival, { outcome, reason = '' }: CommandEnd): void {
    const { telemetry, clock, ended } = this.#dependencies;
    ended?.();
    const labels = { platform, command, outcome };
    telemetry.meter.count('troupe_commands_total', { ...labels, reason });
    telemetry.meter.observe('troupe_command_duration_seconds', labels, secondsBetween(since, clock.now()));
  }

  #observeWords({ platform, command, since }: Arrival): void {
    const { telemetry, clock } = this.#dependencies;
    const seconds = secondsBetween(since, clock.now());
    telemetry.meter.observe('troupe_first_words_seconds', { platform, command }, seconds);
  }

  async #keepTrace(job: string, { traceparent }: Span): Promise<void> {
    if (traceparent === undefined) return;
    await this.#dependencies.traces.keep(job, traceparent).catch(() => undefined);
  }
}

/** Tells what happens to one command. Each is told at most once; what comes later changes nothing. */
interface CommandEvents {
  recorded(job: string): Promise<void>;
  firstWords(): void;
  endOf(error: unknown): CommandEnd;
  /** `repeated`: its event was answered already, so it doesn't count. */
  ended(end: RunEnd | 'repeated'): void;
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
  readonly #events: CommandEvents;
  readonly #held = new Set<{ leave(): void }>();
  #hasWords = false;

  constructor(span: Span, tracer: Tracer, events: CommandEvents) {
    this.span = span;
    this.tracer = tracer;
    this.#events = events;
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
    return this.#events.endOf(error);
  }

  /** It's on record: resolves when what goes on with it can find its trace. */
  recorded(job: string): Promise<void> {
    this.span.note('recorded');
    return this.#events.recorded(job);
  }

  /** People see the first of it. */
  firstWords(): void {
    if (this.#hasWords) return;
    this.#hasWords = true;
    this.span.note('first words');
    this.#events.firstWords();
  }

  /** It takes a turn or a slot, which it leaves when it's over. */
  holds(held: { leave(): void }): void {
    this.#held.add(held);
  }

  /** How it ended is known; it may still have something to do. */
  ended(end: RunEnd | 'repeated'): void {
    this.#events.ended(end);
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

/** A watch that tells nobody. */
export function unwatched(): CommandWatch {
  return new CommandWatch({
    telemetry: noTelemetry,
    clock: { now: () => 0 },
    endOf: () => ({ outcome: 'failed', reason: 'unexpected' }),
    traces: { keep: async () => {}, find: async () => undefined },
  });
}

/** Traces of commands, by their jobs. */
export function traceRecords(keyv: Pick<Keyv, 'get' | 'set'>): TraceRecords {
  return {
    keep: async (job, traceparent) => void (await keyv.set(job, traceparent, traceLife)),
    find: async (job) => {
      const found: unknown = await keyv.get(job);
      return typeof found === 'string' ? found : undefined;
    },
  };
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

/** A reply whose answers are on record until the job has ended. */
export function recordedReply(reply: Reply, jobId: string, answers: LiveAnswers, events: ReplyEvents): Reply {
  const { tracer, shown } = events;
  const rewrite = reply.rewrite?.bind(reply);
  const note = (messages: readonly MessageAddress[]) => answers.note(jobId, messages).catch(() => {});
  return {
    say: async (message, options) => {
      const said = await traced(tracer, 'post', {}, () => reply.say(message, options));
      events.said(said, message);
      shown();
      // People have it: that it cannot be written down must not look as if they had not.
      await answers.save(jobId, { messages: [said], lastText: message.text ?? '' }, 'said').catch(() => {});
      return said;
    },
    replace: (said, message) => reply.replace(said, message),
    whisper: async (message) => {
      await traced(tracer, 'post', { 'troupe.privately': true }, () => reply.whisper(message));
      shown();
    },
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: (options) => {
      const watched = new WatchedAnswer(events, note);
      return watched.told(reply.stream(watched.recorded(options, jobId, answers)));
    },
    ...(rewrite && {
      rewrite: async (message, options) => {
        const watched = new WatchedAnswer(events, note);
        const live = watched.told(await rewrite(message, watched.recorded(options, jobId, answers)));
        // Before its first words: whoever deletes the message meanwhile wants none of them.
        if (!options.isBelow) await note([message]);
        return live;
      },
    }),
  };
}

/** One live answer: a single span has all its writes, however many. */
class WatchedAnswer {
  readonly #events: ReplyEvents;
  readonly #note: (messages: readonly MessageAddress[]) => Promise<void>;
  readonly #span: Span;
  #writes = 0;

  constructor(events: ReplyEvents, note: (messages: readonly MessageAddress[]) => Promise<void>) {
    this.#events = events;
    this.#note = note;
    this.#span = events.tracer.start('live answer');
  }

  recorded<Options extends StreamOptions>(options: Options, jobId: string, answers: LiveAnswers): Options {
    return {
      ...options,
      onProgress: async (progress: LiveProgress) => {
        this.#writes += 1;
        if (progress.lastText !== '') this.#events.shown();
        await answers.save(jobId, progress, 'growing');
        await options.onProgress?.(progress);
      },
    };
  }

  told(live: LiveAnswer): LiveAnswer {
    return {
      append: (delta) => live.append(delta),
      get text() {
        return live.text;
      },
      hint: (text) => live.hint(text),
      finish: (ending) => this.#finish(live, ending),
    };
  }

  async #finish(live: LiveAnswer, ending: Ending): Promise<readonly MessageAddress[]> {
    this.#events.ended(ending);
    try {
      const messages = await live.finish(ending);
      // What wasn't noted before: a file below them, or what was posted while the database was away.
      await this.#note(messages);
      this.#over({ 'troupe.messages': messages.length });
      return messages;
    } catch (error) {
      this.#over({}, faultName(error));
      throw error;
    }
  }

  #over(attributes: Attributes, fault?: string): void {
    this.#span.set({ ...attributes, 'troupe.writes': this.#writes });
    this.#span.end(fault);
  }
}

/** A job's reply. The messages of a private one are at addresses that only its requester sees, whatever is posted there later. */
export function replyFor(job: Job, reply: Reply): Reply {
  if (!isPrivate(job)) return reply;
  const hidden = (at: MessageAddress): MessageAddress => ({ ...at, onlyFor: job.requester.id });
  return {
    say: async (message, options) => hidden(await reply.say(message, options)),
    replace: (said, message) => reply.replace(said, message),
    whisper: (message) => reply.whisper(message),
    clipFormat: async () => (await reply.clipFormat?.()) ?? 'mp3',
    stream: ({ onProgress, ...options }) =>
      reply.stream({
        ...options,
        ...(onProgress && {
          onProgress: ({ messages, ...more }) => onProgress({ messages: messages.map(hidden), ...more }),
        }),
      }),
  };
}
