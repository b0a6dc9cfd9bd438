import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { words } from '../../../src/words/index.ts';
import type { Channel, FakeDiscord, Message } from '../../fakes/discord/index.ts';
import {
  deny,
  type DiscordScene,
  labelsOf,
  passes,
  startDiscordScene,
  threadsIn,
} from '../support/discord-scene.ts';

/** How the long answer begins. */
const beginning = 'This is the sandbox';

/** Asks for a long answer by a mention. @returns its first message, as soon as that's there. */
function growing({ ada, channel, labelled }: DiscordScene, place = channel): Promise<Message> {
  ada.mentions(place, 'Write 3000 characters about green');
  return labelled('Stop', place);
}

function talkIn({ ada, discord, channel }: DiscordScene): Channel {
  return discord.threads.open(channel, ada.writes(channel, 'a talk').id, { name: 'A talk' });
}

describe('an answer in a public thread in whose middle', () => {
  // Fact: In a locked thread, editing its own messages takes Manage Threads; else, it’s assumed, 160005
  // (discord.js#9216, discord-api-docs#5919)
  it.each([
    ['a moderator closes and locks the thread', 'locked'],
    ['the bot loses Send Messages in Threads', 'denied'],
    ['somebody closes the thread of a server that has as many active ones as it may', 'full'],
  ] as const)('%s: the channel gets the whole of it, and the thread a link', async (_, how) => {
    const scene = await startDiscordScene({ pace: 3 });
    const { ada, discord, guild, said, until } = scene;
    const thread = talkIn(scene);
    const first = await growing(scene, thread);
    if (how === 'full') guild.mostActiveThreads = 0;
    if (how !== 'denied') ada.closes(thread, how === 'locked');
    else deny(scene, PermissionFlagsBits.SendMessagesInThreads);
    await until('it in the channel', () => labelsOf(said().at(-1)).includes('Regenerate'));
    expect(said()[0]?.content).toContain(beginning);
    if (how !== 'denied') {
      await passes(scene, 1);
      expect(labelsOf(first)).toEqual(['Stop']);
      Object.assign(thread.thread!, { archived: false, locked: false });
      discord.events.threadUpdated(thread);
      await passes(scene, 60);
    }
    const link = `https://discord.com/channels/${scene.guild.id}/${scene.channel.id}/${said()[0]?.id}`;
    await until('a link', () => first.content.endsWith(words('en').postedInChannel(link)));
    expect(labelsOf(first)).toEqual([]);
  });
});

describe('a command’s answer in a public thread that’s locked in its middle, whose token is refused there', () => {
  const locked = async (isPrivate: boolean) => {
    const scene = await startDiscordScene({ pace: 3 }, { readings: { tokenInLockedThread: 'refused' } });
    const thread = talkIn(scene);
    const { ada, discord } = scene;
    const options = { prompt: 'Write 3000 characters about green', ...(isPrivate && { private: true }) };
    ada.types(thread, { name: 'ask', options });
    const first = await discord.until('its first words', () =>
      discord.messagesIn(thread, { ephemeral: true }).find((one) => labelsOf(one).includes('Stop')),
    );
    ada.closes(thread, true);
    return { scene, thread, first };
  };

  it('comes in the channel', async () => {
    const { scene } = await locked(false);
    await scene.until('it in the channel', () => labelsOf(scene.said().at(-1)).includes('Regenerate'));
    expect(scene.said()[0]?.content).toContain(beginning);
  });

  it('comes directly if it’s private', async () => {
    const { scene } = await locked(true);
    const directly = () => scene.said(scene.ada.direct());
    await scene.until('it directly', () => directly().some(({ content }) => content.includes(beginning)));
    expect(scene.said()).toEqual([]);
  });
});

describe('in a post that a moderator closes and locks, since its question is settled', () => {
  const posted = async (options: SandboxOptions) => {
    const before = ({ world }: FakeDiscord) => {
      const [guild] = world.guilds.values();
      world.addChannel(guild!, 'questions', ChannelType.GuildForum);
    };
    const scene = await startDiscordScene(options, { before });
    const { ada, discord } = scene;
    const forum = [...discord.world.channels.values()].find(({ type }) => type === ChannelType.GuildForum);
    return { ...scene, post: ada.posts(forum!, 'How do I?', 'I tried everything') };
  };

  it('the rest of a command’s answer comes below, as what it is and with its buttons', async () => {
    const { ada, discord, labelled, said, post } = await posted({ pace: 3 });
    ada.types(post, { name: 'ask', options: { prompt: 'Write 900 characters about green' } });
    const first = await labelled('Stop', post);
    ada.closes(post, true);
    const rest = await labelled('Regenerate', post);
    expect(rest.content.length).toBeGreaterThan(700);
    expect(rest.files).toEqual([]);
    await discord.until('what it says above', () => first.content.endsWith(words('en').postedBelow));
    expect(said(post)).toHaveLength(2);
  });

  it('a command’s image comes below its announcement, whether its requester can be written to or not', async () => {
    const { ada, discord, said, withFile, post } = await posted({ renderTime: 5 });
    ada.user.acceptsDirectMessages = false;
    ada.types(post, { name: 'imagine', options: { prompt: 'a boat' } });
    await discord.until('its announcement', () => said(post)[0]?.content.includes('Drawing'));
    ada.closes(post, true);
    const image = await withFile(post);
    expect(labelsOf(image)).toContain('Again');
    await discord.until('what it says above', () => said(post)[0]?.content.endsWith(words('en').postedBelow));
  });
});

