/** What one check has found. No secret is in it. */
export interface Finding {
  /** What was looked at. */
  readonly subject: string;
  readonly found: string;
  /** How to mend it; absent where nothing is wrong. */
  readonly mend?: string;
  /** It works as it is: worth a thought, and nothing that is wrong. */
  readonly caution?: true;
}

export function fine(subject: string, found: string): Finding {
  return { subject, found };
}

export function wrong(subject: string, found: string, mend: string): Finding {
  return { subject, found, mend };
}

export function caution(subject: string, found: string, mend: string): Finding {
  return { subject, found, mend, caution: true };
}

/** No check waits longer for an answer, in milliseconds. */
export const patience = 10_000;
