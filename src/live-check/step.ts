import type { Capability } from '../port/index.ts';

/** The result of a step. */
export type StepResult =
  /** The platform did it or refused it; remembered if the step is about a feature. */
  | { readonly kind: Capability; readonly text: string }
  /** Nothing was found out: it can't be tried here, nobody helped, or the response says nothing about it. */
  | { readonly kind: 'skipped' | 'unclear'; readonly text: string }
  /** The operator has to change something; the text says what. */
  | { readonly kind: 'needs'; readonly text: string };

/** One thing that the live check tries. */
export interface Step<Context> {
  readonly name: string;
  /** What the documentation or reports say. */
  readonly expects: string;
  /** What troupe does, in either case or depending on the result. */
  readonly does: string | Readonly<Record<Capability, string>>;
  /** The feature that the step is about; the result is remembered for the workspace or server. */
  readonly feature?: string;
  /** The result is remembered for the whole platform. */
  readonly everywhere?: true;
  /** Tries it. An error is explained by `PreparedCheck.explain`. */
  run(context: Context): Promise<StepResult>;
}

export const works = (text = 'works'): StepResult => ({ kind: 'works', text });
export const refused = (text: string): StepResult => ({ kind: 'refused', text });
export const skipped = (text: string): StepResult => ({ kind: 'skipped', text });
export const unclear = (text: string): StepResult => ({ kind: 'unclear', text });
export const needs = (text: string): StepResult => ({ kind: 'needs', text });

/** Nobody helps with what only a person can do. */
export const noHelper = skipped('takes a person: run it again with --with-me');
/** Somebody helps, but did nothing in time. */
export const notDoneInTime = skipped('nobody did it in time');

/** A row of the report. */
export interface Row {
  readonly name: string;
  readonly expects: string;
  readonly result: StepResult;
  readonly does: string;
}

/** A result that the running bot uses. */
export interface Finding {
  readonly feature: string;
  readonly capability: Capability;
  /** For the whole platform instead of one workspace or server. */
  readonly everywhere?: true;
}
