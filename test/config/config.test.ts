import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ConfigError,
  configWarnings,
  consoleOn,
  isLoopback,
  readConfig,
  readEnvFile,
} from '../../src/config/config.ts';
import { settings } from '../../src/config/settings.ts';

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

describe('the configuration', () => {
  it('needs nothing', () => {
    const config = readConfig({});
    expect(config).toMatchObject({ PORT: 8787, HOST: '127.0.0.1', DATABASE_URL: 'sqlite:data/troupe.db' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(consoleOn(config)).toBe(true);
  });

  it('reports all faults at once, each with the variable and the allowed values', () => {
    const faults = faultsOf({ PORT: 'http', LOG_LEVEL: 'loud', HISTORY_DAYS: '0.5' });
    expect(faults).toEqual([
      'HISTORY_DAYS: this value is not allowed; allowed: a whole number from 1 to 3650',
      'PORT: this value is not allowed; allowed: a port from 0 to 65535 (0: any free one)',
      'LOG_LEVEL: this value is not allowed; allowed: trace, debug, info, warn, error, fatal or silent',
    ]);
  });

  it.each(Object.keys(settings).filter((name) => name !== 'SYSTEM_PROMPT'))(
    'refuses a wrong %s without showing it',
    (name) => {
      const wrong: Record<string, string> = { CONSOLE_TOKEN: ' \n', RESULT_HOSTS: 'https://secret secret' };
      const secret = wrong[name] ?? ' \nsecret secret';
      const faults = faultsOf({ [name]: secret }).filter((fault) => fault.startsWith(name));
      expect(faults.join()).toContain(settings[name as keyof typeof settings].allowed);
      expect(faults.join()).not.toContain('secret secret');
    },
  );

  it.each([' ', '\t', '\u00a0', '0x10', '0b11', '1e3', '-1', '+5', '1_000', 'Infinity'])(
    'takes no %j for a number',
    (value) => {
      const numbers = ['TOTAL_DAILY_CREDITS', 'CONFIRM_OVER_CREDITS', 'PORT', 'HISTORY_DAYS'] as const;
      const faults = faultsOf(Object.fromEntries(numbers.map((name) => [name, value])));
      expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual([...numbers].sort());
    },
  );

  it.each(['TOTAL_DAILY_CREDITS', 'USER_DAILY_CREDITS', 'CONFIRM_OVER_CREDITS'])(
    'says how many credits %s may be at most',
    (name) => {
      expect(faultsOf({ [name]: '1000000000' })).toEqual([]);
      expect(faultsOf({ [name]: '1000000001' })).toEqual([
        `${name}: this value is not allowed; allowed: 0 to 1000000000`,
      ]);
    },
  );

  it.each([
    'https://me:secret@a.example/v1',
    'https://a.example/?b=/v1',
    'https://a.example/#/v1',
    'a/v1',
    // `v1` is the host.
    'https://v1',
    'https:///v1',
  ])('refuses %s as an address of the service', (address) => {
    const faults = faultsOf({ SERVICE_BASE_URL: address, SERVICE_API_KEY: 'sk-svc-abc' });
    expect(faults).toEqual([
      'SERVICE_BASE_URL: this value is not allowed; allowed: an http(s) address that ends with /v1',
    ]);
  });

  it.each(['https://discord.example/api', 'https://discord.example/api/', 'https://discord.example/api/v10'])(
    'reads %s as the root of Discord’s API, without its version',
    (DISCORD_API_URL) => {
      expect(readConfig({ DISCORD_API_URL }).DISCORD_API_URL).toMatch(/^https:\/\/discord\.example\/api\/?$/);
    },
  );

  // Discord and Slack say nothing of how long theirs are.
  it.each([
    [{ DISCORD_TOKEN: 'test-token' }, true],
    [{ DISCORD_TOKEN: '123456789012345678' }, false],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'shhh' }, true],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'two words' }, false],
  ])('takes or refuses the form of %j', (environment, isTaken) => {
    expect(faultsOf(environment)).toHaveLength(isTaken ? 0 : 1);
  });

  it.each([
    ['sqlite:data/troupe.db', true],
    ['postgres://me:secret@db.example:5432/troupe?sslmode=require', true],
    ['postgresql://db.example/troupe', true],
    ['postgres:///troupe?host=/var/run/postgresql', true],
    ['postgres://me:secret@/troupe?host=/cloudsql/project:region:bot', true],
    ['postgres://me:secret@/troupe', false],
    ['postgres://db.example', false],
    ['postgres://db.example/', false],
    ['postgres:///troupe', false],
    ['postgres://db.example/troupe?port=5433', true],
    ['postgres://db.example/troupe?port=5432x', false],
    ['postgres://db.example/troupe?port=65536', false],
    ['postgres:troupe', false],
    ['mysql://db.example/troupe', false],
    ['sqlite:', false],
  ])('takes or refuses %s as a database', (DATABASE_URL, isTaken) => {
    const faults = faultsOf({ DATABASE_URL }).filter((fault) => fault.startsWith('DATABASE_URL'));
    expect(faults).toHaveLength(isTaken ? 0 : 1);
  });

  it.each([
    [{ SERVICE_BASE_URL: 'https://service.example/v1' }, /^SERVICE_API_KEY: missing/],
    [{ SERVICE_API_KEY: 'sk-svc-abc' }, /^SERVICE_BASE_URL: missing/],
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, /^SLACK_APP_TOKEN or SLACK_SIGNING_SECRET: missing/],
    [{ SLACK_APP_TOKEN: 'xapp-1' }, /^SLACK_BOT_TOKEN: missing/],
    // Of an app whose tokens expire after twelve hours (token rotation); without its beginning Slack refuses it.
    [
      { SLACK_APP_TOKEN: 'xapp-1', SLACK_BOT_TOKEN: 'xoxe.xoxb-1-abc' },
      /^SLACK_BOT_TOKEN: this value is not allowed; .*without token rotation/,
    ],
    [
      { SLACK_CLIENT_ID: '1', SLACK_CLIENT_SECRET: '2', SLACK_APP_TOKEN: 'xapp-1' },
      /^SLACK_STATE_SECRET: missing/,
    ],
    [{ HOST: '0.0.0.0' }, /^CONSOLE_TOKEN: missing/],
    [{ DISCORD_PUBLIC_KEY: 'a'.repeat(64), CONSOLE: 'off' }, /^DISCORD_TOKEN: missing/],
    [{ DISCORD_TOKEN: 'x'.repeat(30), DISCORD_SHARDS: '0' }, /^DISCORD_PUBLIC_KEY: missing/],
    [
      { DISCORD_TOKEN: 'x'.repeat(30), DISCORD_PUBLIC_KEY: 'a'.repeat(63) },
      /^DISCORD_PUBLIC_KEY: this value is not allowed; .*64 hexadecimal/,
    ],
    [
      { DISCORD_TOKEN: 'x'.repeat(30), DISCORD_PUBLIC_KEY: 'a'.repeat(64), CONSOLE: 'on' },
      /^CONSOLE_TOKEN: missing; .*other machines/,
    ],
    [{ DATABASE_URL: 'postgres://db.example/troupe' }, /^SERVICE_BASE_URL: missing; .*PostgreSQL/],
    [
      {
        DATABASE_URL: 'postgresql://me:secret@db.example/troupe',
        SERVICE_BASE_URL: 'https://service.example/v1',
        SERVICE_API_KEY: 'sk-svc-abc',
        SLACK_CLIENT_ID: '1',
        SLACK_CLIENT_SECRET: '2',
        SLACK_STATE_SECRET: '12345678',
        SLACK_APP_TOKEN: 'xapp-1',
      },
      /^ENCRYPTION_KEY: missing; .*PostgreSQL/,
    ],
    [
      { CONSOLE: 'on', SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '12345678' },
      /^CONSOLE_TOKEN: missing; .*other machines/,
    ],
    [
      {
        CONSOLE: 'on',
        SLACK_CLIENT_ID: '1',
        SLACK_CLIENT_SECRET: '2',
        SLACK_STATE_SECRET: '12345678',
        SLACK_APP_TOKEN: 'xapp-1',
      },
      /^CONSOLE_TOKEN: missing/,
    ],
  ])('requires settings that need each other: %o', (environment, line) => {
    const faults = faultsOf(environment);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(line);
  });

  it('requires no token for a console that only this machine can reach', () => {
    const sockets = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      SLACK_SIGNING_SECRET: '12345678',
    };
    expect(faultsOf({ ...sockets, CONSOLE: 'on' })).toEqual([]);
    const http = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '12345678' };
    expect(faultsOf(http)).toEqual([]);
    expect(faultsOf({ ...http, CONSOLE: 'on', CONSOLE_TOKEN: '12345678' })).toEqual([]);
    expect(faultsOf({ HOST: '0.0.0.0', CONSOLE: 'off' })).toEqual([]);
  });

  it('has the console on only without a platform, or when set', () => {
    const slack = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
    expect(consoleOn(readConfig({ DISCORD_TOKEN: 'x'.repeat(30) }))).toBe(false);
    expect(consoleOn(readConfig(slack))).toBe(false);
    expect(consoleOn(readConfig({ ...slack, CONSOLE: 'on' }))).toBe(true);
    expect(consoleOn(readConfig({ CONSOLE: 'off' }))).toBe(false);
  });

  it.each([
    [{}, false],
    [{ DISCORD_TOKEN: 'x'.repeat(30) }, false],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', SLACK_SIGNING_SECRET: '12345678' }, false],
    [{ CONSOLE: 'off', CONSOLE_TOKEN: '12345678' }, false],
    [{ HOST: '0.0.0.0', CONSOLE: 'off', METRICS_TOKEN: '12345678' }, false],
    [{ HOST: '0.0.0.0', CONSOLE: 'off' }, true],
    [{ CONSOLE_TOKEN: '12345678' }, true],
    [{ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: '12345678' }, true],
    [
      {
        SLACK_CLIENT_ID: '1',
        SLACK_CLIENT_SECRET: '2',
        SLACK_STATE_SECRET: '12345678',
        SLACK_APP_TOKEN: 'xapp-1',
      },
      true,
    ],
  ])(
    'says that METRICS_TOKEN is needed where people elsewhere can reach the port: %o',
    (environment, said) => {
      const about = configWarnings(readConfig(environment)).map(({ subject }) => subject);
      expect(about.includes('metrics')).toBe(said);
    },
  );

  it.each([
    ['TOTAL_DAILY_CREDIT', 'TOTAL_DAILY_CREDITS'],
    ['User_Daily_Credits', 'USER_DAILY_CREDITS'],
    ['METRIC_TOKEN', 'METRICS_TOKEN'],
  ])('warns of a setting by another name: %s', (name, meant) => {
    const warnings = configWarnings(readConfig({}), '', { [name]: '5' });
    const found = `${name} is no setting, and changes nothing`;
    expect(warnings).toEqual([{ subject: 'names', found, fix: `set ${meant} instead` }]);
  });

  it('warns of no variable of others', () => {
    const others = [
      'HOME',
      'TERM',
      'NODE_OPTIONS',
      'POSTGRES_PASSWORD',
      'COMPOSE_PROFILES',
      'DATABASE_URI_RO',
    ];
    const environment = Object.fromEntries([...others, ...Object.keys(settings)].map((name) => [name, '5']));
    expect(configWarnings(readConfig({}), '', environment)).toEqual([]);
  });

  it('reads a file of settings, in which no variable wins that is set already', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const environment: NodeJS.ProcessEnv = { HOST: '::1' };
    readEnvFile(environment, file);
    writeFileSync(file, '# mine\nPORT=80\nHOST=0.0.0.0\nSYSTEM_PROMPT="two\nlines"\n');
    readEnvFile(environment, file);
    expect(environment).toEqual({ HOST: '::1', PORT: '80', SYSTEM_PROMPT: 'two\nlines' });
  });

  it.each([
    ['SERVICE_API_KEY', 'sk-svc-abcdefgh\n'],
    ['SERVICE_API_KEY', ' sk-svc-abcdefgh'],
    ['PORT', '80 '],
    // Nobody could enter it on the console’s page.
    ['CONSOLE_TOKEN', 'a long secret\n'],
  ])(
    'says of %s that white space around it is what’s wrong, as a file of a secret has: %j',
    (name, value) => {
      expect(
        faultsOf({
          SERVICE_BASE_URL: 'https://a.example/v1',
          SERVICE_API_KEY: 'sk-svc-abcdefgh',
          [name]: value,
        }),
      ).toEqual([
        expect.stringMatching(
          `^${name}: this value is not allowed, as it begins or ends with white space; allowed: `,
        ),
      ]);
    },
  );

  it.each(['DISCORD_TOKEN', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID'])(
    'refuses a %s with what no header can have, and says that it can’t be seen: Discord or Slack seemed to be away',
    (name) => {
      const begins: Record<string, string> = { SLACK_BOT_TOKEN: 'xoxb-', SLACK_APP_TOKEN: 'xapp-' };
      const token = `${begins[name] ?? ''}abcdefgh`;
      const about = (value: string) =>
        faultsOf({ [name]: value }).filter((fault) => fault.startsWith(`${name}: this`));
      expect(about(token)).toEqual([]);
      expect(about(`${token}”`)).toEqual([
        expect.stringMatching(`^${name}: this value is not allowed; allowed: `),
      ]);
      expect(about(`${token}\u200b`)).toEqual([
        expect.stringMatching(
          `^${name}: this value is not allowed, as it has a character that isn’t seen; allowed: `,
        ),
      ]);
    },
  );

  it('takes an empty variable for unset, so that it hides no budget that the file sets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const environment: NodeJS.ProcessEnv = { TOTAL_DAILY_CREDITS: '', LOG_LEVEL: '' };
    writeFileSync(file, 'TOTAL_DAILY_CREDITS=100\n');
    readEnvFile(environment, file);
    expect(readConfig(environment)).toMatchObject({ TOTAL_DAILY_CREDITS: 100, LOG_LEVEL: 'info' });
  });

  it('reads a file of settings that was saved on Windows, and says in one line if it’s in UTF-16', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const environment: NodeJS.ProcessEnv = {};
    writeFileSync(file, '\uFEFFTOTAL_DAILY_CREDITS=100\r\nPORT=80\r\n');
    readEnvFile(environment, file);
    expect(environment).toEqual({ TOTAL_DAILY_CREDITS: '100', PORT: '80' });
    writeFileSync(file, '\uFEFFTOTAL_DAILY_CREDITS=100\r\n', 'utf16le');
    expect(() => readEnvFile({}, file)).toThrow(/^\.env: it isn’t saved as UTF-8$/);
  });

  it('says that a # would end a value without quotes, instead of leaving the rest of it out', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const read = (...lines: readonly string[]) => {
      const environment: NodeJS.ProcessEnv = {};
      writeFileSync(file, `${lines.join('\n')}\n`);
      readEnvFile(environment, file);
      return environment;
    };
    const cut = () => read('CONSOLE_TOKEN=abcdefgh#1234', 'PORT=80', ' SYSTEM_PROMPT = You know C# and F#');
    expect(cut).toThrow(ConfigError);
    expect(cut).toThrow(
      /^CONSOLE_TOKEN: in \.env, a # ends a value without quotes; put it in single quotes\nSYSTEM_PROMPT: in \.env, .*$/,
    );
    expect(
      read(
        '#ENCRYPTION_KEY=ab#cd',
        'PORT=80 # mine',
        "CONSOLE_TOKEN='abcdefgh#1234'",
        'SYSTEM_PROMPT="two\nCONSOLE_TOKEN=a#b"',
      ),
    ).toEqual({ PORT: '80', CONSOLE_TOKEN: 'abcdefgh#1234', SYSTEM_PROMPT: 'two\nCONSOLE_TOKEN=a#b' });
  });

  it('says so of a value that begins with a #, too; behind a space it begins a comment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const read = (text: string) => {
      const environment: NodeJS.ProcessEnv = {};
      writeFileSync(file, text);
      readEnvFile(environment, file);
      return environment;
    };
    expect(() => read('PORT=80\nCONSOLE_TOKEN=#abcdefgh1234\n')).toThrow(
      /^CONSOLE_TOKEN: in \.env, a # ends .*$/,
    );
    expect(read('CONSOLE_TOKEN= #none\nSYSTEM_PROMPT=# none\nPORT=80\n')).toMatchObject({ PORT: '80' });
  });

  it('minds no # in a line of .env whose variable is set already, as systemd does from the same file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const environment: NodeJS.ProcessEnv = { CONSOLE_TOKEN: 'abcdefgh#1234' };
    writeFileSync(file, 'CONSOLE_TOKEN=abcdefgh#1234\nPORT=80\n');
    readEnvFile(environment, file);
    expect(environment).toEqual({ CONSOLE_TOKEN: 'abcdefgh#1234', PORT: '80' });
  });

  it('says in one line that the file of settings can’t be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const read = () => readEnvFile({}, folder);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/^.env: EISDIR: illegal operation on a directory, read$/);
  });

  it('warns of a file of settings that others on the machine can read, and says how to keep it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    const warnings = () => configWarnings(readConfig({}), file);
    expect(warnings()).toEqual([]);
    writeFileSync(file, 'SERVICE_API_KEY=secret\n');
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(file, mode);
      const found = expect.stringMatching(/^other users of this machine can read .*\.env/);
      expect(warnings()).toEqual([{ subject: '.env', found, fix: `run chmod 600 ${file}` }]);
      expect(JSON.stringify(warnings())).not.toContain('secret');
    }
    chmodSync(file, 0o600);
    expect(warnings()).toEqual([]);
  });

  it('knows loopback', () => {
    expect(['localhost', '127.0.0.1', '127.8.9.1', '::1'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.example.com'].some(isLoopback)).toBe(false);
  });
});
