import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { diagnose } from '../../src/doctor/doctor.ts';
import { findings, toMend } from './findings.ts';

describe('the doctor', () => {
  it('finds nothing wrong without any settings', async () => {
    const found = await findings({});
    expect(toMend(found)).toEqual([]);
    expect([...found.keys()]).toEqual(['settings', 'service', 'database', 'address', 'Discord', 'Slack']);
    expect(found.get('Discord')?.found).toBe('Off, because DISCORD_TOKEN isn’t set.');
    expect(found.get('Slack')?.found).toBe('Off, because SLACK_BOT_TOKEN isn’t set.');
    expect(found.get('address')?.found).toBe(
      'The bot can listen on any free port of 127.0.0.1. The console is on.',
    );
  });

  it('says that the embedded sandbox and console are used', async () => {
    const [settings] = await diagnose({});
    expect(settings?.found).toMatch(/^None are set, and none have to be: .*sandbox.*SQLite.*console/);
  });

  it('names the settings that are set, without their values', async () => {
    const found = await findings({ SYSTEM_PROMPT: 'secret', HISTORY_DAYS: '5' });
    expect(found.get('settings')?.found).toBe(
      'These are set, and valid: SYSTEM_PROMPT, HISTORY_DAYS, DATABASE_URL, PORT.',
    );
  });

  it('lists every wrong setting, and looks at the rest when they are right', async () => {
    const all = await diagnose({ PORT: 'http', SERVICE_API_KEY: 'secret', DISCORD_TOKEN: 'x'.repeat(30) });
    expect(all.map(({ subject, found }) => [subject, found.split(':')[0]])).toEqual([
      ['settings', 'SERVICE_API_KEY'],
      ['settings', 'PORT'],
      ['settings', 'SERVICE_BASE_URL'],
    ]);
    expect(all.every(({ mend }) => mend?.includes('.env'))).toBe(true);
    expect(JSON.stringify(all)).not.toContain('secret');
  });

  it('warns of a real service without a daily limit, which is nothing wrong', async () => {
    const service = { SERVICE_BASE_URL: 'http://127.0.0.1:9/v1', SERVICE_API_KEY: 'sk-svc-abcdefgh' };
    const found = await findings(service);
    expect(found.get('budgets')).toMatchObject({
      found: expect.stringContaining('anyone can spend all credits'),
      mend: expect.stringContaining('TOTAL_DAILY_CREDITS'),
      caution: true,
    });
    expect(toMend(found).map(({ subject }) => subject)).toEqual(['service']);
    for (const name of ['TOTAL', 'USER', 'CHANNEL', 'WORKSPACE']) {
      expect((await findings({ ...service, [`${name}_DAILY_CREDITS`]: '5' })).has('budgets')).toBe(false);
    }
  });

  it('warns if nobody would be notified about the key', async () => {
    const slack = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_APP_TOKEN: 'xapp-1',
      SLACK_API_URL: 'http://127.0.0.1:9/',
    };
    expect((await findings(slack)).get('operators')).toMatchObject({ caution: true });
    expect((await findings({ ...slack, OPERATORS: 'slack:T1/U1' })).has('operators')).toBe(false);
  });

  it('warns of a file of settings that others can read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, '.env');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    expect((await findings({}, file)).get('.env')).toMatchObject({
      mend: `run chmod 600 ${file}`,
      caution: true,
    });
    chmodSync(file, 0o600);
    expect((await findings({}, file)).has('.env')).toBe(false);
  });

  it('finds a bot without a platform', async () => {
    expect(toMend(await findings({ CONSOLE: 'off' }))).toMatchObject([{ subject: 'platforms' }]);
  });
});

describe('the doctor looks at the address', () => {
  const listen = async (answer: string) => {
    const server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return String((server.address() as AddressInfo).port);
  };

  it('and tells a bot that runs from another program', async () => {
    const bot = await listen('ok\n');
    expect((await findings({ PORT: bot })).get('address')).toEqual({
      subject: 'address',
      found: `A bot is already running at http://127.0.0.1:${bot}. The console is on.`,
    });
    const other = await listen('<html></html>');
    expect((await findings({ PORT: other })).get('address')).toEqual({
      subject: 'address',
      found: `Another program is using http://127.0.0.1:${other}.`,
      mend: 'set PORT to a free port, or stop that program',
    });
  });

  it('and finds one that is not of this machine', async () => {
    const found = await findings({ HOST: '192.0.2.1', CONSOLE_TOKEN: 'x'.repeat(8) });
    expect(found.get('address')).toMatchObject({
      found: 'HOST, 192.0.2.1, isn’t an address of this machine.',
      mend: 'set PORT and HOST to a port and an address of this machine',
    });
  });
});
