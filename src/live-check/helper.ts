import { inTime, systemClock, unlessAborted } from '../lib/clock.ts';
import { Ended, type Helper, skipped } from './run-steps.ts';

/** A person who helps, and where it arrives what they do. */
export interface Help<Event> {
  readonly helper: Helper;
  /** Calls `listener` for each event until the returned function is called. */
  listen(listener: (event: Event) => void): () => void;
}

/** Why nobody helps, unless there is another reason. */
export const nobodyHelps = 'takes a person: run it again with --with-me';

/**
 * @param help A sentence where nobody can help.
 * @throws {Ended} with that sentence.
 */
export function helpFrom<SomeHelp extends object>(help: SomeHelp | string): SomeHelp {
  if (typeof help === 'string') throw new Ended(skipped(help));
  return help;
}

/**
 * Asks a person for something; returns what `pick` takes from the events that come then.
 * @throws {Ended} if nobody helps, or nobody did it in time.
 */
export async function ask<Event, T>(
  help: Help<Event> | string,
  request: string,
  pick: (event: Event) => T | undefined,
): Promise<T> {
  const { helper, listen } = helpFrom(help);
  const done = await helper.wait<T>(request, (resolve) =>
    listen((event) => {
      const picked = pick(event);
      if (picked !== undefined) resolve(picked);
    }),
  );
  if (done === undefined) throw new Ended(skipped('nobody did it in time'));
  return done;
}

/** Milliseconds that connecting may take. */
const connectTimeout = 30_000;

/** Why a connection that brings what the person does can't be opened; undefined if it can. */
export function failureToConnect(opening: Promise<unknown>): Promise<string | undefined> {
  const failure = opening.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return inTime(systemClock, connectTimeout, failure, 'no answer');
}

/** Milliseconds to wait for a person. */
const patience = 90_000;

/** A helper whose requests are shown by `show`. */
export function createHelper(show: (request: string) => void, signal: AbortSignal): Helper {
  async function wait<T>(request: string, subscribe: (resolve: (event: T) => void) => () => void) {
    const { promise, resolve } = Promise.withResolvers<T>();
    const unsubscribe = subscribe(resolve);
    show(request);
    const done = inTime(systemClock, patience, promise, undefined);
    return unlessAborted(done, signal).finally(unsubscribe);
  }
  return { wait };
}
