import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { interactionsPath } from '../../../src/platforms/discord/connection/interactions-endpoint.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { run, type Running } from '../../../src/start/run.ts';
import { FakeDiscord } from '../../fakes/discord/index.ts';
import { freshPostgres } from '../../fakes/postgres/index.ts';
import { patience } from '../../patience.ts';
import { invited, shortBuckets } from '../../platforms/discord/support/invited.ts';
import { labelsOf } from '../support/discord-scene.ts';
import { keptLog } from '../support/kept-log.ts';
import { sampleStudio } from '../support/sample-studio.ts';
import { RoundRobin } from './support/proxy.ts';

const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';

it('two processes behind a proxy, without a gateway, are one bot', async () => {
  const sandbox = await createSandbox({
    pace: 'instant',
    renderTime: 0,
    limits: 'off',
    media: sampleStudio,
  }).listen();
  onTestFinished(() => sandbox.close());
  const discord = await FakeDiscord.start({ buckets: shortBuckets, waitsFor: patience.timeout });
  onTestFinished(() => discord.close());
  const owner = discord.world.addUser('owner');
  discord.world.applicationOwner = owner;
  const guild = discord.world.addGuild({ name: 'Analysts', owner, permissions: invited });
  const channel = discord.world.addChannel(guild, 'general');
  const ada = discord.addPerson(guild, 'ada');
  const config = readConfig({
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: sandbox.key,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_PUBLIC_KEY: discord.endpoint.publicKey,
    DISCORD_SHARDS: '0',
    DATABASE_URL: await freshPostgres(),
    CONFIRM_OVER_CREDITS: '100000',
    PORT: '0',
  });
  // This is about two processes, and a busy machine would miss what's said in seconds.
  const unhurried = { noticedWithin: 0, silentAfter: patience.timeout };
  const processes: Running[] = [];
  onTestFinished(async () => void (await Promise.all(processes.map((one) => one.stop()))));
  for (let count = 0; count < 2; count++) {
    const one = await run(config, await keptLog(undefined), unhurried);
    processes.push(one);
    await discord.until('readiness', () => discord.commands.list('global').length > 0);
  }
  for (const { url } of processes) {
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(ready).toBe(200);
  }
  const proxy = new RoundRobin(() => processes.map(({ url }) => url));
  onTestFinished(() => proxy.close());
  await discord.endpoint.save(`${await proxy.start()}${interactionsPath}`);
  // As any proxy may, it sends each one twice: to one process, then to the other.
  discord.endpoint.repeats = 1;
  proxy.took.length = 0;

  const said = () =>
    discord.messagesIn(channel).filter(({ content, files }) => content !== '' || files.length > 0);
  ada.types(channel, { name: 'ask', options: { prompt: 'first' } });
  const answer = await discord.until('the answer', () =>
    said().find((message) => labelsOf(message).includes('Regenerate')),
  );
  expect(said()).toHaveLength(1);
  ada.presses(answer, 'Regenerate');
  const versions = await discord.until('the new version', () =>
    said().find((message) => labelsOf(message).some((label) => label.includes('2/2'))),
  );
  expect(versions.id).toBe(answer.id);
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  const image = await discord.until('the image', () => said().find(({ files }) => files.length > 0));
  const pressed = ada.presses(image, 'Edit');
  await discord.until('the form', () => pressed.modal);
  const typing = ada.completes(channel, 'speak', 'voice', 'v');
  await discord.until('suggestions', () => typing.choices);
  ada.types(channel, { name: 'speak', options: { text: 'hello' } });
  await discord.until('the clip', () =>
    said().some(({ files }) => files.some(({ name }) => /ogg|mp3/.test(name))),
  );

  expect(said().filter(({ files }) => files.length > 0)).toHaveLength(2);
  expect(new Set(proxy.took).size).toBe(2);
  expect(discord.gateway.identifyCount).toBe(0);
  // Suggestions alone are given by both: they change nothing.
  const callbacks = discord.journal.to(acknowledge).filter(({ status }) => status === 200 || status === 204);
  expect(new Set(callbacks.map(({ path }) => path)).size).toBe(callbacks.length);
  expect(discord.journal.violations).toEqual([]);
});
