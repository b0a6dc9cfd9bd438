import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy } from './docs/walk.ts';

/** What the pages for contributors tell is done in a copy of the project, and tried there. */
describe('a copy of the project in which the walks were followed', { timeout: 300_000 }, () => {
  let copy: Copy;
  beforeAll(async () => {
    copy = await Copy.make();
    await copy.follow('CONTRIBUTING.md');
    await copy.follow('docs/add-a-platform.md');
    const examples = await copy.writeExamples();
    expect(examples).toEqual(['LiveReply', 'PlatformAdapter', 'ServiceClient', 'defineCommand']);
  });
  afterAll(() => copy.remove());

  it('passes the type check', async () => {
    expect(await copy.run('tsc', ['--project', '.', '--singleThreaded'])).toEqual({ status: 0, said: '' });
  });

  it('passes the linter', async () => {
    const changed = [
      'src/platforms/terminal',
      'src/start',
      'src/app/bot.ts',
      'src/config',
      'commands',
      'test',
    ];
    for (const [program, ...args] of [['oxfmt', '--check'], ['oxlint']] as const) {
      const { status, said } = await copy.run(program, [...args, ...changed]);
      expect(status, said).toBe(0);
    }
  });

  it('has the command with its option, the setting, and the platform where it is typed', async () => {
    const lines = ['/roll for luck', '/settings', '/ask repeat: it works'];
    const environment = { TERMINAL: 'on', ANSWERS_AT_ONCE: '7' };
    const said = await copy.type(lines, environment, /^#\d+ it works$/m);
    expect(said).toMatch(/^#\d+ for luck: 🎲 [1-6]$/m);
    expect(said).toMatch(/`at_once`: `7`/);
  });

  it('keeps the contract of a platform', async () => {
    const tests = ['test/platforms/terminal.test.ts', 'test/architecture.test.ts'];
    const { status, said } = await copy.run('vitest', ['run', '--config', 'test/vitest.config.ts', ...tests]);
    expect(said).toMatch(/Test Files .*2 passed/);
    expect(status).toBe(0);
  });
});
