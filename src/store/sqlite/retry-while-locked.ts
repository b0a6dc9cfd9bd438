import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';

/** Delay between attempts while another process has the database locked, in milliseconds. */
const waits: Waits = { first: 5, longest: 250 };
/** This many attempts take half a minute. */
const mostTries = 125;
const SQLITE_BUSY = 5;

/** Whether another process currently has the database locked. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

/**
 * Runs synchronously if possible, and retries for half a minute if another process has the database locked. SQLite
 * itself never waits for a lock, because that would block the event loop.
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
