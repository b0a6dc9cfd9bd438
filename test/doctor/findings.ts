import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from '../../src/doctor/doctor.ts';
import type { Finding } from '../../src/doctor/finding.ts';

/** What the doctor finds, by what was looked at; the address is any free one, and there's no `.env` but a test's own. */
export async function findings(
  environment: Readonly<Record<string, string>>,
  file = join(tmpdir(), 'troupe-has-no-such-folder', '.env'),
  withListing = false,
): Promise<Map<string, Finding>> {
  const all = await diagnose(
    { PORT: '0', DATABASE_URL: 'sqlite::memory:', ...environment },
    { file, withListing },
  );
  return new Map(all.map((finding) => [finding.subject, finding]));
}

/** Those that have to be mended. */
export function toMend(found: ReadonlyMap<string, Finding>): Finding[] {
  return [...found.values()].filter(({ mend, caution }) => mend !== undefined && !caution);
}

/** All words of the findings. */
export function wordsOf(found: ReadonlyMap<string, Finding>): string {
  return [...found.values()].flatMap(Object.values).join('\n');
}
