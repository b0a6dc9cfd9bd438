import type { Clock } from './clock.ts';

/**
 * What some work gives. Once `signal` is aborted it isn't waited for any longer, and how it ends counts for nothing.
 * @throws the signal's reason.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** Does work when it is first asked for; who asks again gets the same outcome. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** What some work gives, or something else where it takes longer than so many milliseconds. */
export function inTime<T, U>(clock: Clock, limit: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  let cancel = () => {};
  const late = new Promise<U>((resolve) => {
    cancel = clock.after(limit, () => resolve(otherwise));
  });
  return Promise.race([work, late]).finally(cancel);
}
