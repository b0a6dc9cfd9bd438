import type { Answer, CheckedService } from './service.ts';

/**
 * `pass`: as the description says. `differs`: where the description shows nothing, other than usual; or something the
 * description forbids is taken. `fail`: other than the description says.
 */
export interface Outcome {
  readonly result: 'pass' | 'differs' | 'fail';
  readonly why?: string;
}

/** What a check costs: nothing, credits, or a minute in which the key's status queries are used up. */
export type CheckKind = 'free' | 'paid' | 'limits';

/** One rule of the service's description. */
export interface Check {
  /** Section of the description. */
  readonly section: number;
  readonly says: string;
  readonly kind: CheckKind;
  readonly run: (service: CheckedService) => Promise<Outcome>;
}

export const pass: Outcome = { result: 'pass' };

export function differs(why: string): Outcome {
  return { result: 'differs', why };
}

export function fail(why: string): Outcome {
  return { result: 'fail', why };
}

/** A request the description forbids: refused with the usual status, refused otherwise, or taken. */
export function refusal(answer: Answer, usual: number): Outcome {
  if (answer.status === usual) return pass;
  if (answer.status >= 500) return fail(`HTTP ${answer.status} instead of a refusal`);
  if (answer.status >= 400) return differs(`refused with HTTP ${answer.status}, usually ${usual}`);
  return differs(`taken with HTTP ${answer.status}, although the description forbids it`);
}

/** A request that is right. */
export function accepted(answer: Answer): Outcome {
  if (answer.status >= 200 && answer.status < 300) return pass;
  return fail(`HTTP ${answer.status}: ${answer.text.slice(0, 200)}`);
}

/** The first outcome that is not a pass. */
export function worst(...outcomes: readonly Outcome[]): Outcome {
  return (
    outcomes.find(({ result }) => result === 'fail') ??
    outcomes.find(({ result }) => result === 'differs') ??
    pass
  );
}
