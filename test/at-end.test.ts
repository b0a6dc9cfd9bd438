import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endsWithFile, endsWithTest } from './at-end.ts';

const closed: string[] = [];
const folder = import.meta.dirname;

describe('what a test opens', () => {
  it('stays open while the test runs', () => {
    endsWithFile(() => closed.push('the file’s'));
    endsWithTest(() => closed.push('first'));
    endsWithTest(async () => closed.push('second'));
    expect(closed).toEqual([]);
  });

  it('is closed after it, what was opened last first; what is the file’s later', () => {
    expect(closed).toEqual(['second', 'first']);
  });

  it('is closed for every file: no helper has a hook that only the first file would get', () => {
    const helpers = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('node_modules'),
    );
    const hooked = helpers.filter((name) =>
      /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(hooked).toEqual(['setup.ts']);
  });
});
