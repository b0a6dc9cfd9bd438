import { createHash } from 'node:crypto';

/** Milliseconds for which Discord certainly recognises a nonce; its documentation says "the past few minutes". */
export const nonceLifetime = 2 * 60_000;

/** A hash of the parts in 25 characters, the longest nonce that Discord accepts. */
export function nonceOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 25);
}
