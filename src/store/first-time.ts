import type Keyv from 'keyv';

/** True on the first call for a key, and again once `life` milliseconds have passed. */
export type FirstTime = (key: string, life: number) => Promise<boolean>;

/** Remembers across restarts what was posted, so that it isn't repeated. */
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
