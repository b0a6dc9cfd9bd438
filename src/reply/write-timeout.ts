import type { Clock } from '../lib/clock.ts';
import { WriteTimeoutError } from './sink.ts';

/** Runs `task`; after `limit` milliseconds aborts its signal and fails with a `WriteTimeoutError`. */
export async function withWriteTimeout<Result>(
  clock: Clock,
  limit: number,
  task: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limit, () => {
    const error = new WriteTimeoutError(limit);
    abort.abort(error);
    late.reject(error);
  });
  try {
    return await Promise.race([task(abort.signal), late.promise]);
  } finally {
    cancel();
  }
}
