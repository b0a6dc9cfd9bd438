import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/store/index.ts';
import { BotProcess } from '../../crash/bot-process.ts';
import { createDiscordPlace } from '../../crash/discord-place.ts';
import { CountingService } from '../../crash/service.ts';
import { freshPostgres } from '../../fakes/postgres/index.ts';
import { processEnvironment } from '../../process-environment.ts';

const script = fileURLToPath(new URL('../../../src/scripts/migrate-to-postgres.ts', import.meta.url));

it('a bot that ran on SQLite goes on with PostgreSQL: its renders, its conversations, its budgets', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-move-'));
  const place = await createDiscordPlace();
  const made = Promise.withResolvers<void>();
  const service = new CountingService(made.promise);
  onTestFinished(async () => {
    await service.close();
    await place.close();
    await rm(folder, { recursive: true });
  });
  const { url, key } = await service.start();
  const environment = { ...place.environment, SERVICE_BASE_URL: url, SERVICE_API_KEY: key, PORT: '0' };
  const [from, to] = [`sqlite:${join(folder, 'troupe.db')}`, await freshPostgres()];
  const migrate = () =>
    promisify(execFile)(process.execPath, [script, from], {
      env: { ...processEnvironment, DATABASE_URL: to, ENCRYPTION_KEY: '' },
    }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );
  const delivered = (wish: Parameters<typeof place.fate>[0]) =>
    expect.poll(() => place.fate(wish).delivered).toBe(1);

  const answered = async (count: number) => {
    const chats = async () => (await service.meter()).filter(({ operation }) => operation === 'chat');
    await expect.poll(async () => (await chats()).length).toBe(count);
    await expect.poll(() => place.hanging()).toEqual([]);
    return service.meter();
  };

  let bot = await BotProcess.start({ ...environment, DATABASE_URL: from });
  onTestFinished(() => bot.kill());
  await place.ready();
  place.give({ command: 'ask', prompt: 'One.' });
  await answered(1);
  const video = { command: 'video', prompt: 'a house that moves' } as const;
  place.give(video);
  await place.until('the video’s message', () => place.texts().some((text) => text.includes(video.prompt)));
  expect(await migrate()).toContain('another process is using it');
  expect(await bot.stop()).toBe(0);
  expect(place.fate(video).delivered).toBe(0);

  const before = await budgetsIn(from);
  const said = await migrate();
  expect(said).toMatch(/^jobs +2$/m);
  expect(said).toMatch(/^renders +1$/m);
  expect(await budgetsIn(to)).toEqual(before);
  expect(await migrate()).toContain('isn’t empty');

  made.resolve();
  bot = await BotProcess.start({ ...environment, DATABASE_URL: to });
  await delivered(video);
  place.give({ command: 'ask', prompt: 'Two.' });
  const calls = await answered(2);
  expect(new Set(calls.map(({ conversation_id: id }) => id)).size).toBe(1);
  expect(await bot.stop()).toBe(0);
  expect(place.hanging()).toEqual([]);
});

/** What everybody has used of their budgets, and the ledger. */
async function budgetsIn(url: string) {
  const database = await openDatabase(url);
  try {
    const budgets = await database.selectFrom('budget_use').selectAll().orderBy('high').execute();
    const ledger = await database.selectFrom('ledger').select(['id', 'state', 'low', 'high']).execute();
    return {
      budgets: budgets.map((row) => JSON.stringify(row)).sort(),
      ledger: ledger.map((row) => JSON.stringify(row)).sort(),
    };
  } finally {
    await database.destroy();
  }
}
