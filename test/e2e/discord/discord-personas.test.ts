import { expect, it } from 'vitest';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { labelsOf, page, privately, promote, startDiscordScene } from '../support/discord-scene.ts';

it('an administrator makes a persona in forms; it answers who asks it, or a channel, under its name', async () => {
  const scene = await startDiscordScene();
  const { discord, guild, channel, ada, bob } = scene;
  const boss = discord.person(discord.world.user(guild.ownerId));
  const { roles } = promote(scene, bob);
  boss.types(channel, { name: 'settings', sub: 'personas' });
  boss.submits(await discord.opened(boss.presses(await page(scene, 'Add a persona'), 'Add a persona')), {
    name: 'Captain @here',
    prompt: 'You are a captain.',
    image_size: '3k',
  });
  const list = await page(scene, 'Captain @here');
  expect(list.content).toContain('✅ Saved: `Captain @here`');

  // Whoever isn't an administrator any more changes nothing, also with a form that's still open.
  bob.types(channel, { name: 'settings', sub: 'personas' });
  const bobs = await discord.until('his page', () => discord.aside(channel, bob)[0]);
  await discord.until('its buttons', () => labelsOf(bobs).includes('Captain @here'));
  const open = await discord.opened(bob.presses(bobs, 'Add a persona'));
  roles.splice(0);
  bob.submits(open, { name: 'Eve' });
  await privately(scene, bob, 'Only administrators can do that here.');

  const typing = ada.completes(channel, 'ask', 'as', '');
  expect(await discord.until('suggestions', () => typing.choices)).toEqual([
    { name: 'Captain @here', value: 'Captain @here' },
    { name: 'none', value: 'none' },
  ]);
  ada.types(channel, { name: 'ask', options: { prompt: 'Where to?', as: 'Bob' } });
  await privately(scene, ada, 'There’s no persona `Bob` here. Personas: `Captain @here`');
  expect(await scene.spent()).toBe(0);

  const answered = (count: number) =>
    discord.until(`answer ${count}`, () => {
      const message = scene.said()[count - 1];
      return message && labelsOf(message).includes('Regenerate') ? message : undefined;
    });
  ada.types(channel, { name: 'ask', options: { prompt: 'repeat: West', as: 'captain @HERE' } });
  const first = await answered(1);
  const above = '> **ada**: repeat: West\n-# **Captain @here**\n';
  expect(first.content).toBe(`${above}West`);
  ada.presses(first, 'Regenerate');
  await discord.until('the new version', () => labelsOf(first).includes('2/2'));
  expect(first.content.startsWith(above)).toBe(true);
  bob.presses(first, '‹');
  await discord.until('the first version', () => labelsOf(first).includes('1/2'));
  expect(first.content).toBe(`${above}West`);

  boss.types(channel, {
    name: 'settings',
    sub: 'answers',
    options: { as: 'captain @here', machine_note: 'everything' },
  });
  await privately(scene, boss, '- `as`: `Captain @here` (this channel)');
  // By a message, and after a restart; the long answer has the name above its first part alone.
  await scene.restart();
  bob.mentions(channel, 'Write 3000 characters');
  const long = await answered(3);
  expect(scene.said()[1]?.content).toMatch(/^-# \*\*Captain @here\*\*\n/);
  expect(long.content).not.toContain('Captain');
  expect(long.content.endsWith('\n\n-# Made with AI')).toBe(true);
  // What isn't shown is said by the bot itself.
  boss.types(channel, { name: 'settings', sub: 'moderation', options: { blocked_words: 'tar' } });
  await privately(scene, boss, '- `blocked_words`');
  await changeSandbox(scene.sandbox, { answers: ['It smells. Of tar.'] });
  bob.mentions(channel, 'What is it?');
  const why = '⚠️ I can’t show this answer: it has a word that’s blocked here.';
  await discord.until('why not', () => scene.said().at(-1)?.content.includes(why));
  expect(scene.said().at(-1)?.content).toBe(why);
});
