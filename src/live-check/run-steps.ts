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
  /** What the documentation or reports say. */
  readonly expected: string;
  /** The feature that it's about, as `Capabilities` has it: the running bot uses what was seen. */
  readonly feature?: string;
  /** What is seen of the feature counts for the whole platform instead of one server or workspace. */
  readonly everywhere?: true;
  /** What troupe does where the feature is refused. */
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
  /** What could not be deleted again. */
  readonly leftovers: readonly string[];
}

/** How the steps are run. */
export interface RunOptions {
  /** Stops after the current step; what was created is deleted anyway. */
  readonly signal: AbortSignal;
  /** Names of steps that aren't tried; none by default. */
  readonly without?: readonly string[];
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
  { signal, without = [], onRow }: RunOptions,
): Promise<CheckResult> {
  const rows: Row[] = [];
  for (const step of steps) {
    if (signal.aborted) break;
    if (without.includes(step.name)) continue;
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
