import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { afterRestore } from '../src/store/tools/restore.ts';
import { variables } from './container/compose.ts';
import { allSettings, parts, partsIn, settingsOf, valueIn, withParts } from './docs/parts.ts';
import { stepsOf } from './docs/walk.ts';
import { commands } from './fakes/commands.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Every page that people read, by its path in the project. */
const pages = [root, join(root, 'docs'), join(root, 'src/sandbox')].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => relative(root, join(folder, name))),
);

/** With UPDATE=1 a file is written instead of compared. */
function same(file: string, expected: string): void {
  if (process.env.UPDATE === '1') writeFileSync(join(root, file), expected);
  expect(read(file)).toBe(expected);
}

/** The headings of a page as GitHub links to them. */
function anchorsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it('finds the pages', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/configuration.md']));
});

describe.each(pages)('%s', (page) => {
  it('has the tables that the code has', () => {
    same(page, withParts(read(page)));
  });

  it('links to pages and headings there are', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
      return !existsSync(join(root, target)) || (anchor && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names only files there are', () => {
    const made = stepsOf(read(page)).flatMap(({ file, kind }) => (kind === 'ts' ? [file] : []));
    const named = read(page).matchAll(/[` ]((?:src|commands|test|docs|\.ci|\.github)\/[\w./-]+)[`:, ]/g);
    expect(
      [...named]
        .map(([, file = '']) => file)
        .filter((file) => !made.includes(file) && !existsSync(join(root, file))),
    ).toEqual([]);
  });

  it('names only scripts there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const named = [...read(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, script]) => script);
    expect(named.filter((script = '') => !(script in scripts))).toEqual([]);
  });

  it('sets only settings there are', () => {
    const names = allSettings.map(([name]) => name);
    const named = [...read(page).matchAll(/(?:^ *|`)([A-Z]+(?:_[A-Z]+)+)=/gm)].map(([, name = '']) => name);
    // Those of the sandbox, and of compose.yaml.
    const others = ['COMPOSE_PROFILES', ...variables.keys()];
    const known = (name: string) => [...names, ...others].includes(name) || name.startsWith('SANDBOX_');
    expect(named.filter((name) => !known(name))).toEqual([]);
  });
});

describe('the pages together', () => {
  const all = pages.flatMap((page) => partsIn(read(page)));

  it('have every part that is made', () => {
    expect(Object.keys(parts).filter((name) => !all.some((part) => part.name === name))).toEqual([]);
  });

  it('have every setting once', () => {
    const shown = all.filter(({ name }) => name === 'settings').flatMap(({ words }) => settingsOf(words));
    expect(shown.map(([name]) => name).sort()).toEqual(allSettings.map(([name]) => name).sort());
  });

  it('have the options of every command', () => {
    const shown = all.filter(({ name }) => name === 'options').flatMap(({ words }) => words);
    const withOptions = commands.filter(({ options }) => Object.keys(options).length > 1);
    expect(withOptions.map(({ name }) => name).filter((name) => !shown.includes(name))).toEqual([]);
  });
});

describe('the map of folders', () => {
  const named = [...read('docs/architecture.md').matchAll(/`((?:src|commands|test)\/[\w*/-]*)`/g)].map(
    ([, path = '']) => path.replace(/\/$/, ''),
  );
  const patterns = named.map((path) => new RegExp(`^${path.replaceAll('*', '[^/]+')}$`));
  const foldersIn = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  const folders = ['src', 'commands', ...foldersIn('src'), ...foldersIn('commands')];
  const ofTests = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );

  it('has every folder', () => {
    const missing = folders.filter((folder) => !patterns.some((pattern) => pattern.test(folder)));
    expect(missing.filter((folder) => folder !== 'src')).toEqual([]);
  });

  it('has every folder of test that mirrors none of src', () => {
    const ownOnes = ofTests.map(({ name }) => name).filter((name) => !folders.includes(`src/${name}`));
    expect(ownOnes.filter((name) => name !== 'commands' && !named.includes(`test/${name}`))).toEqual([]);
  });

  it('has no folder there is not', () => {
    const all = [...folders, ...foldersIn('test'), 'test'];
    expect(patterns.filter((pattern) => !all.some((folder) => pattern.test(folder)))).toEqual([]);
  });
});

it('.env.example has every setting, with its default', () => {
  const lines = allSettings.map(
    ([name, { meaning, default: standard }]) =>
      `\n# ${meaning.replaceAll('`', '')}\n#${name}=${valueIn(standard)}\n`,
  );
  const head =
    '# Every setting with its default. Copy to .env (install -m 600 .env.example .env) and set what you need. What is allowed: docs/configuration.md\n';
  same('.env.example', head + lines.join(''));
});

it('docs/after-restore.sql has what the restore of a SQLite database does', () => {
  const head = '-- Marks the work that may have gone on since the copy: docs/operating.md, “Scale out”\n';
  same('docs/after-restore.sql', head + afterRestore.map((statement) => `${statement};\n`).join(''));
});

it('CHANGELOG.md tells of the version that package.json has', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const [, latest] = /^## \[(\d[^\]]*)\]/m.exec(read('CHANGELOG.md')) ?? [];
  expect(latest).toBe(version);
});

it('continuous integration runs .ci/run, with actions pinned to a commit', () => {
  const workflow = read('.github/workflows/ci.yml');
  expect(workflow).toMatch(/run: \.ci\/run$/m);
  expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
  const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action);
  expect(actions.filter((action = '') => !/@[0-9a-f]{40} # v\d/.test(action))).toEqual([]);
});
