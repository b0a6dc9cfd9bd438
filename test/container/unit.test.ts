import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config/settings.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/troupe.service'), 'utf8');
const where = '/opt/troupe';

/** The values of a key, in order, in whichever section. */
const valuesOf = (key: string) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the unit of systemd', () => {
  it('has sections and keys, each of which is set once', () => {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.filter((line) => !/^(?:\[(?:Unit|Service|Install)\]|[A-Z]\w+=\S*.*)$/.test(line))).toEqual(
      [],
    );
    const keys = lines.filter((line) => line.includes('=')).map((line) => line.split('=')[0]);
    const repeated = keys.filter((key, index) => keys.indexOf(key) !== index);
    expect(new Set(repeated)).toEqual(new Set(['Environment', 'SystemCallFilter']));
  });

  it('starts the bot as `npm start` does, with the Node that npm brings, and settings that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const [node = '', ...more] = valuesOf('ExecStart')[0]?.replaceAll(`${where}/`, '').split(' ') ?? [];
    expect(spawnSync(join(root, node), ['--version']).stdout.toString()).toMatch(/^v(?:24|26)\./);
    expect(['node', ...more].join(' ')).toBe(scripts.start);
    expect(valuesOf('WorkingDirectory')).toEqual([where]);
    const names = valuesOf('Environment').map((one) => one.split('=')[0] ?? '');
    expect(names.filter((name) => !(name in settings))).toEqual(['NODE_ENV', 'NODE_COMPILE_CACHE']);
    const [database = ''] = valuesOf('Environment').filter((one) => one.startsWith('DATABASE_URL='));
    expect(database).toContain(`/var/lib/${valuesOf('StateDirectory')[0]}/`);
    expect(valuesOf('Environment')).toContain(
      `NODE_COMPILE_CACHE=/var/cache/${valuesOf('CacheDirectory')[0]}`,
    );
  });

  it('is restarted whenever it ends, and has time to stop', () => {
    expect([valuesOf('Restart'), valuesOf('KillSignal')]).toEqual([['always'], []]);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(20);
    // systemd gives up after five starts in ten seconds.
    expect(Number(valuesOf('RestartSec')[0])).toBeGreaterThan(2);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.runIf(hasSystemd)('is right by systemd itself, which finds it little exposed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'troupe.service');
    // Without the spaces that its own path may have.
    const here = join(folder, 'troupe');
    symlinkSync(root, here);
    writeFileSync(file, text.replaceAll(where, here));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file]);
    expect([verified.status, verified.stderr.toString()]).toEqual([0, '']);
    const looked = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file]);
    expect(looked.stdout.toString()).toMatch(/Overall exposure level for troupe\.service: [01]\.\d/);
    expect(looked.status).toBe(0);
  });
});
