import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it, vi } from 'vitest';
import type { Channel, FakeDiscord } from '../../fakes/discord/index.ts';
import { patience } from '../../patience.ts';
import { labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const video = { prompt: 'a cat surfing', duration: 4, resolution: '480p' };

describe('/video where threads aren’t possible', () => {
  it('comes in the direct message itself', async () => {
    const scene = await startDiscordScene();
    const direct = scene.ada.direct();
    scene.ada.types(direct, { name: 'video', options: video });
    const film = await scene.withFile(direct);
    expect(film.mentions).toEqual([scene.ada.user.id]);
  });

  it('comes in the channel if threads aren’t allowed', async () => {
    const scene = await startDiscordScene();
    scene.guild.roles.get(scene.guild.id)!.permissions &= ~PermissionFlagsBits.CreatePublicThreads;
    scene.ada.types(scene.channel, { name: 'video', options: video });
    await scene.withFile();
  });

  it('comes in the thread where the command was typed', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Short?' } });
    const root = await scene.discord.until('a message', () => scene.said()[0]);
    const thread = scene.discord.threads.open(scene.channel, root.id, { name: 'A talk' });
    scene.ada.types(thread, { name: 'video', options: video });
    await scene.withFile(thread);
  });

  it('comes by the token where the bot isn’t a member; a video that is too large is explained', async () => {
    const scene = await startDiscordScene();
    const group = scene.discord.world.addGroup([scene.ada.user, scene.bob.user]);
    scene.ada.types(group, { name: 'video', options: video });
    await scene.withFile(group);
    scene.ada.types(group, { name: 'video', options: { ...video, prompt: 'large' }, uploadLimit: 2048 });
    const word = await scene.saying('2.0 KiB', group);
    expect(word.files).toEqual([]);
    expect(scene.discord.journal.requests.filter((request) => request.status === 413)).toEqual([]);
  });
});

