import type { Config } from '../config.ts';
import { DatabaseError, inspectDatabase } from '../store/index.ts';
import { type Finding, fine, wrong } from './finding.ts';

/** Looks at the database without changing it. */
export async function checkDatabase({ DATABASE_URL: url }: Config): Promise<Finding[]> {
  try {
    const { exists, pending } = inspectDatabase(url);
    if (!exists) return [fine('database', `${url} is made at the first start`)];
    const later = pending > 0 ? `; ${pending} changes to its tables are made at the next start` : '';
    return [fine('database', `${url} is whole${later}`)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [wrong('database', error.message, 'mend that, or name another file in DATABASE_URL')];
  }
}
