import type { Clock } from './clock.ts';

/** What some work gives, or something else where it takes longer than so many milliseconds. */
export function inTime<T, U>(clock: Clock, limit: number, work: Promise<T>, otherwise: U): Promise<T | U> {
  let cancel = () => {};
  const late = new Promise<U>((resolve) => {
    cancel = clock.after(limit, () => resolve(otherwise));
  });
  return Promise.race([work, late]).finally(cancel);
}
