import { createHash } from 'node:crypto';

/** 25 characters that are the same for the same parts: Discord's longest nonce. */
export function nonceOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 25);
}
