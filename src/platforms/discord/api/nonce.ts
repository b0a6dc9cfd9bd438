import { createHash } from 'node:crypto';

/** For how long Discord surely knows a nonce, in milliseconds: it says "the past few minutes". */
export const nonceMemory = 2 * 60_000;

/** 25 characters that are the same for the same parts: Discord's longest nonce. */
export function nonceOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 25);
}
