import { expect, it } from 'vitest';
import { labelsIn } from '../crash/place.ts';
import { startDiscordScene } from './support/discord-scene.ts';
import { everythingIn } from './support/everything.ts';
import { labelsOf, startSlackScene } from './support/slack-scene.ts';

it('nothing private is shown by the buttons of what was private, after Delete my data', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord } = scene;
  const shown = (words: string) => discord.told(channel, words);
  const options = { prompt: 'repeat: The moon is of CHEDDAR', private: true };
  ada.types(channel, { name: 'ask', options });
  const answer = await shown('The moon is of CHEDDAR');
  await scene.until('its buttons', () => labelsIn(answer.components).includes('Listen'));
  ada.types(channel, { name: 'privacy' });
  ada.presses(await shown('What I keep about you'), 'Delete my data');
  ada.presses(await shown('You can’t undo this'), 'Delete my data');
  await shown('Deleted. What’s still under way');
  const spent = await scene.spent();
  for (const label of ['Reply', 'Regenerate', 'Listen', 'Draw it', 'Share here']) {
    const count = discord.messagesIn(channel, { ephemeral: true }).length;
    ada.presses(answer, label);
    await scene.until('a word', () => discord.messagesIn(channel, { ephemeral: true }).length > count);
    const [word] = discord.messagesIn(channel, { ephemeral: true }).slice(-1);
    expect(word).toMatchObject({
      onlyFor: ada.user.id,
      content: 'This button has expired. Run the command again.',
    });
  }
  expect(scene.said().filter(({ onlyFor }) => onlyFor === undefined)).toEqual([]);
  expect(await scene.spent()).toBe(spent);
  ada.presses(answer, 'Delete');
  await scene.until('its deletion', () => answer.deleted);
});

it('Export my data and Delete my data come to their person alone, on Discord, and nothing is left of them there', async () => {
  const { url, rowsWith } = await everythingIn();
  const scene = await startDiscordScene({}, { environment: { DATABASE_URL: url } });
  const { ada, bob, channel, discord } = scene;
  const shown = (words: string) =>
    discord.until(words, () =>
      [...discord.world.channels.values()]
        .flatMap((one) => discord.messagesIn(one, { ephemeral: true }))
        .find(
          ({ content, files }) =>
            content.includes(words) && (words !== 'Your commands, answers' || files.length > 0),
        ),
    );
  ada.types(channel, { name: 'ask', options: { prompt: 'Is the moon of CHEDDAR' } });
  await discord.until('the answer', () => scene.said().find(({ content }) => content.length > 0));
  ada.types(channel, { name: 'privacy' });
  const page = await shown('What I keep about you');
  expect(page.onlyFor).toBe(ada.user.id);
  ada.presses(page, 'Export my data');
  const exported = await shown('Your commands, answers');
  expect(exported.onlyFor).toBe(ada.user.id);
  expect(Buffer.from(exported.files[0]?.bytes ?? []).toString()).toContain('Is the moon of CHEDDAR');
  ada.presses(page, 'Delete my data');
  const question = await shown('You can’t undo this');
  expect(question.onlyFor).toBe(ada.user.id);
  ada.presses(question, 'Delete my data');
  await shown('Deleted. What’s still under way');
  const left = ['CHEDDAR', '**ada**', `locale of ${ada.user.id}`].flatMap(rowsWith);
  expect(left).toEqual([]);
  bob.types(channel, { name: 'ask', options: { prompt: 'And you?' } });
  await scene.until('an answer of its own', () => scene.said().length > 1);
  expect(scene.said().at(-1)?.content).not.toContain('CHEDDAR');
});

it('after Delete my data nothing says who stood above an image’s announcement on Slack, whose place the image took', async () => {
  const { url, rowsWith } = await everythingIn();
  const scene = await startSlackScene('socket', {}, { DATABASE_URL: url });
  const { ada, general, until } = scene;
  const whisper = (words: string) =>
    until(words, () => ada.whispers.findLast(({ blocks }) => JSON.stringify(blocks).includes(words)));
  await ada.types('/imagine a cat', general);
  await scene.fills(ada, ada.presses(await scene.labelled('Edit'), 'Edit'), { prompt: 'the cat by night' });
  await until(
    'the other image',
    () => scene.said().filter((one) => labelsOf(one).includes('Edit')).length === 2,
  );
  expect(rowsWith('slack::frame')).not.toEqual([]);
  await ada.types('/troupe privacy', general);
  await ada.presses(await whisper('What I keep about you'), 'Delete my data');
  await ada.presses(await whisper('You can’t undo this'), 'Delete my data');
  await whisper('Deleted. What’s still under way');
  expect(rowsWith('*ada*')).toEqual([]);
});
