import { UnreadableReference } from '../unreadable-reference.ts';

/** A message from a worker about its job. */
export type Message<Result> =
  | { readonly kind: 'progress'; readonly progress: number }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** An error as plain data, which can be sent between threads. */
export type Failure =
  | { readonly kind: 'unreadable reference'; readonly index: number }
  | { readonly kind: 'other'; readonly error: unknown };

export function failureOf(error: unknown): Failure {
  if (error instanceof UnreadableReference) return { kind: 'unreadable reference', index: error.index };
  return { kind: 'other', error };
}

export function errorOf(failure: Failure): unknown {
  return failure.kind === 'unreadable reference' ? new UnreadableReference(failure.index) : failure.error;
}
