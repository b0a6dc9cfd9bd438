import { unlessAborted } from '../../lib/unless-aborted.ts';
import { undefinedIfRefused } from './platform-error.ts';

/**
 * The result of a platform search; undefined if the platform refuses it.
 * @throws {PlatformError} `unreachable`; the signal's reason if it is aborted, because an unreachable platform may
 * never answer during shutdown.
 */
export async function searchResult<T>(
  search: Promise<T | undefined> | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  return search && undefinedIfRefused(unlessAborted(search, signal));
}
