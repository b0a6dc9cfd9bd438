import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type ListeningSandbox } from '../../src/sandbox/index.ts';
import { openDatabase } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { sampleStudio } from '../e2e/support/sample-studio.ts';
import { processEnvironment } from '../process-environment.ts';
import { BotProcess } from './bot-process.ts';
import { createDiscordPlace, type DiscordPlace } from './discord-place.ts';

const say = words('en');

let folder: string;
let place: DiscordPlace;
let service: ListeningSandbox;
let bot: BotProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-shutdown-'));
  place = await createDiscordPlace();
  service = await createSandbox({ pace: 4, limits: 'off', media: sampleStudio }).listen();
  bot = await start();
});
afterEach(async () => {
  await bot.kill();
  await service.close();
  await place.close();
  await rm(folder, { recursive: true });
});

const databaseUrl = () => `sqlite:${join(folder, 'troupe.db')}`;
const environment = () => ({
  ...place.environment,
  SERVICE_BASE_URL: service.url,
  SERVICE_API_KEY: service.key,
  DATABASE_URL: databaseUrl(),
  PORT: '0',
});
const start = () => BotProcess.start(environment());

/** The status of a bot that is told to stop while it starts; null where the signal killed it. */
async function endOf(given: Readonly<Record<string, string>>): Promise<number | null> {
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const child = spawn(process.execPath, ['--import', at('stop-in-start.ts'), at('../../src/main.ts')], {
    env: { ...processEnvironment, ...given },
    stdio: 'ignore',
  });
  const [status] = await once(child, 'exit');
  return status;
}

/** The buttons below the message that says so. */
const buttonsBelow = (words: string) =>
  JSON.stringify(
    [...place.discord.world.messages.values()].find(({ content }) => content.includes(words))?.components,
  );

/** Runs a query on the database while no bot has it. */
async function query<Row>(text: string): Promise<Row[]> {
  const database = await openDatabase(databaseUrl());
  try {
    return (await sql<Row>`${sql.raw(text)}`.execute(database)).rows;
  } finally {
    await database.destroy();
  }
}

describe('a bot that gets a stop signal', () => {
  it('finishes its current answer, and refuses new requests with a message', async () => {
    await place.ready();
    place.give({ command: 'ask', prompt: 'tell me a story of 600 words' });
    await place.until('the first words', () => place.texts().some((text) => text.includes('sandbox')));
    const stopped = bot.stop();
    await bot.said('shutting down');
    place.give({ command: 'ask', prompt: 'one more' });
    await place.until('a word for who comes late', () => place.texts().includes(say.shuttingDown));
    expect(await stopped).toBe(0);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it('ends an answer that would take too long as interrupted, with a Continue button, and exits within 20 s', async () => {
    await place.ready();
    place.give({ command: 'ask', prompt: 'tell me a story of 20000 words' });
    await place.until('the first words', () => place.texts().some((text) => text.includes('sandbox')));
    expect(await bot.stop()).toBe(0);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).toContain(say.endings.interrupted);
    expect(buttonsBelow(say.endings.interrupted)).toContain(`"label":"${say.continue}"`);

    bot = await start();
    expect(place.hanging()).toEqual([]);
  });

  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('goes on stopping where %s is followed by %s', async (first, second) => {
    await place.ready();
    place.give({ command: 'ask', prompt: 'tell me a story of 600 words' });
    await place.until('the first words', () => place.texts().some((text) => text.includes('sandbox')));
    const ended = bot.end();
    bot.signal(first);
    await bot.said('shutting down');
    bot.signal(second);
    expect(await ended).toBe(0);
    expect(bot.log).toContain('still shutting down');
    expect(bot.log.match(/"shutting down"/g)).toHaveLength(1);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it('ends at once at the third signal', async () => {
    await place.ready();
    place.give({ command: 'ask', prompt: 'tell me a story of 20000 words' });
    await place.until('the first words', () => place.texts().some((text) => text.includes('sandbox')));
    const ended = bot.end();
    bot.signal('SIGINT');
    await bot.said('shutting down');
    bot.signal('SIGINT');
    await bot.said('still shutting down; one more signal exits at once');
    bot.signal('SIGINT');
    expect(await ended).toBe(1);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it.each([
    ['start', 'SIGTERM'],
    ['end', 'SIGTERM'],
    ['end', 'SIGTERM SIGINT'],
  ])('at the %s of its start (%s) leaves its renders as certain as they were', async (at, signals) => {
    await place.ready();
    const wish = { command: 'video', prompt: 'a kite over the sea' } as const;
    place.give(wish);
    await place.until('a render under way', () => place.texts().some((text) => text.includes(wish.prompt)));
    expect(await bot.stop()).toBe(0);
    // As if the process had died before the request was sent.
    await query(`UPDATE renders SET state = 'reserved', task_id = NULL`);

    expect(await endOf({ ...environment(), STOP_AT: at, STOP_SIGNALS: signals })).toBe(0);
    const [render] = await query<{ state: string }>('SELECT state FROM renders');
    expect(['reserved', 'waiting']).toContain(render?.state);

    bot = await start();
    await place.until('the video', () => place.fate(wish).delivered > 0);
    expect(place.fate(wish)).toEqual({ delivered: 1, uncertain: 0, told: 0 });
  });
});
