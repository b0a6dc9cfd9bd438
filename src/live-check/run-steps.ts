import type { CleanUp } from './clean-up.ts';
import type { Finding, Row, Step, StepResult } from './step.ts';

/** What a platform's check consists of. */
export interface PreparedCheck<Context> {
  readonly context: Context;
  readonly steps: readonly Step<Context>[];
  /** The workspace or server that is tried in. */
  readonly workspace: string;
  readonly cleanUp: CleanUp;
  /** What a refusal or a lost answer means. */
  explain(error: unknown): StepResult;
}

export interface Result {
  /** The workspace or server that was tried in. */
  readonly workspace: string;
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  /** What could not be taken away again. */
  readonly left: readonly string[];
}

/**
 * Tries every step in turn, then cleans up, whatever came of them. After `signal` no step is begun; the one under
 * way ends first, so that nothing of it is left behind.
 */
export async function runSteps<Context>(
  trial: PreparedCheck<Context>,
  signal: AbortSignal,
  tell: (row: Row) => void,
): Promise<Result> {
  const rows: Row[] = [];
  const findings: Finding[] = [];
  for (const step of trial.steps) {
    if (signal.aborted) break;
    const seen = await attempt(step, trial, signal);
    if (seen === undefined) break;
    const row = { name: step.name, expects: step.expects, seen, does: doneAbout(step, seen) };
    rows.push(row);
    tell(row);
    const { feature, everywhere } = step;
    if (feature !== undefined && (seen.kind === 'works' || seen.kind === 'refused'))
      findings.push({ feature, seen: seen.kind, ...(everywhere && { everywhere }) });
  }
  return { workspace: trial.workspace, rows, findings, left: await trial.cleanUp.run() };
}

/** Undefined where the step was broken off. */
async function attempt<Context>(
  step: Step<Context>,
  trial: PreparedCheck<Context>,
  signal: AbortSignal,
): Promise<StepResult | undefined> {
  try {
    return await step.run(trial.context);
  } catch (error) {
    return signal.aborted ? undefined : trial.explain(error);
  }
}

function doneAbout<Context>({ does }: Step<Context>, { kind }: StepResult): string {
  if (typeof does === 'string') return does;
  if (kind === 'works' || kind === 'refused') return does[kind];
  return `tries it: ${does.works}; else ${does.refused}`;
}
