import { Locale, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Channel, Interaction, Message } from '../../fakes/discord/index.ts';
import { withoutPermission } from '../../platforms/discord/support/stage.ts';
import { deny, type DiscordScene, labelsOf, startDiscordScene, threadsIn } from '../support/discord-scene.ts';

const video = { prompt: 'a cat surfing', duration: 4, resolution: '480p' };

/** What the one who typed or pressed was told alone. */
const toldFor = (scene: DiscordScene, interaction: Interaction) =>
  scene.discord.until('a private word', () =>
    scene.discord
      .messagesIn({ id: interaction.channelId }, { ephemeral: true })
      .find((m) => m.interactionId === interaction.id && m.content !== ''),
  );

const pictureIn = (scene: DiscordScene, place = scene.channel) => scene.withFile(place);

describe('without Attach Files', () => {
  const setting = {
    readings: { interactionFiles: 'refused' },
    before: withoutPermission(PermissionFlagsBits.AttachFiles),
  } as const;

  it('the service isn’t called for commands and buttons that post files, and the permission is named', async () => {
    const scene = await startDiscordScene({}, setting);
    for (const [name, options] of [
      ['speak', { text: 'Good morning', format: 'mp3' }],
      ['imagine', { prompt: 'a lighthouse' }],
      ['video', video],
    ] as const) {
      const told = await toldFor(scene, scene.ada.types(scene.channel, { name, options }));
      expect(told.content).toContain('Attach Files');
      expect(told.content).toContain('nothing was spent');
    }
    expect(scene.said()).toEqual([]);
    expect(scene.discord.rateLimits.invalidRequests).toBe(0);
    // Nor is a voice's sample played.
    const voices = await toldFor(scene, scene.ada.types(scene.channel, { name: 'voices' }));
    const listen = labelsOf(voices)[0] ?? '';
    expect((await toldFor(scene, scene.ada.presses(voices, listen))).content).toContain('Attach Files');
    expect(await scene.spent()).toBe(0);
  });

  it('is named as Discord names it to who reads Chinese, too', async () => {
    const scene = await startDiscordScene({}, setting);
    scene.ada.user.locale = Locale.ChineseCN;
    const told = await toldFor(
      scene,
      scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: '灯塔' } }),
    );
    expect(told.content).toBe(
      '我需要“附加文件（Attach Files）”权限才能在这里发文件。管理员可以授予；没有扣除积分。',
    );
  });

  it('a clip comes as a voice message where those are allowed; one in a chosen format is refused', async () => {
    const scene = await startDiscordScene({}, setting);
    const { ada, channel, discord } = scene;
    ada.types(channel, { name: 'speak', options: { text: 'Good morning' } });
    const clip = await pictureIn(scene);
    expect(clip.files.map(({ contentType }) => contentType)).toEqual(['audio/ogg']);
    const mp3 = ada.types(channel, { name: 'speak', options: { text: 'Good night', format: 'mp3' } });
    expect((await toldFor(scene, mp3)).content).toContain('Attach Files');
    ada.mentions(channel, 'speak: good evening');
    await discord.until('the other clip', () => scene.said().filter((m) => m.files.length > 0)[1]);
  });

  it.each(['refused', 'works'] as const)(
    '/usage shows its text anyway, where files of an interaction’s answer are %s',
    async (interactionFiles) => {
      const scene = await startDiscordScene({}, { ...setting, readings: { interactionFiles } });
      scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Hello' } });
      await scene.discord.until('the answer', () => labelsOf(scene.said()[0]).includes('Regenerate'));
      const usage = await toldFor(scene, scene.ada.types(scene.channel, { name: 'usage' }));
      expect(usage.content).toContain('Credits today');
      expect(usage.files).toHaveLength(interactionFiles === 'works' ? 1 : 0);
      expect(labelsOf(usage)).toEqual(interactionFiles === 'works' ? ['Dark chart'] : []);
    },
  );
});

