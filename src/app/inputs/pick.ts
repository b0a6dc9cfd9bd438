import type { Job, RawValues } from '../../port/index.ts';

/** Some of a job's options, to fill a form with. */
export function pick(job: Job, names: readonly string[]): RawValues {
  const values: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const value = job.options[name];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      values[name] = value;
  }
  return values;
}
