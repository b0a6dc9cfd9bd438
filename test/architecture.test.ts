import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/**
 * Which part may import which. Every part may import itself and what is `everywhere`; what is not listed is
 * not allowed.
 */
const allowed: Record<string, readonly string[]> = {
  'service-rules': [],
  lib: [],
  secrets: [],
  config: [],
  reply: [],
  service: [],
  http: [],
  media: [],
  ops: ['http'],
  port: ['reply'],
  words: ['port'],
  store: ['port'],
  conversation: [],
  credits: ['port', 'store', 'service', 'media'],
  'place-settings': ['port', 'store'],
  deliveries: ['port', 'reply', 'store'],
  renders: ['port', 'service', 'store', 'credits'],
  app: [
    'port',
    'service',
    'conversation',
    'renders',
    'deliveries',
    'credits',
    'place-settings',
    'words',
    'reply',
    'store',
    'media',
    'ops',
  ],
  commands: [
    'app',
    'port',
    'service',
    'conversation',
    'renders',
    'deliveries',
    'credits',
    'place-settings',
    'words',
    'reply',
    'store',
    'media',
  ],
  'platforms/console': ['port', 'reply', 'words', 'store', 'http'],
  'platforms/discord': ['port', 'reply', 'words', 'store', 'http', 'media'],
  'platforms/slack': ['port', 'reply', 'words', 'store', 'http'],
  doctor: ['config', 'embedded-sandbox', 'service', 'store', 'platforms/discord', 'platforms/slack'],
  'live-check': ['config', 'port', 'store', 'platforms/discord', 'platforms/slack'],
  sandbox: [],
};
/** Tools, the service's description as data, and the safekeeping of secrets. */
const everywhere = ['service-rules', 'lib', 'secrets'];
/** What puts the parts together, and what a person runs, may import everything. */
const entries = ['main', 'start', 'embedded-sandbox', 'scripts'];

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
    expect([...arrows]).toEqual(['embedded-sandbox → sandbox']);
  });
});
