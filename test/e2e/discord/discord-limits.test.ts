import { describe, expect, it } from 'vitest';
import type { Channel } from '../../fakes/discord/index.ts';
import { changeSandbox } from '../../fakes/sandbox.ts';
import { type DiscordScene, promote, startDiscordScene } from '../support/discord-scene.ts';
import { sampleStudio } from '../support/sample-studio.ts';

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
  await changeSandbox(sandbox, { faults });
}

it('Edit under a video of a long prompt: who changes only how long it takes gets it for the whole prompt', async () => {
  const filmed: string[] = [];
  const film: typeof sampleStudio.film = (order) => {
    filmed.push(order.prompt);
    return sampleStudio.film(order);
  };
  const { discord, channel, ada } = await startDiscordScene({ media: { ...sampleStudio, film } });
  const prompt = `${'a long walk through the green hills '.repeat(150)}ENDS HERE`;
  const films = () =>
    [...discord.world.messages.values()].filter(({ files }) => files[0]?.contentType === 'video/mp4');
  ada.types(channel, { name: 'video', options: { prompt, duration: 4 } });
  const edit = await discord.opened(ada.presses(await discord.until('the video', () => films()[0]), 'Edit'));
  expect(JSON.stringify(edit.modal)).toContain('Leave it unchanged and all of it is used.');
  ada.submits(edit, { duration: '5' });
  await discord.until('the other video', () => films()[1]);
  expect(filmed).toEqual([prompt, prompt]);
});

it('who chose a budget is told how much is used as an administrator, and nothing after that', async () => {
  const scene = await startDiscordScene();
  const { ada, channel, discord, guild, owner } = scene;
  const eve = discord.addPerson(guild, 'eve');
  const { roles } = promote(scene, eve);
  const changes = async (who: typeof eve, options: Readonly<Record<string, string>>) => {
    const count = () => answers(scene, channel).filter((text) => text.includes('✅ Changed')).length;
    const before = count();
    who.types(channel, { name: 'settings', sub: 'budgets', options: { ...options, scope: 'workspace' } });
    await discord.until('the change', () => count() > before);
  };
  await changes(owner, { user_credits: '1000' });
  await changes(eve, { channel_credits: '44' });
  const told = (who: typeof eve) =>
    discord
      .messagesIn(who.direct())
      .map(({ content }) => content)
      .filter((text) => text.startsWith('⚠️'));
  ada.types(channel, { name: 'imagine', options: { prompt: 'a hat' } });
  await discord.until('the notice', () => told(eve).length === 1);
  roles.splice(0);
  const plans = discord.world.addChannel(guild, 'secret-plans');
  discord.events.guildCreated(guild);
  ada.types(plans, { name: 'imagine', options: { prompt: 'a hat' } });
  await discord.until('another', () => [...told(eve), ...told(owner)].length === 2);
  expect(told(eve)).toEqual(['⚠️ 50% of today’s budget for #general (44 credits) is used or reserved.']);
  expect(told(owner)).toEqual([
    '⚠️ 50% of today’s budget for #secret-plans (44 credits) is used or reserved.',
  ]);
});

it('who chose a budget in a server without the bot is told how much is used: Discord doesn’t say who administers it', async () => {
  const scene = await startDiscordScene();
  const { ada, discord } = scene;
  const own = { name: 'Hers', owner: ada.user, permissions: 0n, hasBot: false };
  const hers = discord.world.addChannel(discord.world.addGuild(own), 'general');
  const options = { channel_credits: '44' };
  ada.types(hers, { name: 'settings', sub: 'budgets', options });
  await discord.until('the change', () => answers(scene, hers).length === 1);
  ada.types(hers, { name: 'imagine', options: { prompt: 'a hat' } });
  await discord.until('the notice', () =>
    discord.messagesIn(ada.direct()).find(({ content }) => content.includes('50% of today’s budget')),
  );
});

