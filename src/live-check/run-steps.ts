import type { Config } from '../config/config.ts';
import { type Clock, inTime, systemClock, unlessAborted } from '../lib/clock.ts';
import type { Capability } from '../port/index.ts';

/** What a step has seen. */
export interface Seen {
  /**
   * The platform did it (`works`) or `refused` it; it wasn't tried (`skipped`); the response says nothing about it
   * (`unclear`); the operator `needs` to change something, which the text says.
   */
  readonly kind: Capability | 'skipped' | 'unclear' | 'needs';
  readonly text: string;
}

export const works = (text = 'works'): Seen => ({ kind: 'works', text });
export const refused = (text: string): Seen => ({ kind: 'refused', text });
export const skipped = (text: string): Seen => ({ kind: 'skipped', text });
export const unclear = (text: string): Seen => ({ kind: 'unclear', text });
export const needs = (text: string): Seen => ({ kind: 'needs', text });

/** Ends a step, or the whole check before its first step. */
export class Ended extends Error {
  readonly seen: Seen;

  constructor(seen: Seen) {
    super(seen.text);
    this.seen = seen;
  }
}

/** One thing that the live check tries. */
export interface Step<Channel> {
  readonly name: string;
  /** The behavior by documentation or reports. */
  readonly expected: string;
  /** The feature that it's about, as `Capabilities` has it: the running bot uses what was seen. */
  readonly feature?: string;
  /** What is seen of the feature counts for the whole platform instead of one server or workspace. */
  readonly everywhere?: true;
  /** The behavior of troupe where the feature is refused. */
  readonly otherwise?: string;
  /**
   * Tries it; it works if nothing else is returned. What is thrown is an {@link Ended}, or explained by the channel.
   */
  run(channel: Channel): Promise<Seen | undefined>;
}

/** Where the steps of a platform are tried. */
export interface CheckedChannel {
  /** The workspace or server. */
  readonly workspace: string;
  readonly cleanUp: CleanUp;
}

/** A row of the report. */
export interface Row extends Omit<Step<never>, 'run'> {
  readonly seen: Seen;
}

export interface CheckResult {
  readonly workspace: string;
  readonly rows: readonly Row[];
  /** Everything that could not be deleted again. */
  readonly leftovers: readonly string[];
}

/** Asks the person who runs the check to do something, and waits until it's done. */
export interface Helper {
  /**
   * Shows a request. `subscribe` starts listening for what the person does and returns a function that stops it.
   * Undefined if nothing came in time.
   */
  wait<T>(request: string, subscribe: (resolve: (event: T) => void) => () => void): Promise<T | undefined>;
}

/** Where and how the steps are tried. */
export interface CheckOptions {
  /** The id of one of the operator's own channels. */
  readonly channel: string;
  readonly config: Config;
  /** Undefined if nobody helps with what only a person can do. */
  readonly helper: Helper | undefined;
  /** Slack's pace; the system clock by default. */
  readonly clock?: Clock;
  /** Stops after the current step; what was created is deleted anyway. */
  readonly signal: AbortSignal;
  /** Names of the steps that are tried; all by default. */
  readonly only?: readonly string[];
  /** Called after each step. */
  readonly onRow: (row: Row) => void;
}

/**
 * Runs the steps one by one, then cleans up, whatever they have seen. After `signal` no further step starts; the current
 * one ends first, so that it leaves nothing behind.
 * @param explain What a refusal or a missing response says about a step.
 */
export async function runSteps<Channel extends CheckedChannel, AnyStep extends Step<Channel>>(
  channel: Channel,
  steps: readonly AnyStep[],
  explain: (error: unknown, step: AnyStep) => Seen | Promise<Seen>,
  { signal, only, onRow }: Pick<CheckOptions, 'signal' | 'only' | 'onRow'>,
): Promise<CheckResult> {
  const rows: Row[] = [];
  for (const step of steps) {
    if (signal.aborted) break;
    if (only?.includes(step.name) === false) continue;
    const seen = await step.run(channel).catch((error: unknown) => {
      if (signal.aborted) return 'stopped';
      return error instanceof Ended ? error.seen : explain(error, step);
    });
    if (seen === 'stopped') break;
    const row = { ...step, seen: seen ?? works() };
    rows.push(row);
    onRow(row);
  }
  const { workspace, cleanUp } = channel;
  return { workspace, rows, leftovers: await cleanUp.run() };
}

interface Task {
  readonly name: string;
  readonly work: () => Promise<unknown>;
}

/** Deletes what the check has created, in reverse order, however the check ends. */
export class CleanUp {
  readonly #tasks: Task[] = [];

  /** Adds a task for the end; `name` says in the report what is left if it fails. */
  add(name: string, work: () => Promise<unknown>): void {
    this.#tasks.push({ name, work });
  }

  /** Runs all tasks; returns the names of those that failed. */
  async run(): Promise<string[]> {
    const left: string[] = [];
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) {
      const { name, work } = task;
      await work().catch(() => left.push(name));
    }
    return left;
  }
}

/** A person who helps, and where it arrives what they do. */
export interface Help<Event> {
  readonly helper: Helper;
  /** Calls `listener` for each event until the returned function is called. */
  listen(listener: (event: Event) => void): () => void;
}

/** Why nobody helps, unless there is another reason. */
export const nobodyHelps = 'takes a person: run it again with --with-me';

/**
 * @param help A sentence where nobody can help.
 * @throws {Ended} with that sentence.
 */
export function helpFrom<SomeHelp extends object>(help: SomeHelp | string): SomeHelp {
  if (typeof help === 'string') throw new Ended(skipped(help));
  return help;
}

/**
 * Asks a person for something; returns what `pick` takes from the events that come then.
 * @throws {Ended} if nobody helps, or nobody did it in time.
 */
export async function ask<Event, T>(
  help: Help<Event> | string,
  request: string,
  pick: (event: Event) => T | undefined,
): Promise<T> {
  const { helper, listen } = helpFrom(help);
  const done = await helper.wait<T>(request, (resolve) =>
    listen((event) => {
      const picked = pick(event);
      if (picked !== undefined) resolve(picked);
    }),
  );
  if (done === undefined) throw new Ended(skipped('nobody did it in time'));
  return done;
}

/** Milliseconds that connecting may take. */
const connectTimeout = 30_000;

/** Why a connection that brings what the person does can't be opened; undefined if it can. */
export function failureToConnect(opening: Promise<unknown>): Promise<string | undefined> {
  const failure = opening.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return inTime(systemClock, connectTimeout, failure, 'no answer');
}

/** Milliseconds to wait for a person. */
const patience = 90_000;

/** A helper whose requests are shown by `show`. */
export function createHelper(show: (request: string) => void, signal: AbortSignal): Helper {
  async function wait<T>(request: string, subscribe: (resolve: (event: T) => void) => () => void) {
    const { promise, resolve } = Promise.withResolvers<T>();
    const unsubscribe = subscribe(resolve);
    show(request);
    const done = inTime(systemClock, patience, promise, undefined);
    return unlessAborted(done, signal).finally(unsubscribe);
  }
  return { wait };
}
