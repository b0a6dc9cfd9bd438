/** Asks the person who runs the check to do something, and waits until it's done. */
export interface Helper {
  /**
   * Shows a request. `subscribe` starts listening for what the person does and returns a function that stops it.
   * Undefined if nothing came in time.
   */
  wait<T>(request: string, subscribe: (resolve: (event: T) => void) => () => void): Promise<T | undefined>;
}

/** Milliseconds to wait for a person by default. */
const defaultPatience = 90_000;

/** A helper whose requests are shown by `show`. */
export function createHelper(
  show: (request: string) => void,
  signal: AbortSignal,
  patience = defaultPatience,
): Helper {
  return {
    wait: (request, subscribe) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          unsubscribe();
        };
        const onAbort = () => {
          stop();
          reject(signal.reason);
        };
        const timer = setTimeout(() => {
          stop();
          resolve(undefined);
        }, patience);
        const unsubscribe = subscribe((event) => {
          stop();
          resolve(event);
        });
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) return onAbort();
        show(request);
      }),
  };
}
