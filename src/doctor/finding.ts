/** The finding of one check. No secret is in it. */
export interface Finding {
  /** What was looked at. */
  readonly subject: string;
  /** A sentence. */
  readonly found: string;
  /** How to mend it, in the imperative; absent where nothing is wrong. */
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

/** What the system calls a fault of a connection, in brackets: it tells a name that isn't found from a certificate. */
export function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (cause !== undefined) return codeOf(cause);
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
}

/** No check waits longer for an answer, in milliseconds. */
export const patience = 10_000;

/** All findings for people to read, and how many of them have to be mended. */
export function report(findings: readonly Finding[]): { readonly text: string; readonly faults: number } {
  const lines = findings.map(({ subject, found, mend, caution }) => {
    const mark = mend === undefined ? '✓' : caution ? '!' : '✗';
    return `${mark} ${subject}: ${found}${mend === undefined ? '' : `\n  → ${capitalized(mend)}`}`;
  });
  const cautions = findings.filter(({ caution }) => caution).length;
  const faults = findings.filter(({ mend }) => mend !== undefined).length - cautions;
  return { text: [...lines, '', summary(faults, cautions)].join('\n'), faults };
}

function summary(faults: number, cautions: number): string {
  if (faults > 0) return `${faults === 1 ? '1 thing has' : `${faults} things have`} to be fixed (✗).`;
  if (cautions === 0) return 'Everything is fine.';
  return `Nothing has to be fixed, but ${cautions === 1 ? '1 thing deserves' : `${cautions} things deserve`} a look (!).`;
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
