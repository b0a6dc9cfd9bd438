import {
  AddressRefusedError,
  AuthenticationError,
  BadResponseError,
  CreditError,
  ResultGoneError,
  ServiceError,
} from '../service/index.ts';

/**
 * Whether the service, or the host of the result, refused a request. A rejected key doesn't count: operators are
 * notified, and the render continues once they have fixed it. Nor does an HTML page in place of a status, which means
 * that the service is down.
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
