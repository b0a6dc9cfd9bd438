import { Locale } from 'discord-api-types/v10';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { words } from '../../src/words/index.ts';
import { freshPostgres } from '../fakes/postgres/index.ts';
import { startDiscordScene } from './support/discord-scene.ts';
import { startSlackScene, textOf } from './support/slack-scene.ts';

/** A database that takes everything but renders, until `mend` is called. */
async function withoutRenders(url: string): Promise<{ fill(): Promise<void>; mend(): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return {
    async fill() {
      const full = `raise exception 'full' using errcode = '53100'`;
      await client.query(
        `create function out_of_space() returns trigger as $$ begin ${full}; end $$ language plpgsql`,
      );
      await client.query(
        'create trigger out_of_space before insert on renders for each row execute function out_of_space()',
      );
    },
    async mend() {
      await client.query('drop trigger out_of_space on renders');
    },
  };
}

const talents = [
  ['imagine', '> a cat\n`2k`'],
  ['video', '> a cat\n`5 s` `720p` `16:9` `balanced`'],
] as const;

it('on Discord, what can’t be recorded shows why where it was announced, and can be tried again', async () => {
  const locale = Locale.ChineseCN;
  const { errors, tryAgain } = words('zh-CN');
  const url = await freshPostgres();
  const scene = await startDiscordScene({}, { environment: { DATABASE_URL: url } });
  const { ada, bob, channel, discord } = scene;
  const database = await withoutRenders(url);
  await database.fill();
  const told = () => scene.said().filter(({ content }) => content.includes(errors.database));
  for (const [index, [name, about]] of talents.entries()) {
    ada.types(channel, { name, options: { prompt: 'a cat' }, locale });
    await discord.until('the reason', () => told().length > index);
    expect(told()[index]?.content).toBe(`${about}\n⚠️ ${errors.database}`);
  }
  expect(scene.said()).toHaveLength(talents.length);
  await database.mend();
  const [image] = told();
  if (!image) throw new Error('nothing was told');
  bob.presses(image, tryAgain);
  const drawn = await scene.withFile();
  expect(drawn.content).toBe('> **bob** · /imagine\n> a cat\n`2k`');
});

it('on Slack, what can’t be recorded shows why where it was announced, and can be tried again', async () => {
  const url = await freshPostgres();
  const scene = await startSlackScene('socket', {}, { DATABASE_URL: url });
  const { general, ben } = scene;
  const { errors, tryAgain } = words('zh-CN');
  const database = await withoutRenders(url);
  await database.fill();
  const told = () => scene.said().filter((message) => textOf(message).includes(errors.database));
  for (const [index, [name, about]] of talents.entries()) {
    await ben.types(`/${name} a cat`, general);
    await scene.until('the reason', () => told().length > index);
    const text = `*ben* · \`/${name}\`\n${about}\n⚠️ ${errors.database}\n${tryAgain}`;
    expect(textOf(told()[index])).toBe(text);
  }
  expect(scene.said()).toHaveLength(talents.length);
  const spent = await scene.spent();
  await database.mend();
  const [image] = told();
  if (!image) throw new Error('nothing was told');
  await ben.presses(image, tryAgain);
  await scene.until('the image', async () => (await scene.spent()) > spent);
});