describe('a permission that is removed', () => {
  it('is checked when a button would pay for files, before its form', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
    const image = await pictureIn(scene);
    scene.guild.roles.get(scene.guild.id)!.permissions &= ~PermissionFlagsBits.AttachFiles;
    const before = await scene.spent();
    expect(before).toBe(22);
    for (const label of ['Again', 'Edit', 'To video']) {
      const press = scene.ada.presses(image, label);
      expect((await toldFor(scene, press)).content).toContain('Attach Files');
      expect(press.modal).toBeUndefined();
    }
    expect(await scene.spent()).toBe(before);
  });

  it.each([
    ['imagine', { prompt: 'a lighthouse', private: true }],
    ['speak', { text: 'Good morning', private: true }],
  ])(
    'while /%s is under way: what was paid for privately comes in a direct message',
    async (name, options) => {
      const scene = await startDiscordScene({}, { readings: { interactionFiles: 'refused' } });
      const typed = scene.ada.types(scene.channel, { name, options });
      typed.appPermissions &= ~PermissionFlagsBits.AttachFiles;
      await pictureIn(scene, scene.ada.direct());
      expect(scene.said()).toEqual([]);
      expect(scene.said(scene.ada.direct())).toHaveLength(1);
    },
  );

  it('while a film is made for a command: what comes by its token instead is linked to, and known as the film', async () => {
    const scene = await startDiscordScene({ renderTime: 30 });
    const { ada, owner, channel, discord, guild } = scene;
    ada.types(channel, { name: 'video', options: video });
    const announced = await discord.until('the announcement', () => scene.said()[0]);
    await scene.until('its order', async () => (await scene.spent()) > 0);
    deny(scene, PermissionFlagsBits.AttachFiles);
    const film = await pictureIn(scene);
    const link = `https://discord.com/channels/${guild.id}/${channel.id}/${film.id}`;
    await discord.until('the link', () => announced.content.endsWith(link));
    owner.deletes(film);
    await discord.until('the announcement is gone', () => announced.deleted);
  });

  it('is checked when a confirmation is answered with yes', async () => {
    const scene = await startDiscordScene({}, { environment: { CONFIRM_OVER_CREDITS: '1' } });
    const typed = scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
    const question = await toldFor(scene, typed);
    scene.guild.roles.get(scene.guild.id)!.permissions &= ~PermissionFlagsBits.AttachFiles;
    const yes = scene.ada.presses(question, 'Yes, go ahead');
    expect((await toldFor(scene, yes)).content).toContain('Attach Files');
    expect(await scene.spent()).toBe(0);
  });
});

describe('/video without Send Messages in Threads', () => {
  it('comes in the channel, and no empty thread is left', async () => {
    const before = withoutPermission(PermissionFlagsBits.SendMessagesInThreads);
    const scene = await startDiscordScene({}, { before });
    scene.ada.types(scene.channel, { name: 'video', options: video });
    await scene.withFile();
    expect(threadsIn(scene)).toEqual([]);
  });
});

describe('where the bot is only installed by a person', () => {
  const start = (tokenReachesOlderMessage: 'refused' | 'works') =>
    startDiscordScene(
      {},
      {
        readings: { tokenReachesOlderMessage },
        before: (discord) => {
          for (const guild of discord.world.guilds.values()) {
            guild.hasBot = false;
            guild.members.delete(discord.world.bot.id);
          }
        },
      },
    );
  const imagined = async (scene: DiscordScene): Promise<Message> => {
    scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a lighthouse' } });
    return pictureIn(scene);
  };

  it('Edit and To video continue from the button’s image', async () => {
    const scene = await start('refused');
    const image = await imagined(scene);
    scene.ada.submits(await scene.discord.opened(scene.ada.presses(image, 'Edit')), {
      prompt: 'the same at night',
    });
    await scene.discord.until('the second image', () =>
      scene.said().find((m) => m.content.includes('the same at night') && m.files.length > 0),
    );
    scene.ada.submits(await scene.discord.opened(scene.ada.presses(image, 'To video')), {
      prompt: 'waves',
      duration: '4',
      resolution: '480p',
    });
    await scene.discord.until('the video', () =>
      scene.said().some((m) => m.files[0]?.contentType === 'video/mp4'),
    );
  });

  it.each(['refused', 'works'] as const)(
    'Delete deletes the image, where a press’s token on older messages is %s',
    async (tokenReachesOlderMessage) => {
      const scene = await start(tokenReachesOlderMessage);
      const image = await imagined(scene);
      scene.ada.presses(image, 'Delete');
      await scene.discord.until('the deletion', () => image.deleted);
    },
  );
});

