import { systemClock } from '../lib/clock.ts';
import { nowOrLater } from '../lib/local-faults.ts';
import { PostgresError } from './postgres/errors.ts';

/**
 * Makes a write that does nothing where it was made before: once more where PostgreSQL's answer to it was lost. Where
 * that fails, too, the caller is told, and what may have been written is undone as soon as the database is back.
 */
export async function writeOrUndo<T>(write: () => Promise<T>, undo: () => Promise<unknown>): Promise<T> {
  try {
    return await onceMore(write);
  } catch (error) {
    const work = async () => void (await undo());
    if (isLost(error)) nowOrLater(work, { clock: systemClock }).catch(() => {});
    throw error;
  }
}

async function onceMore<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isLost(error)) throw error;
    return write();
  }
}

function isLost(error: unknown): boolean {
  return error instanceof PostgresError && error.endsConnection;
}
