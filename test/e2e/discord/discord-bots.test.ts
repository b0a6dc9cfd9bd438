import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import type { Channel, Person } from '../../fakes/discord/index.ts';
import { labelsOf, passes, startDiscordScene } from '../support/discord-scene.ts';

// Fact: A bot’s message has an author with `bot: true`, a webhook’s a `webhook_id` and any name (resources/message)
it('other bots are answered only where administrators let them, and no more once only bots talk there', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild, owner, rests, said } = scene;
  const parrot = discord.addPerson(guild, 'parrot', { bot: true });
  const echo = discord.addPerson(guild, 'echo', { bot: true });
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  const all = () => [...said(), ...said(thread)];
  const says = async (person: Person, what: string, at: Channel = channel) => {
    const before = all().length;
    const message = person.mentions(at, what);
    await rests();
    return { message, answers: all().slice(before).length };
  };
  expect((await says(parrot, 'repeat: hello')).answers).toBe(0);
  const options = { answer_bots: 'on' };
  owner.types(channel, { name: 'settings', sub: 'moderation', options });
  await rests();
  // Commands, faulty ones too, are only words from a bot.
  const { message } = await says(parrot, 'imagine a cat --size 99999');
  expect(said().at(-1)).toMatchObject({ replyTo: message.id, files: [] });
  expect(labelsOf(said().at(-1))).toContain('Regenerate');
  // After a pause they begin anew.
  await passes(scene, 11);
  for (const [bot, at] of [
    [parrot, channel],
    [echo, channel],
    [parrot, thread],
    [echo, thread],
    [parrot, channel],
    [echo, channel],
  ] as const)
    expect((await says(bot, 'repeat: hello', at)).answers).toBe(1);
  const spent = await scene.spent();
  expect((await says(parrot, 'repeat: hello', thread)).answers).toBe(1);
  expect(said(thread).at(-1)?.content).toBe(words('en').onlyBots);
  await passes(scene, 30);
  await scene.restart();
  for (const bot of [parrot, echo]) expect((await says(bot, 'repeat: hello')).answers).toBe(0);
  expect(await scene.spent()).toBe(spent);
  expect((await says(ada, 'enough')).answers).toBe(1);
  expect((await says(parrot, 'repeat: hello')).answers).toBe(1);
});
