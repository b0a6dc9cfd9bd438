import { PlatformError } from './platform-adapter.ts';

/**
 * What a search of a platform finds; nothing where it's refused, for what cannot be looked for is not there.
 * @throws {PlatformError} `unreachable`; the signal's reason when that is aborted, since a platform that is away may
 * never answer while the bot is being stopped.
 */
export async function searchResult<T>(
  search: Promise<T | undefined> | undefined,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await unlessAborted(search, signal);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind === 'unreachable') throw error;
    return undefined;
  }
}

async function unlessAborted<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  if (!work) return undefined;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
