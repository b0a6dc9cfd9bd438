import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import {
  deny,
  type DiscordScene,
  drawn,
  finished,
  labelsOf,
  startDiscordScene,
} from '../support/discord-scene.ts';

/** The bot in a channel whose messages it may not read again. */
async function withoutHistory(): Promise<DiscordScene> {
  const scene = await startDiscordScene();
  deny(scene, PermissionFlagsBits.ReadMessageHistory);
  return scene;
}

it('a text file of a message that somebody asks about in its menu is read, as it came', async () => {
  const { ada, bob, channel, discord } = await withoutHistory();
  const bytes = Buffer.from('The tide turns at noon.');
  const theirs = bob.writes(channel, 'look', {
    files: [{ name: 'notes.txt', contentType: 'text/plain', bytes }],
  });
  const { modal } = await discord.opened(ada.picks(theirs, 'Ask about this'));
  expect(JSON.stringify(modal)).toContain('bob: look');
  expect(JSON.stringify(modal)).not.toContain('I couldn’t read');
});

it('Again under an image draws another below: in its place the first would be lost', async () => {
  const scene = await withoutHistory();
  const first = await drawn(scene);
  const before = first.files;
  scene.ada.presses(first, 'Again');
  const second = await finished(scene, (message) => message !== first);
  expect(second.files).toHaveLength(1);
  expect(first.files).toEqual(before);
});

it('versions from before can be paged through', async () => {
  const scene = await startDiscordScene();
  const { ada, discord } = scene;
  const image = await drawn(scene);
  const [first] = image.files;
  ada.presses(image, 'Again');
  await discord.until('the second', () => labelsOf(image).includes('2/2'));
  deny(scene, PermissionFlagsBits.ReadMessageHistory);
  ada.presses(image, '‹');
  await discord.until('the first', () => labelsOf(image).includes('1/2'));
  expect(discord.fileBytes(image.files[0]!.url)).toEqual(discord.fileBytes(first!.url));
  ada.presses(image, '›');
  await discord.until('the second', () => labelsOf(image).includes('2/2'));
});
