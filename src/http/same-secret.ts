import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, by digest, so their length doesn't show either. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
