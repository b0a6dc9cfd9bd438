import { describe, expect, it } from 'vitest';
import type { Channel } from '../fakes/discord/index.ts';
import { type DiscordScene, startDiscordScene } from './discord-scene.ts';

const thirty = { USER_DAILY_CREDITS: '30', CHANNEL_DAILY_CREDITS: '30', WORKSPACE_DAILY_CREDITS: '30' };

/** Everything the bot has answered in a place, what one person alone sees included. */
function answers({ discord }: DiscordScene, place: Channel): readonly string[] {
  return discord
    .messagesIn(place, { ephemeral: true })
    .filter(({ content, files }) => content !== '' || files.length > 0)
    .filter(({ authorId }) => authorId === discord.world.bot.id)
    .map(({ content }) => content);
}

async function refuseKey({ sandbox }: DiscordScene): Promise<void> {
  const faults = ['chat', 'voices'].map((operation) => ({
    operation,
    do: 'error',
    status: 401,
    times: 1_000,
  }));
  await fetch(`${sandbox.url}/sandbox/control`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.key}` },
    body: JSON.stringify({ faults }),
  });
}

describe('a stranger in her direct messages with the bot', () => {
  it('lifts no budget, and so spends no more than it', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    const direct = scene.ada.direct();
    const lifting = { user_credits: '0', channel_credits: '0', workspace_credits: '0' };
    scene.ada.types(direct, { name: 'settings', options: lifting });
    await scene.discord.until('the answer', () => answers(scene, direct).length === 1);
    expect(answers(scene, direct)[0]).toContain("You can't change that in a direct message.");
    for (let index = 2; index <= 6; index++) {
      scene.ada.types(direct, { name: 'imagine', options: { prompt: `number ${index}` } });
      await scene.discord.until('an answer', () => answers(scene, direct).length === index);
    }
    await scene.discord.until('the image', () => scene.said(direct).some(({ files }) => files.length > 0));
    expect(await scene.spent()).toBe(22);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('is not told about the key; the owner of the application is, directly', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    scene.ada.types(scene.ada.direct(), { name: 'help' });
    await scene.discord.until('help', () => answers(scene, scene.ada.direct()).length > 0);
    await refuseKey(scene);
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'one' } });
    const told = await scene.discord.until('the word', () => answers(scene, scene.owner.direct())[0]);
    expect(told).toContain("The service doesn't accept my key");
    await scene.discord.until('the answer', () => answers(scene, scene.channel)[0]);
    const others = [...answers(scene, scene.channel), ...answers(scene, scene.ada.direct()).slice(1)];
    expect(others).toEqual([
      expect.stringContaining(
        "The service isn't available right now. The person who runs this bot has been told.",
      ),
    ]);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('is not told, nor is the owner, where OPERATORS names somebody else', async () => {
    const scene = await startDiscordScene({}, { environment: { OPERATORS: 'discord:100000000000000000' } });
    await refuseKey(scene);
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'one' } });
    await scene.discord.until('the answer', () => answers(scene, scene.channel)[0]);
    expect(answers(scene, scene.owner.direct())).toEqual([]);
  });
});
