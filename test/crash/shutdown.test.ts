import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type ListeningSandbox } from '../../src/sandbox/index.ts';
import { words } from '../../src/words/index.ts';
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
  service = await createSandbox({ pace: 4, limits: 'off' }).listen();
  bot = await start();
});
afterEach(async () => {
  await bot.kill();
  await service.close();
  await place.close();
  await rm(folder, { recursive: true });
});

const start = () =>
  BotProcess.start({
    ...place.environment,
    SERVICE_BASE_URL: service.url,
    SERVICE_API_KEY: service.key,
    DATABASE_URL: `sqlite:${join(folder, 'troupe.db')}`,
    PORT: '0',
  });

describe('a bot that is told to stop', () => {
  it('finishes the answer it is at, and has a word for whoever comes meanwhile', async () => {
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

  it('ends an answer honestly that would take too long, with a way to go on, and is gone in 20 s', async () => {
    await place.ready();
    place.give({ command: 'ask', prompt: 'tell me a story of 20000 words' });
    await place.until('the first words', () => place.texts().some((text) => text.includes('sandbox')));
    expect(await bot.stop()).toBe(0);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).toContain(say.endings.interrupted);

    bot = await start();
    expect(place.hanging()).toEqual([]);
  });
});
