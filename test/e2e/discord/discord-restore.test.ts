import { expect, it } from 'vitest';
import { FakeClock } from '../../fakes/clock.ts';
import { invited } from '../../platforms/discord/support/invited.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';
import { restorable } from '../support/restorable.ts';

const imagesIn = ({ said }: DiscordScene) => said().filter(({ files }) => files.length > 0);

it('images that were posted after the copy was made stay as they are once that is restored', async () => {
  const { url, renders, copy, restore } = await restorable();
  const scene = await startDiscordScene({ renderTime: 2 }, { environment: { DATABASE_URL: url } });
  const { ada, bob, channel, until } = scene;
  const states = () => renders().map(({ state }) => state);
  const areDelivered = () => renders().every(({ delivered }) => delivered);
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  await until('one that is drawn', () => states()[0] === 'waiting');
  bob.types(channel, { name: 'imagine', options: { prompt: 'a dog [[rate limit 40 once]]' } });
  await until('one that waits to be ordered', () => states()[1] === 'reserved');
  expect(states()).toEqual(['waiting', 'reserved']);
  await copy();
  await until('both', () => areDelivered() && imagesIn(scene).length === 2);
  const [cat] = imagesIn(scene);
  ada.presses(cat!, 'Again');
  await until('a new version', () => renders().length === 3 && areDelivered());
  const shown = () =>
    scene.said().map((message) => [message.content, labelsOf(message), message.files.map(({ url }) => url)]);
  const before = shown();

  await scene.restart(restore);
  await until('the records again', areDelivered);
  expect(shown()).toEqual(before);
});

it('a film that waited to be ordered as the copy was made, and was posted since, stays as it is', async () => {
  const { url, renders, copy, restore } = await restorable();
  const scene = await startDiscordScene({ renderTime: 2 }, { environment: { DATABASE_URL: url } });
  const { ada, channel, discord, until } = scene;
  const shown = () =>
    [...discord.world.messages.values()].map((one) => [one.channelId, one.content, one.files.length]);
  ada.types(channel, { name: 'video', options: { prompt: 'a dog [[rate limit 40 once]]', duration: 4 } });
  await until('one that waits to be ordered', () => renders()[0]?.state === 'reserved');
  await copy();
  await until('the film', () => Boolean(renders()[0]?.delivered));
  const before = shown();
  await scene.restart(restore);
  await until('its record', () => Boolean(renders()[0]?.delivered));
  expect(shown()).toEqual(before);
});

it('a new version that was drawn as the copy was made still takes the place of the one before', async () => {
  const { url, renders, copy, restore } = await restorable();
  const scene = await startDiscordScene({ renderTime: 20 }, { environment: { DATABASE_URL: url } });
  const { ada, channel, until } = scene;
  const names = () => imagesIn(scene).flatMap(({ files }) => files.map(({ name }) => name));
  ada.types(channel, { name: 'imagine', options: { prompt: 'a cat' } });
  await until('the image', () => Boolean(renders()[0]?.delivered));
  ada.presses(imagesIn(scene)[0]!, 'Again');
  await until('its new version', () => renders()[1]?.state === 'waiting');
  await copy();

  await scene.restart(async () => {
    expect(names()).toEqual(['image.png']);
    await restore();
  });
  await until('the new version', () => Boolean(renders()[1]?.delivered));
  expect(names()).toEqual(['image-v2.png']);
});

it('who was greeted after the copy was made isn’t greeted again once that is restored; a new server is', async () => {
  const { url, copy, restore } = await restorable();
  const scene = await startDiscordScene({}, { environment: { DATABASE_URL: url } });
  const { discord, ada, channel, said, until } = scene;
  const { world, events } = discord;
  const invites = async (name: string) => {
    const guild = world.addGuild({
      name,
      owner: world.addUser('stranger'),
      permissions: 0n,
      hasBot: false,
    });
    const place = world.addChannel(guild, 'general');
    events.invited(guild, invited);
    await until('the introduction', () => said(place).length > 0);
    return place;
  };
  ada.types(channel, { name: 'ask', options: { prompt: 'hello' } });
  await until('an answer', () => said().length === 1);
  await copy();
  const place = await invites('Before');
  await scene.restart(async () => {
    await restore();
    // Discord knows a message by its nonce for some minutes.
    if (world.clock instanceof FakeClock) await world.clock.advance(600_000);
  });
  await invites('After');
  expect(said(place).map(({ content }) => content)).toEqual([expect.any(String)]);
});
