import type { Dispatcher } from 'undici';

/** Passes every event on, and records when the request may first reach the server. */
class SendingHandler implements Dispatcher.DispatchHandler {
  readonly #next: Dispatcher.DispatchHandler;
  readonly #onSending: () => void;

  constructor(next: Dispatcher.DispatchHandler, onSending: () => void) {
    this.#next = next;
    this.#onSending = onSending;
  }

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#next.onRequestStart?.(...args);
    this.#onSending();
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#next.onResponseStart?.(...args);
  }

  onResponseData(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.#next.onResponseData?.(...args);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#next.onResponseEnd?.(...args);
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#next.onResponseError?.(...args);
  }
}

/**
 * A dispatcher that calls `onSending` right before the first byte of a request is written to an open connection.
 * Until then the request was certainly not processed; no error code shows that as reliably.
 */
export function notingSending(dispatcher: Dispatcher, onSending: () => void): Dispatcher {
  return dispatcher.compose(
    (dispatch) => (options, handler) => dispatch(options, new SendingHandler(handler, onSending)),
  );
}