describe('a stranger in her direct messages with the bot', () => {
  it('can’t raise a budget, and spends no more than it allows', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    const direct = scene.ada.direct();
    const lifting = { user_credits: '0', channel_credits: '0', server_credits: '0' };
    scene.ada.types(direct, { name: 'settings', sub: 'budgets', options: lifting });
    await scene.discord.until('the answer', () => answers(scene, direct).length === 1);
    expect(answers(scene, direct)[0]).toContain('You can’t change that in a direct message.');
    for (let index = 2; index <= 6; index++) {
      scene.ada.types(direct, { name: 'imagine', options: { prompt: `number ${index}` } });
      await scene.discord.until('an answer', () => answers(scene, direct).length === index);
    }
    await scene.withFile(direct);
    expect(await scene.spent()).toBe(22);
  });

  it('can’t raise one in a group, in her own server without the bot, or with many requests at once', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    const { world } = scene.discord;
    const group = world.addGroup([scene.ada.user, scene.bob.user]);
    const own = world.addGuild({ name: 'Hers', owner: scene.ada.user, permissions: 0n, hasBot: false });
    const hers = world.addChannel(own, 'general');
    const lifting = { user_credits: '0', channel_credits: '0', exempt_administrators: 'on' };
    for (const place of [group, hers]) {
      scene.ada.types(place, { name: 'settings', sub: 'budgets', options: lifting, isOutdated: true });
      await scene.discord.until('the answer', () => answers(scene, place).length === 1);
      for (let index = 0; index < 5; index++)
        scene.ada.types(place, { name: 'imagine', options: { prompt: `number ${index}` } });
    }
    const places = [group, hers];
    await scene.discord.until('every answer', () =>
      places.every((place) => answers(scene, place).length >= 6) ? true : undefined,
    );
    await scene.discord.until('the image', () =>
      places.some((place) => scene.said(place).some(({ files }) => files.length > 0)),
    );
    expect(await scene.spent()).toBe(22);
  });

  it('gets no new budget by removing and inviting the bot again, or by renaming everything', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    const { discord, guild, channel, ada, owner } = scene;
    ada.types(channel, { name: 'imagine', options: { prompt: 'one' } });
    await scene.withFile();
    discord.events.guildRemoved(guild);
    Object.assign(guild, { name: 'Renamed' });
    Object.assign(channel, { name: 'renamed' });
    guild.hasBot = true;
    discord.events.guildCreated(guild);
    const before = answers(scene, channel).length;
    for (const [index, person] of [ada, owner].entries()) {
      person.types(channel, { name: 'imagine', options: { prompt: 'two' } });
      await discord.until('the refusal', () => answers(scene, channel).length === before + index + 1);
    }
    expect(answers(scene, channel).slice(before)).toEqual([
      expect.stringContaining('budget'),
      expect.stringContaining('budget'),
    ]);
    expect(await scene.spent()).toBe(22);
  });

  it('isn’t told about the key; the application’s owner is, in a direct message', async () => {
    const scene = await startDiscordScene({}, { environment: thirty });
    scene.ada.types(scene.ada.direct(), { name: 'help' });
    await scene.discord.until('help', () => answers(scene, scene.ada.direct()).length > 0);
    await refuseKey(scene);
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'one' } });
    const told = await scene.discord.until('the word', () => answers(scene, scene.owner.direct())[0]);
    expect(told).toContain('The service doesn’t accept my key');
    await scene.discord.until('the answer', () => answers(scene, scene.channel)[0]);
    const others = [...answers(scene, scene.channel), ...answers(scene, scene.ada.direct()).slice(1)];
    expect(others).toEqual([
      expect.stringContaining(
        'The service isn’t available right now. The person who runs this bot has been notified.',
      ),
    ]);
  });

  it('isn’t told, and neither is the owner, if OPERATORS names someone else', async () => {
    const scene = await startDiscordScene({}, { environment: { OPERATORS: 'discord:100000000000000000' } });
    await refuseKey(scene);
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'one' } });
    await scene.discord.until('the answer', () => answers(scene, scene.channel)[0]);
    expect(answers(scene, scene.owner.direct())).toEqual([]);
  });
});
