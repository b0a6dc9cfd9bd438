import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../commands/index.ts';
import { type Setting, settings } from '../src/config/settings.ts';

const root = resolve(import.meta.dirname, '..');

const settingsTable = () =>
  [
    '| variable | default | meaning |',
    '|---|---|---|',
    ...Object.entries(settings as Record<string, Setting>).map(
      ([name, setting]) => `| \`${name}\` | ${setting.default} | ${setting.meaning}; ${setting.allowed} |`,
    ),
  ].join('\n');

const commandsTable = () =>
  [
    '| command | does | options (bold: required) |',
    '|---|---|---|',
    ...commands.map(({ name, description, options }) => {
      const names = Object.entries(options).map(([option, { required }]) =>
        required ? `**\`${option}\`**` : `\`${option}\``,
      );
      return `| \`/${name}\` | ${description.en} | ${names.join(', ')} |`;
    }),
  ].join('\n');

const envExample = () =>
  [
    '# Every setting, unset. Copy to .env and fill in what you need; see the README for what each means.',
    ...Object.entries(settings as Record<string, Setting>).map(
      ([name, setting]) => `\n# ${setting.meaning.replaceAll('`', '')}; ${setting.allowed}\n#${name}=`,
    ),
    '',
  ].join('\n');

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function withPart(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`the README has no part ${name}`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}

/** With UPDATE=1 the files are written instead of compared. */
function same(file: string, expected: string): void {
  if (process.env.UPDATE === '1') writeFileSync(join(root, file), expected);
  expect(readFileSync(join(root, file), 'utf8')).toBe(expected);
}

describe('what the README tells', () => {
  it('has the tables that the code has', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    same('README.md', withPart(withPart(readme, 'settings', settingsTable()), 'commands', commandsTable()));
  });

  it('has an example of every setting', () => {
    same('.env.example', envExample());
  });

  it('names only scripts there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/npm run (?:--silent )?([\w:-]+)/g);
    for (const [, script] of named) expect(Object.keys(scripts)).toContain(script);
  });

  it('names only files there are', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const named = [...readme.matchAll(/`((?:src|commands|test)\/[\w./-]+)`|\]\(((?!http)[\w./-]+)\)/g)];
    for (const [, code, link] of named)
      expect(() => readFileSync(join(root, code ?? link ?? ''))).not.toThrow(/ENOENT/);
  });
});
