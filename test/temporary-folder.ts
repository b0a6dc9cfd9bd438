import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithTest } from './at-end.ts';

/** A folder of the test's own, which goes with it, or with its file. */
export async function temporaryFolder(ends = endsWithTest): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-test-'));
  ends(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
