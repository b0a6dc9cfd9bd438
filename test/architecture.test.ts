import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowed, entries, everywhere } from './allowed-imports.ts';

const root = resolve(import.meta.dirname, '..');

const files = ['src', 'commands'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    // Examples import from outside what they are examples of.
    .filter((name) => /\.[jt]s$/.test(name) && !name.endsWith('.example.ts'))
    .map((name) => join(root, folder, name)),
);

/** The part a file belongs to: the first folder under src, the platform, or the file's own name. */
function partOf(file: string): string {
  const [top = '', first = '', second = ''] = relative(root, file).split('/');
  if (top === 'commands') return 'commands';
  if (first === 'platforms') return `platforms/${second}`;
  return first.replace(/\.[jt]s$/, '');
}

const importPattern =
  /(?:^(?:import|export)(\s+type)?\s+(?:[\w\s{},*]*?\sfrom\s+)?|\bimport\s*\(\s*)'(\.{1,2}\/[^']+)'/gm;

const imports = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, type, specifier = '']) => ({
    file: relative(root, file),
    target: relative(root, resolve(dirname(file), specifier)),
    from: partOf(file),
    to: partOf(resolve(dirname(file), specifier)),
    isType: type !== undefined,
  })),
);

/** Folders whose rooms may need each other: the sandbox shares little with the bot, and its operations share its state. */
const interwoven = ['src/sandbox'];
const folders = [...new Set(files.map((file) => dirname(relative(root, file))))].flatMap((folder) =>
  folder.split('/').map((_, index, names) => names.slice(0, index + 1).join('/')),
);

/** What is in a folder, files and further folders, and what each imports of the others. */
function roomsOf(folder: string): ReadonlyMap<string, readonly string[]> {
  const roomOf = (file: string) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
  const graph = new Map<string, string[]>();
  for (const { file, target } of imports) {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from !== undefined && to !== undefined && from !== to)
      graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  return graph;
}

/** The first way that leads back to where it began; undefined where there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const search = (node: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of graph.get(node) ?? []) {
      const circle = search(next, [...way, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of graph.keys()) {
    const circle = search(node, []);
    if (circle) return circle;
  }
  return undefined;
}

describe('the direction of imports', () => {
  it('is read from the code at all', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({
      file: 'commands/ask.ts',
      target: 'src/port/index.ts',
      from: 'commands',
      to: 'port',
      isType: false,
    });
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

  it('has no circle between parts, and none between files', () => {
    const parts = new Map(Object.entries(allowed));
    expect(circleIn(parts)).toBeUndefined();
    const byFile = Map.groupBy(imports, ({ file }) => file);
    const targets = [...byFile].map(([file, all]) => [file, all.map(({ target }) => target)] as const);
    expect(circleIn(new Map(targets))).toBeUndefined();
    const withCircle = new Map([
      ...targets,
      ['src/lib/clock.ts', ['commands/ask.ts']],
      ['commands/ask.ts', ['src/lib/clock.ts']],
    ]);
    expect(circleIn(withCircle)).toContain('commands/ask.ts');
  });

  it('allows nothing that nobody needs', () => {
    const used = new Set(imports.map(({ from, to }) => `${from} → ${to}`));
    const arrows = Object.entries(allowed).flatMap(([from, targets]) =>
      targets.map((to) => `${from} → ${to}`),
    );
    expect(arrows.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  it.each([...new Set(folders)].filter((folder) => !interwoven.includes(folder)))(
    'has no circle between the rooms of %s, types included',
    (folder) => {
      expect(circleIn(roomsOf(folder))).toBeUndefined();
    },
  );
});