describe('a command in a thread that is deleted meanwhile', () => {
  /** A thread, a private one, or a post in a forum, deleted as soon as something is under way in it. */
  async function deletedMeanwhile(
    kind: 'thread' | 'private thread' | 'post',
    command: string,
    options: typeof video | { prompt: string },
  ) {
    const scene = await startDiscordScene({ renderTime: 20 }, { before: withForum });
    const { discord, channel, ada } = scene;
    const { threads } = discord;
    const thread = {
      post: () => threads.openPost(forumIn(discord), ada.user.id, 'My film'),
      'private thread': () => threads.openPrivate(channel, ada.user.id, 'Between us'),
      thread: () => threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' }),
    }[kind]();
    ada.types(thread, { name: command, options: { ...options } });
    await discord.until('its first message', () => scene.said(thread)[0]);
    // Before that nothing is made.
    await scene.until('its order', async () => (await scene.spent()) > 0);
    const before = discord.journal.requests.length;
    discord.threads.delete(thread);
    /** Failed attempts since then. */
    const inVain = () => discord.journal.requests.slice(before).filter(({ status }) => status >= 400);
    return { scene, direct: ada.direct(), inVain };
  }

  function withForum({ world }: FakeDiscord): void {
    for (const guild of world.guilds.values()) world.addChannel(guild, 'films', ChannelType.GuildForum);
  }

  function forumIn({ world }: FakeDiscord): Channel {
    return [...world.channels.values()].find(({ type }) => type === ChannelType.GuildForum)!;
  }

  const drawn = { prompt: 'a lighthouse' };
  const unknownChannel = expect.objectContaining({ code: 10_003 });
  it.each([
    ['video', 'post', video],
    ['imagine', 'post', drawn],
    ['video', 'private thread', video],
    ['imagine', 'private thread', drawn],
  ] as const)(
    '/%s in a %s: comes directly, says why, and nothing is tried in vain twice',
    async (command, kind, options) => {
      const { scene, direct, inVain } = await deletedMeanwhile(kind, command, options);
      const result = await scene.withFile(direct);
      expect(result.content).toContain('I couldn’t post this where you asked for it');
      const tried = inVain().map(({ method, path }) => `${method} ${path}`);
      // The announcement may show progress once, and is where it's seen that the place is gone.
      const [edits, others] = [true, false].map((isEdit) =>
        tried.filter((one) => one.startsWith('PATCH') === isEdit),
      ) as [string[], string[]];
      expect(edits.length).toBeLessThanOrEqual(command === 'video' ? 2 : 1);
      expect(others).toEqual([...new Set(others)]);
      expect(inVain().map(({ answer }) => answer)).toEqual(tried.map(() => unknownChannel));
      expect(scene.said(direct)).toHaveLength(1);
      expect(scene.said()).toEqual([]);
    },
  );

  it('/ask in a private thread: the rest of the answer comes directly, and nobody else reads it', async () => {
    const scene = await startDiscordScene({ pace: 'human' });
    const { discord, channel, ada } = scene;
    const thread = discord.threads.openPrivate(channel, ada.user.id, 'Between us');
    ada.mentions(thread, 'Write 300 characters');
    await discord.until('its first words', () => scene.said(thread)[0]);
    discord.threads.delete(thread);
    await discord.until('the answer', () => scene.said(ada.direct()).length > 0);
    expect(scene.said()).toEqual([]);
  });

  it.each([
    ['video', video],
    ['imagine', drawn],
  ] as const)('/%s in a thread of a channel: its requester alone gets it', async (command, options) => {
    const { scene, direct } = await deletedMeanwhile('thread', command, options);
    await scene.withFile(direct);
    expect(scene.said()).toEqual([]);
  });

  it('an answer in a thread of a channel stops, and its requester alone gets what was written', async () => {
    const scene = await startDiscordScene({ pace: 3 });
    const { discord, channel, ada } = scene;
    const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
    ada.mentions(thread, 'Write 6000 characters about green');
    await discord.until('the answer', () => scene.said(thread)[0]);
    discord.threads.delete(thread);
    // The service counts what was written once its stream is closed.
    await scene.until('the end of the stream', async () => (await scene.spent()) > 0);
    const alone = await discord.until('what was written', () => scene.said(ada.direct())[0]);
    expect(alone.content).toContain('it was deleted there');
    expect(scene.said(ada.direct())).toHaveLength(1);
    expect(scene.said()).toEqual([]);
  });
});

describe('an answer that writes nothing', () => {
  /** One in a channel, and one in its thread, that come no further. */
  async function stalling() {
    const scene = await startDiscordScene();
    const { discord, channel, ada } = scene;
    const thread = discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
    for (const place of [channel, thread]) {
      ada.mentions(place, 'Tell me about green [[stall]]');
      await scene.saying('sandbox', place);
    }
    const alone = () => scene.said(ada.direct());
    const growing = () => scene.said().filter((message) => labelsOf(message).includes('Stop'));
    return { scene, thread, alone, growing };
  }

  it('stops with its thread, and with its channel: its requester alone gets what was written', async () => {
    const { scene, thread, alone, growing } = await stalling();
    const { discord, channel } = scene;
    discord.threads.delete(thread);
    await discord.until('what was written in the thread', () => alone().length === 1);
    expect(growing()).toHaveLength(1);
    discord.events.channelDeleted(channel);
    await discord.until('what was written in the channel', () => alone().length === 2);
    for (const { content } of alone()) expect(content).toContain('it was deleted there');
  });

  it('goes on in an outage of its server; when the bot is taken out it stops, and waits until the bot is back', async () => {
    const { scene, alone, growing } = await stalling();
    const { discord, guild, channel, ada } = scene;
    discord.events.guildUnavailable(guild);
    discord.events.guildCreated(guild);
    // It has dealt with what came before.
    scene.bob.mentions(scene.channel, 'Short?');
    await scene.labelled('Regenerate');
    expect(growing()).toHaveLength(1);
    expect(alone()).toEqual([]);
    discord.events.guildRemoved(guild);
    const refusals = () => discord.journal.requests.filter(({ status }) => status === 403);
    // Without a server in common nobody can be sent anything directly.
    await discord.until('what was written in both', () => refusals().length === 2);
    guild.hasBot = true;
    discord.events.guildCreated(guild);
    const hidden = () => discord.messagesIn(channel, { ephemeral: true });
    const list = await vi.waitUntil(async () => {
      const { id } = ada.types(channel, { name: 'renders' });
      const answer = await discord.until('what waits', () =>
        hidden().find((message) => message.interactionId === id && message.content !== ''),
      );
      return labelsOf(answer).length === 2 && answer;
    }, patience);
    const before = new Set(hidden().map(({ id }) => id));
    ada.presses(list, 'Show 1');
    const fetched = () =>
      hidden().find(({ id, content }) => !before.has(id) && content.includes('This is the sandbox'));
    const held = await discord.until('what was written', fetched);
    expect(labelsOf(held)).toEqual(['Delete']);
    ada.presses(held, 'Delete');
    await discord.until('nothing is left', () => !fetched());
  });
});

