import { createHash } from 'node:crypto';

/** The number under which PostgreSQL knows a lock: 64 bits, the same in every process. */
export function lockNumber(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE(0).toString();
}
