import { GatewayIntentBits, MessageFlags, PermissionFlagsBits } from 'discord-api-types/v10';
import { Client, Events, Partials } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeDiscord } from '../fakes/discord/index.ts';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function start() {
  const discord = await FakeDiscord.start();
  const owner = discord.world.addUser('ada');
  const guild = discord.world.addGuild({
    name: 'Analysts',
    owner,
    permissions:
      PermissionFlagsBits.ViewChannel |
      PermissionFlagsBits.SendMessages |
      PermissionFlagsBits.ReadMessageHistory,
  });
  const channel = discord.world.addChannel(guild, 'general');
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    rest: { api: discord.apiUrl },
  });
  open.push(
    () => discord.close(),
    () => client.destroy(),
  );
  const ready = new Promise<void>((resolve) => client.once(Events.ClientReady, () => resolve()));
  await client.login(discord.token);
  await ready;
  return { discord, client, ada: discord.person(owner), guild, channel };
}

describe('the real library on the test server', () => {
  it('logs in, sees its servers and their channels', async () => {
    const { client, guild, channel } = await start();
    expect(client.guilds.cache.get(guild.id)?.name).toBe('Analysts');
    expect(client.channels.cache.has(channel.id)).toBe(true);
  });

  it('registers a command, gets it typed, defers, edits and follows up as described', async () => {
    const { discord, client, ada, channel } = await start();
    await client.application?.commands.set([
      {
        name: 'ask',
        description: 'Ask',
        options: [{ name: 'prompt', description: 'What', type: 3, required: true }],
      },
    ]);
    client.on(Events.InteractionCreate, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply();
      await interaction.editReply(`You said ${interaction.options.getString('prompt')}`);
      await interaction.followUp({ content: 'Only for you', flags: MessageFlags.Ephemeral });
    });
    const typed = ada.types(channel, { name: 'ask', options: { prompt: 'hello' } });
    await discord.until('the follow-up', () => typed.followUpIds.length === 1);
    const [reply, followUp] = discord.messagesIn(channel, { ephemeral: true });
    expect(reply?.content).toBe('You said hello');
    expect(followUp?.onlyFor).toBe(ada.user.id);
    // The library's own sugar sends two fields that Discord's description does not have.
    expect(discord.journal.violations.filter((fault) => !/field (tts|enforce_nonce) is/.test(fault))).toEqual(
      [],
    );
  });

  it('gives a message no content without a mention, and all of it with one or in a direct message', async () => {
    const { client, discord, ada, channel } = await start();
    const heard: string[] = [];
    client.on(Events.MessageCreate, (message) => {
      heard.push(message.content);
      discord.world.changed();
    });
    ada.writes(channel, 'secret');
    ada.writes(channel, `<@${discord.world.bot.id}> open`);
    ada.writes(ada.direct(), 'direct');
    await discord.until('three messages', () => heard.length === 3);
    expect(heard).toEqual(['', `<@${discord.world.bot.id}> open`, 'direct']);
  });

  it('resumes a dropped connection and replays what was missed', async () => {
    const { client, discord, ada, channel } = await start();
    const heard: string[] = [];
    client.on(Events.MessageCreate, (message) => {
      heard.push(message.content);
      discord.world.changed();
    });
    discord.gateway.drop();
    ada.writes(channel, `<@${discord.world.bot.id}> while away`);
    await discord.until('the message', () => heard.length === 1);
    expect(discord.gateway.resumeCount).toBe(1);
    expect(discord.gateway.identifyCount).toBe(1);
  });

  it('uploads files and stores their bytes', async () => {
    const { client, discord, channel, guild } = await start();
    const everyone = guild.roles.get(guild.id);
    if (everyone) everyone.permissions |= PermissionFlagsBits.AttachFiles;
    const found = await client.channels.fetch(channel.id);
    if (!found?.isSendable()) throw new Error('not sendable');
    await found.send({ files: [{ attachment: Buffer.from('hello'), name: 'hello.txt' }] });
    const [message] = discord.messagesIn(channel);
    expect(Buffer.from(discord.fileBytes(message!.files[0]!.url)!).toString()).toBe('hello');
  });
});
