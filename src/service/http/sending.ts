import type { Dispatcher } from 'undici';

/** Passes everything on, and notes the moment from which the request may reach the other side. */
class SendingHandler implements Dispatcher.DispatchHandler {
  readonly #next: Dispatcher.DispatchHandler;
  readonly #onSending: () => void;

  constructor(next: Dispatcher.DispatchHandler, onSending: () => void) {
    this.#next = next;
    this.#onSending = onSending;
  }

  onRequestStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#next.onRequestStart?.(...given);
    this.#onSending();
  }

  onResponseStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#next.onResponseStart?.(...given);
  }

  onResponseData(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.#next.onResponseData?.(...given);
  }

  onResponseEnd(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#next.onResponseEnd?.(...given);
  }

  onResponseError(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#next.onResponseError?.(...given);
  }
}

/**
 * A dispatcher that calls `onSending` right before the first byte of a request is written to an open connection.
 * Until then the request certainly was not processed: no code of an error tells that as surely.
 */
export function notingSending(dispatcher: Dispatcher, onSending: () => void): Dispatcher {
  return dispatcher.compose(
    (dispatch) => (options, handler) => dispatch(options, new SendingHandler(handler, onSending)),
  );
}
