import { CancelledError, ClientClosedError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { type ErrorFacts, type Operation, ServiceError } from '../errors/service-error.ts';
import { safeWord } from '../scrub.ts';
import type { Deadline } from './deadline.ts';

/** Where an exchange stood when it failed. */
export interface Standing {
  operation: Operation;
  deadline: Deadline;
  /** Whether any of the request may have reached the service. */
  sent: boolean;
  requestId?: string | undefined;
}

/**
 * The error for whatever ended an exchange: a limit of time, the caller, the client's end, or the connection.
 * The original is not kept: undici's may hold bytes of the answer.
 */
export function failure(error: unknown, standing: Standing): ServiceError {
  if (error instanceof ServiceError) return error;
  const { operation, requestId, deadline, sent } = standing;
  const facts: ErrorFacts = {
    operation,
    requestId,
    outcome: sent ? 'unknown' : 'not-processed',
    retryable: true,
  };
  const interruption = deadline.interruption;
  switch (interruption?.kind) {
    case 'time':
      return new TimeoutError(interruption.limit, interruption.milliseconds, facts);
    case 'cancelled':
      return new CancelledError('cancelled by the caller', { ...facts, retryable: false });
    case 'closed':
      return new ClientClosedError('the client was closed', { ...facts, retryable: false });
    default:
      return connectionError(error, facts);
  }
}

function connectionError(error: unknown, facts: ErrorFacts): ConnectionError {
  const code = systemCode(error);
  const trusted = code === undefined || !/CERT|SIGNATURE|ALTNAME|EPRIVATE/.test(code);
  const sentence = facts.outcome === 'unknown' ? 'the connection was lost' : 'no connection';
  return new ConnectionError(code ? `${sentence} (${code})` : sentence, {
    ...facts,
    code,
    // A certificate does not become valid by asking again.
    retryable: trusted,
  });
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return safeWord('code' in error && error.code ? error.code : inner?.code);
}
