import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the files of `sampleStudio` are kept for all tests of a run. */
    samplesFolder: string;
  }
}

/** Makes the folder before the first test of a run; it goes after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-samples-'));
  project.provide('samplesFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
