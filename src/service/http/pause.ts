import { type Clock, sleep } from '../../lib/clock.ts';
import { failure, type Standing } from './failure.ts';

/** Waits between two attempts and disposes the deadline; throws the call's error if it is stopped meanwhile. */
export async function pause(clock: Clock, milliseconds: number, standing: Standing): Promise<void> {
  try {
    await sleep(clock, milliseconds, standing.deadline.signal);
  } catch (stopped) {
    throw failure(stopped, standing);
  } finally {
    standing.deadline.dispose();
  }
}
