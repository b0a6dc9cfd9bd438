import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';

/** Between tries while another process has the database locked, in milliseconds. */
const waits: Waits = { first: 5, longest: 250 };
/** So many tries take half a minute. */
const mostTries = 125;
const SQLITE_BUSY = 5;

/** Whether another process has the database locked just now. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

/**
 * Does at once what can be done at once, and tries again what meets another process's lock, for half a minute.
 * SQLite itself never waits for one, which would hold the event loop.
 */
export async function retryWhileLocked<T>(clock: Clock, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    const failed = (again: unknown, tries: number) => {
      if (!isBusy(again) || tries >= mostTries) throw again;
    };
    return untilDone(async () => work(), { clock, waits, failed });
  }
}
