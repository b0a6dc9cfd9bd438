import { describe, expect, it } from 'vitest';
import type { Message, Person } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const done = (message: Message | undefined) => labelsOf(message).includes('Regenerate');
/** The sandbox answers with what was asked before in the conversation. */
const summary = 'Please give me a summary of our conversation so far';

/** Asks with a mention, and waits for the whole answer. */
async function answer(
  { discord, said }: DiscordScene,
  person: Person,
  place: Parameters<DiscordScene['said']>[0] & object,
  text: string,
): Promise<string> {
  const before = said(place).filter(done).length;
  const channel = discord.world.channel(place.id);
  person.mentions(channel, text);
  const found = await discord.until(text, () => said(place).filter(done)[before]);
  return found.content;
}

/** The question that somebody has to answer before something is paid for. */
const question = ({ discord, channel }: DiscordScene) =>
  discord.until('the question', () =>
    discord
      .messagesIn(channel, { ephemeral: true })
      .find((message) => labelsOf(message).includes('Yes, go ahead')),
  );

describe('/ask thread:true on Discord', () => {
  it('is named by the words as they’re typed: nothing turns what follows them around', async () => {
    const scene = await startDiscordScene();
    const { ada, channel, discord } = scene;
    ada.types(channel, { name: 'ask', options: { prompt: 'שלום \u202egreen', thread: true } });
    const root = await discord.until('the answer', () => scene.said().filter(done)[0]);
    const thread = await discord.until('the thread', () => discord.world.channels.get(root.id));
    expect(thread.name).toBe('שלום green');
  });

  it('opens a thread under the answer; what’s said there is a conversation that the channel doesn’t know', async () => {
    const scene = await startDiscordScene();
    const { ada, bob, channel, discord } = scene;
    ada.types(channel, { name: 'ask', options: { prompt: 'red' } });
    await discord.until('the first answer', () => scene.said().filter(done)[0]);
    ada.types(channel, { name: 'ask', options: { prompt: 'green', thread: true } });
    const root = await discord.until('the answer', () => scene.said().filter(done)[1]);
    const thread = await discord.until('the thread', () => discord.world.channels.get(root.id));
    expect(thread).toMatchObject({ name: 'green', thread: expect.anything() });

    const there = await answer(scene, bob, thread, summary);
    expect(there).toContain('green');
    expect(there).not.toContain('red');
    const here = await answer(scene, bob, channel, summary);
    expect(here).toContain('red');
    expect(here).not.toContain('green');

    await scene.restart();
    expect(await answer(scene, ada, thread, summary)).toContain('green');
  });
});

it('an answer on Discord says whose question it answers after a confirmation', async () => {
  const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '1' } });
  scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Why is the sky blue?' } });
  scene.ada.presses(await question(scene), 'Yes, go ahead');
  const found = await scene.labelled('Regenerate');
  expect(found.content).toMatch(/^> \*\*ada\*\*: Why is the sky blue\?\n/);
});
