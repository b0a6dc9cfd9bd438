import type Keyv from 'keyv';

/** True the first time it is asked for a key, and again when `life` milliseconds have gone by. */
export type FirstTime = (key: string, life: number) => Promise<boolean>;

/** Remembers across restarts what was said, so that it isn't said over and over. */
export function createFirstTime(records: Keyv): FirstTime {
  const underWay = new Set<string>();
  return async (key, life) => {
    if (underWay.has(key)) return false;
    underWay.add(key);
    try {
      if (await records.has(key)) return false;
      return await records.set(key, true, life);
    } finally {
      underWay.delete(key);
    }
  };
}
