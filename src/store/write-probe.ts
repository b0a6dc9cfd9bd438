import type { Clock } from '../lib/clock.ts';
import type { Database } from './database.ts';

/** How long a result is reused, in milliseconds, so that frequent checks don't wear out the disk. */
const holds = 10_000;
/** A write that takes longer is blocked by another process, in milliseconds. */
const patience = 2_000;
/** Larger than what the rest of a page can hold on a full disk. */
const value = JSON.stringify('x'.repeat(65_536));

/** Tests whether the database accepts writes by making one; returns why not, or undefined. */
export function writeProbe(database: Database, clock: Clock): () => Promise<string | undefined> {
  let answer: { readonly at: number; readonly reason: Promise<string | undefined> } | undefined;
  return () => {
    const now = clock.steady();
    if (!answer || now - answer.at >= holds) answer = { at: now, reason: probe(database, clock) };
    return answer.reason;
  };
}

async function probe(database: Database, clock: Clock): Promise<string | undefined> {
  const row = { value, expires: null };
  const written = database
    .insertInto('keyv')
    .values({ key: 'write probe', ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
    .then(
      () => undefined,
      (error: unknown) => `it can’t be written to: ${error instanceof Error ? error.message : 'fault'}`,
    );
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const cancel = clock.after(patience, () =>
    resolve('it can’t be written to: another process has it locked'),
  );
  try {
    return await Promise.race([written, late]);
  } finally {
    cancel();
  }
}
