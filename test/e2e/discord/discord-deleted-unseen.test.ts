import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import type { Message, Person } from '../../fakes/discord/index.ts';
import {
  deny,
  type DiscordScene,
  labelsOf,
  passes,
  startDiscordScene,
  threadsIn,
} from '../support/discord-scene.ts';

/** What the bot says in the channel and its threads. */
const saidThere = (scene: DiscordScene) => [
  ...scene.said(),
  ...threadsIn(scene).flatMap((one) => scene.said(one)),
];

/** Asks by a mention, whose result is held; until then the channel is closed to the bot. */
async function held(
  scene: DiscordScene,
  words: string,
  hasBegun: () => boolean,
  place = scene.channel,
): Promise<Message> {
  const { ada, until } = scene;
  ada.user.acceptsDirectMessages = false;
  const question = ada.mentions(place, words);
  await until('that it has begun', hasBegun);
  deny(scene, PermissionFlagsBits.ViewChannel);
  await passes(scene, 5);
  return question;
}

const results = [
  { result: 'an image', words: 'imagine a lighthouse' },
  { result: 'a video', words: 'video: a cat surfing --duration 4' },
];

// Fact: Unseen channels’ messages bring no events, nor later (discord-api-docs#867)
it.each(results)(
  '$result that’s held, and whose question is deleted while the bot is shut out, goes to its requester alone',
  async ({ words }) => {
    const scene = await startDiscordScene({ renderTime: 5 });
    const { ada, said, until } = scene;
    const question = await held(scene, words, () =>
      saidThere(scene).some(({ content }) => /Drawing…|Rendering…/.test(content)),
    );
    ada.deletes(question);
    deny(scene, 0n);
    await passes(scene, 65);
    await until('nothing is left there', () => saidThere(scene).length === 0);
    ada.user.acceptsDirectMessages = true;
    await passes(scene, 65);
    expect(said(ada.direct()).map(({ files }) => files.length)).toEqual([1]);
    expect(saidThere(scene)).toEqual([]);
  },
);

it('an answer that’s held isn’t given where its question is deleted while the bot is shut out', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { ada, said, until } = scene;
  const question = await held(scene, 'Write 400 characters about green', () => said().length > 0);
  ada.deletes(question);
  deny(scene, 0n);
  ada.user.acceptsDirectMessages = true;
  await passes(scene, 65);
  await until('nothing is left there', () => said().length === 0);
  expect(said(ada.direct())).toEqual([]);
});

it('an answer that’s held stays its requester’s where its thread is deleted while the bot is shut out', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { ada, bob, channel, discord, said } = scene;
  const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
  await held(scene, 'Write 400 characters about green', () => said(thread).length > 0, thread);
  discord.world.channels.delete(thread.id);
  deny(scene, 0n);
  await passes(scene, 65);
  const listed = async (person: Person) => {
    const typed = person.types(channel, { name: 'renders' });
    return discord.until('the list', () =>
      discord
        .messagesIn(channel, { ephemeral: true })
        .find((one) => one.interactionId === typed.id && one.content !== ''),
    );
  };
  expect((await listed(bob)).content).not.toContain('green');
  ada.presses(await listed(ada), 'Show 1');
  const shown = await discord.told(channel, '**This is the sandbox**');
  expect(shown.onlyFor).toBe(ada.user.id);
  expect(said()).toEqual([]);
});

it('a held image stays held where the bot can’t read whether its question still stands, and comes once it can', async () => {
  const scene = await startDiscordScene({ renderTime: 5 });
  const { said } = scene;
  await held(scene, 'imagine a lighthouse', () => said().some(({ content }) => content.includes('Drawing…')));
  deny(scene, PermissionFlagsBits.ReadMessageHistory);
  await passes(scene, 65);
  expect(said().flatMap(({ files }) => files)).toEqual([]);
  deny(scene, 0n);
  await passes(scene, 65);
  expect(said().flatMap(({ files }) => files)).toHaveLength(1);
});

it('a held version of an answer that no message asked for comes to its place', async () => {
  const scene = await startDiscordScene({ pace: 3 });
  const { ada, channel, until, labelled } = scene;
  ada.user.acceptsDirectMessages = false;
  ada.types(channel, { name: 'ask', options: { prompt: 'Write 1800 characters about green' } });
  const shown = await labelled('Regenerate');
  const { content } = shown;
  ada.presses(shown, 'Regenerate');
  await until('the new one', () => labelsOf(shown).includes('Stop') && !shown.content.startsWith(content));
  deny(scene, PermissionFlagsBits.ViewChannel);
  await passes(scene, 5);
  expect(shown.content.length).toBeLessThan(1_000);
  deny(scene, 0n);
  await passes(scene, 65);
  expect(shown.content.length).toBeGreaterThan(1_000);
  expect(shown.content).not.toContain(content);
  expect(labelsOf(shown)).toContain('Regenerate');
});

it('a video isn’t bought whose announcement is gone before its thread is opened, though nobody told the bot', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, said } = scene;
  const route = 'POST /channels/{channel_id}/messages/{message_id}/threads';
  const release = discord.faults.hold(route);
  ada.types(channel, { name: 'video', options: { prompt: 'a boat' } });
  await discord.until('the request', () => discord.faults.left(route) === 0);
  said()[0]!.deleted = true;
  release();
  await scene.rests();
  expect(await scene.spent()).toBe(0);
  expect([...saidThere(scene), ...said(ada.direct())]).toEqual([]);
});
