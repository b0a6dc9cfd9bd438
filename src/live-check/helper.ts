/** Asks the person who runs the check to do something, and waits for it. */
export interface Helper {
  /** Says what to do, and resolves with what came of it; undefined where nobody did it in time. */
  wait<T>(request: string, arrival: (take: (what: T) => void) => () => void): Promise<T | undefined>;
}

/** Somebody is waited for so long by default, in milliseconds. */
export const defaultPatience = 90_000;

/** A helper whose requests are told through `tell`. */
export function createHelper(
  tell: (request: string) => void,
  signal: AbortSignal,
  patience = defaultPatience,
): Helper {
  return {
    wait: (request, arrival) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          forget();
        };
        const onAbort = () => {
          stop();
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          stop();
          resolve(undefined);
        }, patience);
        const forget = arrival((what) => {
          stop();
          resolve(what);
        });
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) return onAbort();
        tell(request);
      }),
  };
}
