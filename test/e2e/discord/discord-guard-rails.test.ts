import { expect, it } from 'vitest';
import type { Interaction, Person } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** Guard rails of a server, and people who try to get round them. */

/** What one person alone has been told in the channel, and everybody. */
const told = ({ discord, channel }: DiscordScene, words: string) =>
  discord.messagesIn(channel, { ephemeral: true }).filter(({ content }) => content.includes(words));

async function sets({ owner, channel, discord }: DiscordScene, sub: string, options: Record<string, string>) {
  owner.types(channel, { name: 'settings', sub, options });
  await discord.told(channel, '✅ Changed');
}

const pictures = (scene: DiscordScene) => scene.said().filter(({ files }) => files.length > 0);

it('a cooldown holds by command, by mention, by form and by others’ buttons; for each person by themselves', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, channel, discord } = scene;
  await sets(scene, 'limits', { cooldown: '3600' });
  ada.types(channel, { name: 'imagine', options: { prompt: 'a kite' } });
  const image = await discord.until('the image', () =>
    pictures(scene).find((one) => labelsOf(one).includes('Again')),
  );
  const refusals = () => told(scene, 'again in').length;
  ada.types(channel, { name: 'imagine', options: { prompt: 'another kite' } });
  await discord.until('why not', () => refusals() === 1);
  ada.mentions(channel, 'imagine: a third kite');
  ada.presses(image, 'Again');
  ada.submits(await discord.opened(ada.presses(image, 'Edit')), { prompt: 'a fifth kite' });
  bob.presses(image, 'Again');
  await discord.until('Bob’s', () => pictures(scene).length === 2 || labelsOf(image).includes('2/2'));
  await scene.until('all that may come', async () => (await scene.spent()) >= 44);
  let looks = 0;
  await scene.until('a while', () => ++looks > 40);
  expect(await scene.spent()).toBe(44);
  expect(refusals()).toBeGreaterThanOrEqual(3);
});

it('who is blocked by a role gets no answer but why, once in a while where they only mention the bot, and spends nothing', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, owner, guild, channel, discord } = scene;
  const muted = discord.world.addRole(guild, 'muted', 0n);
  const privately = (person: Person, words: string) => {
    person.types(channel, { name: 'ask', options: { prompt: `repeat: ${words}`, private: true } });
    return discord.until('the private answer', () =>
      told(scene, words).find((one) => labelsOf(one).includes('Share here')),
    );
  };
  const [adas, bobs] = [await privately(ada, 'north'), await privately(bob, 'tar')];
  ada.mentions(channel, 'ask "repeat: south" --private true');
  const direct = await scene.labelled('Share here', ada.direct());
  guild.members.get(ada.user.id)?.roles.push(muted.id);
  await sets(scene, 'people', { blocked: `<@&${muted.id}>` });
  const refusals = () => told(scene, 'You can’t use me here').length;
  ada.types(channel, { name: 'ask', options: { prompt: 'Hi' } });
  await discord.until('why not', () => refusals() === 1);
  ada.mentions(channel, 'hello?');
  ada.mentions(channel, 'hello??');
  ada.mentions(channel, 'imagine a kite');
  bob.mentions(channel, 'hello');
  await scene.labelled('Delete');
  expect(refusals()).toBeLessThanOrEqual(2);
  expect(scene.said().filter(({ content }) => content.includes('kite'))).toEqual([]);
  // Nor does what they got before that reach others, or what has a word that has been blocked since.
  const before = scene.said().length;
  const toldBefore = refusals();
  ada.presses(adas, 'Share here');
  await discord.until('why it isn’t shared', () => refusals() > toldBefore);
  // In direct messages nobody has a role.
  const aside = () => told({ ...scene, channel: ada.direct() }, 'You can’t use me here').length;
  ada.presses(direct, 'Share here');
  await discord.until('why it isn’t shared', () => aside() === 1);
  ada.presses(direct, 'Regenerate');
  await discord.until('why not', () => aside() === 2);
  owner.types(channel, { name: 'settings', sub: 'moderation', options: { blocked_words: 'tar' } });
  await discord.until('the change', () => told(scene, '- `blocked_words`').length === 1);
  bob.presses(bobs, 'Share here');
  await discord.until('why it isn’t shared', () => told(scene, 'a word that’s blocked here').length === 1);
  expect(scene.said()).toHaveLength(before);
});

it('a budget by role is each person’s own, and not everybody’s', async () => {
  const scene = await startDiscordScene();
  const { ada, bob, guild, channel, discord } = scene;
  const supporters = discord.world.addRole(guild, 'supporters', 0n);
  guild.members.get(ada.user.id)?.roles.push(supporters.id);
  await sets(scene, 'limits', { role_credits: `<@&${supporters.id}>=44` });
  await sets(scene, 'budgets', { user_credits: '22' });
  const draws = (person: Person) => person.types(channel, { name: 'imagine', options: { prompt: 'a kite' } });
  for (let count = 0; count < 3; count++) {
    draws(ada);
    draws(bob);
    await scene.until(
      'a while',
      () => told(scene, 'daily budget').length + pictures(scene).length >= 2 * (count + 1),
    );
  }
  expect(pictures(scene)).toHaveLength(3);
  expect(told(scene, 'Your daily budget of 44 credits')).toHaveLength(1);
  expect(told(scene, 'Your daily budget of 22 credits')).toHaveLength(2);
});

it('no form opens for what its person may not do here: they’re told why before they fill it in', async () => {
  const scene = await startDiscordScene();
  const { bob, ada, channel, discord, rests } = scene;
  ada.types(channel, { name: 'ask', options: { prompt: 'repeat: hello' } });
  const answer = await scene.labelled('Reply');
  await sets(scene, 'commands', { off: 'ask' });
  await sets(scene, 'people', { users_imagine: `<@${ada.user.id}>` });
  await rests();
  const why = async (given: Interaction) => {
    await rests();
    expect(given.modal).toBeUndefined();
    return discord.aside(channel, bob).find(({ interactionId }) => interactionId === given.id)?.content;
  };
  expect(await why(bob.presses(answer, 'Reply'))).toContain('is turned off here');
  expect(await why(bob.picks(answer, 'Ask about this'))).toContain('is turned off here');
  expect(await why(bob.presses(answer, 'Draw it'))).toContain('Only certain people can use');
  await discord.opened(ada.presses(answer, 'Draw it'));
  await discord.opened(bob.picks(answer, 'Report this'));
});
