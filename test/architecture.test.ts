import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowed, entries, everywhere } from './arrows.ts';

const root = resolve(import.meta.dirname, '..');

const files = ['src', 'commands'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name)),
);

/** The part a file belongs to: the first folder under src, the platform, or the file's own name. */
function partOf(file: string): string {
  const [top = '', first = '', second = ''] = relative(root, file).split('/');
  if (top === 'commands') return 'commands';
  if (first === 'platforms') return `platforms/${second}`;
  return first.replace(/\.ts$/, '');
}

const importPattern = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, specifier = '']) => ({
    file: relative(root, file),
    from: partOf(file),
    to: partOf(resolve(dirname(file), specifier)),
  })),
);

describe('the direction of imports', () => {
  it('is read from the code at all', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({ file: 'commands/ask.ts', from: 'commands', to: 'port' });
  });

  it('goes one way', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from !== to &&
        !entries.includes(from) &&
        !everywhere.includes(to) &&
        !(allowed[from] ?? []).includes(to),
    );
    expect(wrong).toEqual([]);
  });

  it('knows every part', () => {
    const parts = new Set(files.map(partOf));
    expect([...parts].filter((part) => !(part in allowed) && !entries.includes(part))).toEqual([]);
  });

  it('leaves the sandbox to what puts the parts together, and main to nobody', () => {
    const reaching = imports.filter(({ from, to }) => from !== to && ['sandbox', 'main'].includes(to));
    const arrows = new Set(reaching.map(({ from, to }) => `${from} → ${to}`));
    expect([...arrows]).toEqual(['start → sandbox']);
  });
});
