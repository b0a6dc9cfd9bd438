import { ChannelType, GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import type { Message } from '../index.ts';
import { type Scene, startScene } from './scene.ts';

const voice = { name: 'voice-message.ogg', contentType: 'audio/ogg', bytes: Buffer.from('OggS') };

const read = async (scene: Scene, message: Message) =>
  (await scene.api('GET', `/channels/${message.channelId}/messages/${message.id}`)).body;
const mention = (scene: Scene) => `<@${scene.discord.world.bot.id}>`;
const botRole = (scene: Scene) => {
  const role = [...scene.guild.roles.values()].find(({ botId }) => botId === scene.discord.world.bot.id);
  return `<@&${role?.id}>`;
};
const own = async (scene: Scene, extra: object = {}) => {
  const json = { content: 'mine', ...extra };
  const { body } = await scene.api('POST', `/channels/${scene.channel.id}/messages`, { json });
  return scene.discord.world.message(String(body.id));
};

describe('what the bot may read without MESSAGE_CONTENT (events/gateway)', () => {
  it('is its own words, what mentions it, and direct messages, by GET too', async () => {
    const scene = await startScene();
    const { ada, channel } = scene;
    const files = [{ name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('a') }];
    const other = ada.writes(channel, 'among ourselves', { files });
    expect(await read(scene, other)).toMatchObject({ content: '', attachments: [] });
    expect((await read(scene, ada.writes(channel, `${mention(scene)} hi`, { files }))).content).toContain(
      'hi',
    );
    expect((await read(scene, ada.writes(ada.direct(), 'hi', { files }))).attachments).toHaveLength(1);
    expect((await read(scene, await own(scene))).content).toBe('mine');
    const { body } = await scene.api('GET', `/channels/${channel.id}/messages?limit=10`);
    expect((body as unknown as { content: string }[]).map(({ content }) => content)).toContain('');
    scene.discord.world.privilegedIntents = GatewayIntentBits.MessageContent;
    expect((await read(scene, other)).content).toBe('among ourselves');
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('a message is read only with Read Message History', async () => {
    const scene = await startScene();
    const mine = await own(scene);
    scene.forbid(PermissionFlagsBits.ReadMessageHistory);
    const { status, body } = await scene.api('GET', `/channels/${mine.channelId}/messages/${mine.id}`);
    expect([status, body.code]).toEqual([403, 50013]);
  });

  it('is mentioned by a reply with its ping on, to a plain message alone', async () => {
    const scene = await startScene();
    const plain = await own(scene);
    const answer: Message = { ...plain, id: scene.discord.world.ids.next(), interactionId: '1' };
    scene.discord.world.messages.set(answer.id, answer);
    const contentOf = async (options: object) =>
      (await read(scene, scene.ada.writes(scene.channel, 'well', options))).content;
    expect(await contentOf({ replyTo: plain })).toBe('well');
    expect(await contentOf({ replyTo: plain, silent: true })).toBe('');
    expect(await contentOf({ replyTo: answer })).toBe('');
  });

  it.each([
    ['refused', ''],
    ['works', 'hello'],
  ] as const)('a mention of its role uncovers nothing, or (%s) the text', async (reading, shown) => {
    const scene = await startScene();
    scene.discord.world.readings.roleMentionText = reading;
    const message = scene.ada.writes(scene.channel, `${botRole(scene)} hello`);
    const body = await read(scene, message);
    expect(body).toMatchObject({ mentions: [], mention_roles: message.mentionRoles });
    expect(String(body.content).replace(botRole(scene), '').trim()).toBe(shown);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('is a forward’s snapshot in direct messages; elsewhere uncertain, by default none', async () => {
    const scene = await startScene();
    const { ada, channel } = scene;
    const said = ada.writes(channel, 'something said');
    const direct = await read(scene, ada.writes(ada.direct(), '', { forwards: said }));
    expect(direct).toMatchObject({ content: '', message_reference: { type: 1 } });
    expect(direct.message_snapshots).toMatchObject([{ message: { content: 'something said' } }]);
    const here = ada.writes(channel, '', { forwards: said });
    expect((await read(scene, here)).message_snapshots).toBeUndefined();
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('long texts come as a file, voice notes as one audio file with their flag', async () => {
    const scene = await startScene();
    const direct = scene.ada.direct();
    const long = await read(scene, scene.ada.writes(direct, 'x'.repeat(2001)));
    expect(long).toMatchObject({ content: '', attachments: [{ filename: 'message.txt', size: 2001 }] });
    const note = await read(scene, scene.ada.writes(direct, '', { voice }));
    expect(note).toMatchObject({ content: '', flags: 1 << 13, attachments: [{ content_type: 'audio/ogg' }] });
    expect(scene.discord.journal.violations).toEqual([]);
  });
});

describe('the chat of a voice channel (topics/permissions)', () => {
  it.each([
    ['refused', 403],
    ['works', 200],
  ] as const)('without Connect is shut, or (%s) open', async (reading, status) => {
    const scene = await startScene();
    scene.discord.world.readings.voiceChatWithoutConnect = reading;
    const chat = scene.discord.world.addChannel(scene.guild, 'Lounge', ChannelType.GuildVoice);
    const post = async () =>
      (await scene.api('POST', `/channels/${chat.id}/messages`, { json: { content: 'x' } })).status;
    expect(await post()).toBe(status);
    scene.permit(PermissionFlagsBits.Connect);
    expect(await post()).toBe(200);
  });
});
