import { CancelledError, ClientClosedError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { type ErrorFacts, type Operation, ServiceError } from '../errors/service-error.ts';
import { safeWord } from '../scrub.ts';
import type { Deadline } from './deadline.ts';

/** The state of an exchange when it failed. */
export interface Standing {
  operation: Operation;
  deadline: Deadline;
  /** Whether any part of the request may have reached the service. */
  sent: boolean;
  requestId?: string | undefined;
}

/**
 * Maps an error during an exchange: a timeout, the caller's abort, the client's closing, or the connection. Doesn't
 * keep the original error: undici's may contain bytes of the response.
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
    // Retrying doesn't make a certificate valid.
    retryable: trusted,
  });
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return safeWord('code' in error && error.code ? error.code : inner?.code);
}
