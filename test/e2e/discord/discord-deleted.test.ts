import { expect, it } from 'vitest';
import { type DiscordScene, startDiscordScene } from '../support/discord-scene.ts';

/** The announcement of what's being made, which a moderator deletes. */
async function isDeleted({ discord, said, bob }: DiscordScene): Promise<void> {
  const message = await discord.until('the announcement', () =>
    said().find(({ content }) => content.includes('Drawing')),
  );
  bob.deletes(message);
}

it('an image whose announcement somebody deletes goes to its requester alone', async () => {
  const scene = await startDiscordScene({ renderTime: 2 });
  const { discord, channel, ada } = scene;
  const hasImage = (place: { readonly id: string }, ephemeral: boolean) =>
    discord.messagesIn(place, { ephemeral }).some(({ files }) => files.length > 0);
  ada.types(channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
  await isDeleted(scene);
  await discord.until('the image', () => hasImage(channel, true));
  const alone = discord.messagesIn(channel, { ephemeral: true }).find(({ files }) => files.length > 0);
  expect(alone).toMatchObject({ onlyFor: ada.user.id });
  expect(scene.said()).toEqual([]);
  expect(scene.said(ada.direct())).toEqual([]);

  // A mention leaves no token.
  ada.writes(channel, `<@${discord.world.bot.id}> imagine a lighthouse`);
  await isDeleted(scene);
  await discord.until('the image', () => hasImage(ada.direct(), false));
  expect(scene.said()).toEqual([]);
  expect(discord.journal.violations).toEqual([]);
});
