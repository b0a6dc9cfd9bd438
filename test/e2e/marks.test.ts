import { expect, it } from 'vitest';
import type { Studio } from '../../src/sandbox/index.ts';
import type { FakeDiscord, Message } from '../fakes/discord/index.ts';
import { madeByModel, sourceTypeOf } from '../media/marks/read.ts';
import { noise } from '../platforms/discord/support/pictures.ts';
import { type DiscordScene, startDiscordScene } from './support/discord-scene.ts';
import { sampleStudio } from './support/sample-studio.ts';
import { startSlackScene } from './support/slack-scene.ts';

/** Bytes that a server takes: fewer than an image or a WAV has. */
const limit = 60_000;
const limiting = (discord: FakeDiscord) => {
  for (const guild of discord.world.guilds.values()) guild.uploadLimit = limit;
};

const film = { prompt: 'a cat surfing', duration: 4, resolution: '480p' };
const bytesIn = ({ files }: Pick<Message, 'files'>) => files[0]?.bytes ?? new Uint8Array();
const posted = ({ discord, said }: DiscordScene, name: string) =>
  discord.until(name, () => said().find(({ files }) => files[0]?.name.endsWith(name)));

it('what’s made on Discord carries the mark: voice messages, clips of each format, images and videos', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord } = scene;
  ada.types(channel, { name: 'speak', options: { text: 'Good morning, everybody.' } });
  const voice = await posted(scene, '.ogg');
  expect(await sourceTypeOf(bytesIn(voice))).toBe(madeByModel);
  expect(voice.files[0]?.durationSeconds).toBeGreaterThan(0.5);
  for (const format of ['mp3', 'wav', 'opus']) {
    ada.types(channel, { name: 'speak', options: { text: 'Good morning.', format } });
    expect(await sourceTypeOf(bytesIn(await posted(scene, `.${format}`)))).toBe(madeByModel);
  }
  ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse', size: '1024x1024' } });
  expect(await sourceTypeOf(bytesIn(await posted(scene, '.png')))).toBe(madeByModel);
  ada.types(channel, { name: 'video', options: film });
  const isFilmed = () =>
    [...discord.world.channels.values()]
      .flatMap((place) => scene.said(place))
      .find(({ files }) => files[0]?.name.endsWith('.mp4'));
  expect(await sourceTypeOf(bytesIn(await discord.until('the video', isFilmed)))).toBe(madeByModel);
});

it('what’s made smaller for Discord carries the mark, within the limit', async () => {
  const media: Studio = { ...sampleStudio, draw: async () => noise(160) };
  const scene = await startDiscordScene({ media }, { before: limiting });
  const { ada, bob, channel, discord, said } = scene;
  const group = discord.world.addGroup([ada.user, bob.user]);
  const options = { prompt: 'a lighthouse', size: '1024x1024' };
  ada.types(group, { name: 'imagine', options, uploadLimit: limit });
  const isDrawn = () => said(group).find(({ files }) => files[0]?.name.endsWith('.webp'));
  const image = bytesIn(await discord.until('the image', isDrawn));
  expect(await sourceTypeOf(image)).toBe(madeByModel);
  expect(image.length).toBeLessThanOrEqual(limit);
  ada.types(channel, { name: 'speak', options: { text: 'Good morning, everybody.', format: 'wav' } });
  expect(await sourceTypeOf(bytesIn(await posted(scene, '.mp3')))).toBe(madeByModel);
});

it('an image on Discord from before there were marks carries one once it’s paged back to', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord } = scene;
  ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  const image = await posted(scene, 'image.png');
  const bytes = await sampleStudio.draw({ prompt: 'a lighthouse', width: 64, height: 64 });
  discord.world.files.set(image.files[0]?.url.split('?')[0] ?? '', bytes);
  ada.presses(image, 'Again');
  await discord.until('the next version', () => image.files[0]?.name === 'image-v2.png');
  ada.presses(image, '‹');
  await discord.until('the first version', () => image.files[0]?.name === 'image.png');
  expect(await sourceTypeOf(bytesIn(image))).toBe(madeByModel);
});

it('what’s made on Slack carries the mark', async () => {
  const { ada, general, slack, workspace, said, until } = await startSlackScene('socket');
  const stated = (id: string) => sourceTypeOf(slack.bytesOf(workspace, id));
  await ada.types('/speak Good morning, everybody.', general);
  const clip = await until('the clip', () => said().find(({ files }) => files.length > 0)?.files[0]);
  expect(await stated(clip)).toBe(madeByModel);
  await ada.types('/imagine a lighthouse --size 1024x1024', general);
  const image = await until('the image', () =>
    said()
      .flatMap(({ blocks }) => blocks)
      .find(({ type }) => type === 'image'),
  );
  expect(await stated((image as { slack_file: { id: string } }).slack_file.id)).toBe(madeByModel);
  await ada.types('/video a cat surfing --duration 4 --resolution 480p', general);
  const video = await until('the video', () =>
    said()
      .flatMap(({ files }) => files)
      .find((id) => workspace.files.get(id)?.name.endsWith('.mp4')),
  );
  expect(await stated(video)).toBe(madeByModel);
});

it('what somebody gives to draw from on Slack is sent as it is', async () => {
  const given: string[] = [];
  const media: Studio = {
    ...sampleStudio,
    draw: (order) => {
      given.push(...(order.references ?? []));
      return sampleStudio.draw(order);
    },
  };
  const { ada, general, until } = await startSlackScene('socket', { media });
  const reference = await sampleStudio.draw({ prompt: 'a lighthouse', width: 64, height: 64 });
  await ada.types('/imagine', general);
  await until('the form', () => ada.form);
  await ada.sends({ prompt: 'the same by night', 'files:reference': [ada.file('a.png', reference)] });
  const [sent] = await until('the order', () => given.length > 0 && given);
  expect(sent?.endsWith(Buffer.from(reference).toString('base64'))).toBe(true);
});
