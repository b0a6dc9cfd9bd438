import { undefinedIfRefused } from './platform-error.ts';

/**
 * The result of a platform search; undefined if the platform refuses it.
 * @throws {PlatformError} `unreachable`; the signal's reason if it is aborted, because an unreachable platform may
 * never answer during shutdown.
 */
export function searchResult<T>(
  search: Promise<T | undefined> | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  return undefinedIfRefused(unlessAborted(search, signal));
}

async function unlessAborted<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  if (!work) return undefined;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
