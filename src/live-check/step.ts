import type { Capability } from '../port/index.ts';

/** What one step came to. */
export type StepResult =
  /** The platform did it, or refused it; remembered where the step is about a feature. */
  | { readonly kind: Capability; readonly text: string }
  /** Nothing was learnt: it could not be tried here, or nobody came, or the answer tells nothing. */
  | { readonly kind: 'skipped' | 'unclear'; readonly text: string }
  /** Somebody has to change something: what, in a sentence. */
  | { readonly kind: 'needs'; readonly text: string };

/** One thing that is tried. */
export interface Step<Context> {
  readonly name: string;
  /** What the documentation, or reports, lead to expect. */
  readonly expects: string;
  /** What troupe does, by what was seen. */
  readonly does: string | Readonly<Record<Capability, string>>;
  /** What the bot goes by, and this step is about; remembered for the workspace or server. */
  readonly feature?: string;
  /** Whether what is seen holds for the whole platform. */
  readonly everywhere?: true;
  /** Tries it. What the platform refuses is thrown, and told by `Trial.explain`. */
  run(context: Context): Promise<StepResult>;
}

export const works = (text = 'works'): StepResult => ({ kind: 'works', text });
export const refused = (text: string): StepResult => ({ kind: 'refused', text });
export const skipped = (text: string): StepResult => ({ kind: 'skipped', text });
export const unclear = (text: string): StepResult => ({ kind: 'unclear', text });
export const needs = (text: string): StepResult => ({ kind: 'needs', text });

/** A row of what is told at the end. */
export interface Row {
  readonly name: string;
  readonly expects: string;
  readonly seen: StepResult;
  readonly does: string;
}

/** What was learnt, for the running bot. */
export interface Finding {
  readonly feature: string;
  readonly seen: Capability;
  /** It holds for the whole platform, else for the workspace or server that was tried in. */
  readonly everywhere?: true;
}
