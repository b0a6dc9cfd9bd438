import {
  AuthenticationError,
  CreditError,
  InvalidRequestError,
  RateLimitError,
  type ServiceError,
} from '../service/index.ts';
import type { RenderFault } from './render.ts';

/** Why a request that was certainly not processed failed. */
export function faultOf(error: ServiceError): RenderFault {
  if (error instanceof AuthenticationError) return { code: 'not-sent', error: 'authentication' };
  if (error instanceof CreditError) return { code: 'not-sent', error: 'credit' };
  if (error instanceof RateLimitError) return { code: 'not-sent', error: 'rate-limit' };
  if (error instanceof InvalidRequestError) return { code: 'refused', reason: error.message };
  if (error.outcome === 'rejected') return { code: 'refused', reason: error.serviceMessage ?? error.message };
  return { code: 'not-sent', error: 'unreachable' };
}
