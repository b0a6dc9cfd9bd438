import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithTest } from './at-end.ts';

/** A folder of the test's own, which goes with it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-test-'));
  endsWithTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
