import type { CleanUp } from './clean-up.ts';
import type { Finding, Row, Step, StepResult } from './step.ts';

/** A platform's check, ready to run. */
export interface PreparedCheck<Context> {
  readonly context: Context;
  readonly steps: readonly Step<Context>[];
  /** The workspace or server in which the steps are tried. */
  readonly workspace: string;
  readonly cleanUp: CleanUp;
  /** What a refusal or a missing response says about a step. */
  explain(error: unknown): StepResult;
}

export interface CheckResult {
  /** The workspace or server in which the steps were tried. */
  readonly workspace: string;
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
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
 * Runs the steps one by one, then cleans up, whatever the results. After `signal` no further step starts; the current
 * one ends first, so that it leaves nothing behind.
 */
export async function runSteps<Context>(
  check: PreparedCheck<Context>,
  { signal, without = [], onRow }: RunOptions,
): Promise<CheckResult> {
  const rows: Row[] = [];
  const findings: Finding[] = [];
  for (const step of check.steps) {
    if (signal.aborted) break;
    if (without.includes(step.name)) continue;
    const result = await runStep(step, check, signal);
    if (result === undefined) break;
    const row = { name: step.name, expects: step.expects, result, does: behaviour(step, result) };
    rows.push(row);
    onRow(row);
    const { feature, everywhere } = step;
    if (feature !== undefined && (result.kind === 'works' || result.kind === 'refused'))
      findings.push({ feature, capability: result.kind, ...(everywhere && { everywhere }) });
  }
  return { workspace: check.workspace, rows, findings, leftovers: await check.cleanUp.run() };
}

/** Undefined if the step was aborted. */
async function runStep<Context>(
  step: Step<Context>,
  check: PreparedCheck<Context>,
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  try {
    return await step.run(check.context);
  } catch (error) {
    return signal.aborted ? undefined : check.explain(error);
  }
}

function behaviour<Context>({ does }: Step<Context>, { kind }: StepResult): string {
  if (typeof does === 'string') return does;
  if (kind === 'works' || kind === 'refused') return does[kind];
  return `tries it: ${does.works}; otherwise ${does.refused}`;
}