describe('an answer in whose middle the bot may no longer write', () => {
  it.each([
    [
      'the rest comes directly, and what stands there says so',
      true,
      words('en').postedDirectly('no-permission'),
    ],
    [
      'where direct messages are closed, what stands there says that it’s cut, and can be fetched',
      false,
      // What follows names `/renders`, as Discord links it.
      words('en').keptForYou.split('`')[0],
    ],
  ])('%s', async (_, acceptsDirectMessages, note) => {
    const scene = await startDiscordScene({ pace: 3 });
    scene.ada.user.acceptsDirectMessages = acceptsDirectMessages;
    const first = await growing(scene);
    deny(scene, PermissionFlagsBits.SendMessages);
    await scene.until('the note', () => first.content.includes(`\n\n${note}`));
    expect(first.content).toContain(beginning);
    expect(labelsOf(first)).toEqual([]);
    expect(scene.said(scene.ada.direct()).length > 0).toBe(acceptsDirectMessages);
  });
});

describe('where the bot is shut out for a while', () => {
  it.each(['View Channel', 'its place in the server'])('%s: an answer that’s cut ends', async (lost) => {
    const scene = await startDiscordScene({ pace: 3 });
    const { discord, guild } = scene;
    const first = await growing(scene);
    if (lost === 'View Channel') deny(scene, PermissionFlagsBits.ViewChannel);
    else {
      discord.events.guildRemoved(guild);
      guild.members.delete(discord.world.bot.id);
    }
    await passes(scene, 5);
    if (lost === 'View Channel') deny(scene, 0n);
    else discord.events.invited(guild, guild.roles.get(guild.id)!.permissions);
    expect(labelsOf(first)).toEqual(['Stop']);
    await passes(scene, 60);
    if (lost === 'View Channel') expect(first.content).toContain(words('en').postedDirectly('not-a-member'));
    else expect(first.deleted).toBe(true);
    expect(scene.said().flatMap(labelsOf)).toEqual([]);
  });

  it('View Channel: what images and a video were announced with says what became of them', async () => {
    const scene = await startDiscordScene({ renderTime: 5 });
    const { ada, bob, discord, channel, said, until } = scene;
    bob.user.acceptsDirectMessages = false;
    ada.mentions(channel, 'imagine a lighthouse');
    bob.mentions(channel, 'imagine: a boat [[gone]]');
    bob.mentions(channel, 'video: a cat [[error]] --duration 4');
    const thread = await discord.until('its thread', () => threadsIn(scene).find((one) => said(one)[0]));
    const shown = () => [...said(), ...said(thread)].map(({ content }) => content);
    const promises = () => shown().filter((one) => /Drawing…|Rendering…|I’ll post it/.test(one));
    await until('all promises', () => promises().length === 4);
    deny(scene, PermissionFlagsBits.ViewChannel);
    await until('the image', () => said(ada.direct()).some(({ files }) => files.length > 0));
    await passes(scene, 1);
    expect(promises()).toHaveLength(4);
    deny(scene, 0n);
    await passes(scene, 60);
    expect(promises()).toEqual([]);
    expect(shown().join('\n')).toContain('so I sent it to our direct messages');
  });

  it.each([
    ['before its first words', 'no-permission'],
    ['in its middle', 'not-a-member'],
  ] as const)(
    'a new version of an answer, %s: the one before has its message again, with its buttons, and the new one a page',
    async (when, why) => {
      const scene = await startDiscordScene({ pace: 3 });
      const note = words('en').postedDirectly(why);
      const { ada, channel, said, until, labelled } = scene;
      ada.mentions(channel, 'Write 1800 characters about green [[slow 2]]');
      const shown = await labelled('Regenerate');
      const { content } = shown;
      const buttons = labelsOf(shown);
      ada.presses(shown, 'Regenerate');
      await until('that a new one begins', () => labelsOf(shown).includes('Stop'));
      if (when === 'in its middle') await until('its first words', () => !shown.content.startsWith(content));
      deny(scene, PermissionFlagsBits.ViewChannel);
      await until('it directly', () => said(ada.direct()).length > 0);
      await passes(scene, 1);
      deny(scene, 0n);
      await passes(scene, 60);
      expect(shown.content).toBe(`${content}\n\n${note}`);
      expect(labelsOf(shown)).toEqual(expect.arrayContaining([...buttons, '‹', '›']));
      ada.presses(shown, '›');
      await until('the new one', () => !shown.content.includes(note));
      expect(said(ada.direct())[0]?.content).toContain(shown.content);
    },
  );
});