describe('a service that fails', () => {
  it('is explained, with a button to try again that works', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Hello [[fail 500 once]]' } });
    const message = await scene.labelled('Try again');
    scene.ada.presses(message, 'Try again');
    await scene.labelled('Regenerate');
  });

  it('is named as the cause, even if Discord refuses something at the same time', async () => {
    const scene = await startDiscordScene();
    const original = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
    scene.discord.faults.next(original, { kind: 'error', status: 502 }, 4);
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Hello [[fail 500]]' } });
    const message = await scene.discord.until('the word', () => scene.said()[0]);
    expect(message.content).toContain('The service failed. It may have charged for this.');
    expect(labelsOf(message)).toEqual(['Try again']);
    expect(scene.said()).toHaveLength(1);
    // Whoever brings the word finds the loading message gone: it isn't taken away with the word in it.
    const routes = scene.discord.journal.requests.map(({ route }) => route);
    const taken = routes.indexOf(original.replace('PATCH', 'DELETE'));
    const before = routes.slice(routes.lastIndexOf(original) + 1, taken);
    expect(before).toEqual([original.replace('PATCH', 'GET')]);
  });

  it('is out of credits: explained without details of the account or a useless button', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a boat [[out of credits]]' } });
    const word = await scene.saying('The service isn’t available right now.');
    expect(word.files).toEqual([]);
  });

  it('stops when somebody presses Stop; the written text stays', async () => {
    const scene = await startDiscordScene({ pace: 'human' });
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Write 5000 characters' } });
    const growing = await scene.labelled('Stop');
    scene.ada.presses(growing, 'Stop');
    await scene.discord.until('the end', () => labelsOf(growing).includes('Continue'));
    expect(growing.content).toContain('Stopped');
  });
});

describe('a refusal', () => {
  it('answers a mention once in some minutes, and a command always', async () => {
    const scene = await startDiscordScene({}, { environment: { USER_DAILY_CREDITS: '0.1' } });
    for (const text of ['one', 'two', 'three']) scene.ada.mentions(scene.channel, text);
    scene.bob.mentions(scene.channel, 'four');
    await scene.discord.until('a word to each', () => scene.said().length === 2);
    for (let times = 0; times < 2; times++) {
      const typed = scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'five' } });
      await scene.discord.until('a private word', () =>
        scene.discord
          .messagesIn(scene.channel, { ephemeral: true })
          .find((m) => m.interactionId === typed.id && m.content.includes('budget')),
      );
    }
    expect(scene.said()).toHaveLength(2);
    expect(await scene.spent()).toBe(0);
  });
});

describe('after a confirmation', () => {
  it('the image still says who asked for it after it has replaced the progress message', async () => {
    const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '1' } });
    const typed = scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
    const question = await scene.discord.until('the question', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .find((m) => m.interactionId === typed.id && m.content !== ''),
    );
    scene.ada.presses(question, labelsOf(question)[0] ?? '');
    const image = await scene.withFile();
    expect(image.content).toMatch(/^> \*\*ada\*\* · \/imagine\n> a lighthouse/);
    expect(image.history[0]?.content).toMatch(/^> \*\*ada\*\* · \/imagine\n/);
  });
});
