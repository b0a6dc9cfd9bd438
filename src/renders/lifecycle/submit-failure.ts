import {
  AuthenticationError,
  BadResponseError,
  CreditError,
  InvalidRequestError,
  RateLimitError,
  ServiceError,
} from '../../service/index.ts';
import type { RenderFault } from '../render.ts';
import type { RenderChange } from '../render-store.ts';

/** What a render becomes when its request failed: `failed`, or `uncertain` where the service may have begun all the same. */
export function afterFailedSubmit(error: unknown): RenderChange {
  if (error instanceof ServiceError && error.outcome !== 'unknown')
    return { state: 'failed', fault: faultOf(error) };
  return { state: 'uncertain', ...(isAnswered(error) && { fault: { code: 'server' } }) };
}

/** Whether the service, or something in front of it, answered: the request wasn't cut off then. */
function isAnswered(error: unknown): boolean {
  return error instanceof ServiceError && (error.status !== undefined || error instanceof BadResponseError);
}

/** Why a request that was certainly not processed failed. */
function faultOf(error: ServiceError): RenderFault {
  if (error instanceof AuthenticationError) return { code: 'not-sent', error: 'authentication' };
  if (error instanceof CreditError) return { code: 'not-sent', error: 'credit' };
  if (error instanceof RateLimitError) return { code: 'not-sent', error: 'rate-limit' };
  if (error instanceof InvalidRequestError) return { code: 'refused', reason: error.message };
  if (error.outcome === 'rejected') return { code: 'refused', reason: error.serviceMessage ?? error.message };
  return { code: 'not-sent', error: 'unreachable' };
}
