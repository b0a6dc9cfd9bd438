import {
  AddressRefusedError,
  AuthenticationError,
  BadResponseError,
  CreditError,
  ResultGoneError,
  ServiceError,
} from '../service/index.ts';

/**
 * Whether the service (or whoever has the result) answered, and not with what was asked for. A trouble of the key is
 * none: operators are told, and what it keeps back comes when they have mended it. Nor is a page where a status should
 * be: that is how a service is away.
 */
export function isRefusal(error: ServiceError): boolean {
  if (isOfKey(error)) return false;
  return (
    error.outcome === 'rejected' || (error instanceof BadResponseError && error.operation === 'download')
  );
}

/** Whether the key or its account is in trouble. */
export function isOfKey(error: ServiceError): boolean {
  return error instanceof AuthenticationError || error instanceof CreditError;
}

/** Whether an address will not give its result, so that another one may. */
export function isShut(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  return error instanceof ResultGoneError || error instanceof AddressRefusedError || isRefusal(error);
}
