import type { Records } from './keyv.ts';

/** True on the first call for a key in any process, and again once `life` milliseconds have passed. */
export type FirstTime = (key: string, life: number) => Promise<boolean>;

/** Remembers across restarts what was posted, so that it isn't repeated. */
export function createFirstTime(records: Pick<Records, 'add'>): FirstTime {
  return (key, life) => records.add(key, true, life);
}