describe.each(['works', 'refused'] as const)(
  'where the bot is timed out, and what a command says of its permissions tells of that: %s',
  (timeOutInAppPermissions) => {
    it('/imagine and /video are refused before anything is spent', async () => {
      const scene = await startDiscordScene({}, { readings: { timeOutInAppPermissions } });
      scene.discord.events.timedOut(scene.guild, Date.now() + 3_600_000);
      for (const [name, options] of [['imagine', { prompt: 'a boat' }] as const, ['video', video] as const]) {
        const typed = scene.ada.types(scene.channel, { name, options });
        const word = await toldFor(scene, typed);
        expect(word.content).toContain('nothing was spent');
      }
      expect(await scene.spent()).toBe(0);
    });
  },
);

describe('if the bot is timed out during a render', () => {
  const isTimedOut = async (scene: DiscordScene, name = 'imagine') => {
    const message = await scene.discord.until('the announcement', () => scene.said()[0]);
    // A video shows its progress in a thread: before that nothing is spent.
    if (name === 'video') await scene.discord.until('the progress', () => scene.said(message)[0]);
    scene.discord.events.timedOut(scene.guild, Date.now() + 3_600_000);
  };
  const files = (scene: DiscordScene, place?: Pick<Channel, 'id'>) =>
    scene.said(place).flatMap((message) => message.files);

  // Fact: An interaction’s token may work while the bot is timed out (not documented)
  it.each([
    ['imagine', { prompt: 'a boat' }],
    ['video', video],
  ])('/%s: what was paid for comes by the command’s token, once', async (name, options) => {
    const scene = await startDiscordScene({ renderTime: 1 });
    scene.ada.types(scene.channel, { name, options });
    await isTimedOut(scene, name);
    await scene.discord.until('the result', () => files(scene).length > 0);
    expect(files(scene)).toHaveLength(1);
    expect(scene.said(scene.ada.direct())).toEqual([]);
  });

  it('what a mention asked for comes in a direct message, once', async () => {
    const scene = await startDiscordScene({ renderTime: 1 });
    scene.ada.mentions(scene.channel, 'imagine a boat');
    await isTimedOut(scene);
    const direct = scene.ada.direct();
    await scene.discord.until('the result', () => files(scene, direct).length > 0);
    expect(files(scene, direct)).toHaveLength(1);
  });
});

it('who may only read a channel posts nothing there by the bot’s buttons, and writes in its threads where they may', async () => {
  const scene = await startDiscordScene();
  const { discord, guild, channel, ada, bob } = scene;
  const { SendMessages } = PermissionFlagsBits;
  ada.types(channel, { name: 'ask', options: { prompt: 'The number is 4711' } });
  const answer = await scene.labelled('Reply');
  const opensForm = async () => {
    const pressed = await discord.opened(bob.presses(answer, 'Reply'));
    return pressed;
  };
  const openBefore = await opensForm();
  discord.world
    .channel(channel.id)
    .overwrites.push(
      { id: guild.id, type: 'role', allow: 0n, deny: SendMessages },
      { id: discord.world.bot.id, type: 'member', allow: SendMessages, deny: 0n },
    );
  for (const pressed of [openBefore, await opensForm()]) {
    const reply = bob.submits(pressed, { prompt: 'repeat: buy now' });
    await toldFor(scene, reply);
  }
  expect(scene.said()).toEqual([answer]);
  const thread = discord.threads.openPrivate(channel, bob.user.id, 'Questions');
  bob.types(thread, { name: 'ask', options: { prompt: 'Explain tides' } });
  await discord.until('an answer for everybody', () => scene.said(thread)[0]);
});
