import { ButtonStyle, ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { expectRefused, oggOpus, type Rule, type Scene, type Sent, startScene } from './scene.ts';

const post = (scene: Scene, json: unknown, files?: Sent['files']) =>
  scene.api('POST', `/channels/${scene.channel.id}/messages`, { json, ...(files && { files }) });

const say = (scene: Scene, channel: string, content = 'x') =>
  scene.api('POST', `/channels/${channel}/messages`, { json: { content } });
const edit = ({ api, channel }: Scene, id: unknown, json: object, files?: Sent['files']) =>
  api('PATCH', `/channels/${channel.id}/messages/${id}`, { json, ...(files && { files }) });
const openThread = ({ api, channel }: Scene, id: unknown, json: object = { name: 'x' }, place = channel.id) =>
  api('POST', `/channels/${place}/messages/${id}/threads`, { json });

async function posted(scene: Scene, json: unknown = { content: 'first' }): Promise<string> {
  return String((await post(scene, json)).body.id);
}

const row = (...components: unknown[]) => ({ type: 1, components });
const button = (id: string, label = 'Press') => ({
  type: 2,
  style: ButtonStyle.Secondary,
  custom_id: id,
  label,
});
const text = (name: string, bytes: Uint8Array = Buffer.from('text')) => ({ name, type: 'text/plain', bytes });
const clip = { name: 'voice.ogg', type: 'audio/ogg', bytes: oggOpus(2) };
const waveform = Buffer.alloc(16, 7).toString('base64');
const voice = { flags: 1 << 13, attachments: [{ id: 0, duration_secs: 2, waveform }] };
const form = { status: 400, code: 50035 };
const forbidden = { status: 403, code: 50013 };
const archived = { status: 400, code: 50083 };
const locked = { status: 403, code: 160005 };
const wrongKind = { status: 400, code: 50024 };

type WrongField = readonly [rule: string, field: string, message: object, files?: Sent['files']];

/** Messages that are refused for one of their fields, by where Discord says so and the rule that each breaks. */
const wrongFields: Readonly<Record<string, readonly WrongField[]>> = {
  'resources/message': [
    ['content has at most 2,000 characters', 'content', { content: 'x'.repeat(2001) }],
    ['at most 10 embeds', 'embeds', { embeds: Array(11).fill({ title: 'x' }) }],
    [
      'an embed description has at most 4,096 characters',
      'embeds.0.description',
      { embeds: [{ description: 'x'.repeat(4097) }] },
    ],
    [
      'embeds have at most 6,000 characters in all',
      'embeds',
      { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
    ],
    ['flags other than the settable ones are refused', 'flags', { content: 'x', flags: 64 }],
    ['a nonce has at most 25 characters', 'nonce', { content: 'x', nonce: 'x'.repeat(26) }],
  ],
  'components/reference': [
    [
      'at most 5 rows of components',
      'components',
      { content: 'x', components: Array.from({ length: 6 }, (_, i) => row(button(`b${i}`))) },
    ],
    [
      'at most 5 buttons a row',
      'components.0.components',
      { content: 'x', components: [row(...Array.from({ length: 6 }, (_, i) => button(`b${i}`)))] },
    ],
    [
      'a button label has at most 80 characters',
      'components.0.components.0.label',
      { content: 'x', components: [row(button('b', 'x'.repeat(81)))] },
    ],
    [
      'a custom id has at most 100 characters',
      'components.0.components.0.custom_id',
      { content: 'x', components: [row(button('x'.repeat(101)))] },
    ],
    [
      'a custom id stands once in a message',
      'components.0.components.1.custom_id',
      { content: 'x', components: [row(button('b'), button('b'))] },
    ],
    [
      'a button has a label or an emoji',
      'components.0.components.0',
      { content: 'x', components: [row({ type: 2, style: 1, custom_id: 'b' })] },
    ],
    [
      'a link button has an address and no custom id',
      'components.0.components.0.custom_id',
      {
        content: 'x',
        components: [row({ type: 2, style: 5, label: 'x', url: 'https://example.org', custom_id: 'b' })],
      },
    ],
    [
      'components version 2 stand without content',
      'content',
      { content: 'x', flags: 1 << 15, components: [{ type: 10, content: 'x' }] },
    ],
    [
      'version 2 components need their flag',
      'components.0.type',
      { components: [{ type: 10, content: 'x' }] },
    ],
    [
      'text displays have at most 4,000 characters in all',
      'components',
      {
        flags: 1 << 15,
        components: [
          { type: 10, content: 'x'.repeat(3000) },
          { type: 10, content: 'x'.repeat(1001) },
        ],
      },
    ],
    [
      'a media gallery shows at most 10 items',
      'components.0.items',
      {
        flags: 1 << 15,
        components: [{ type: 12, items: Array(11).fill({ media: { url: 'https://example.org/a.png' } }) }],
      },
    ],
    [
      'a media gallery shows what was uploaded',
      'components.0.items.0.media.url',
      {
        flags: 1 << 15,
        components: [{ type: 12, items: [{ media: { url: 'attachment://nowhere.png' } }] }],
      },
    ],
    [
      'at most 40 components of version 2',
      'components',
      { flags: 1 << 15, components: Array(41).fill({ type: 10, content: 'x' }) },
    ],
  ],
  'reference, uploading files': [
    ['at most 10 files', 'files', { content: 'x' }, Array.from({ length: 11 }, (_, n) => text(`${n}.txt`))],
    [
      'where attachments are listed, each uploaded file is',
      'attachments',
      { content: 'x', attachments: [] },
      [text('a.txt')],
    ],
  ],
  'resources/message, voice messages': [
    [
      'a waveform has at most 256 bytes',
      'attachments.0.waveform',
      {
        flags: 1 << 13,
        attachments: [{ id: 0, duration_secs: 2, waveform: Buffer.alloc(257).toString('base64') }],
      },
      [clip],
    ],
    ['a voice message has no content', 'content', { ...voice, content: 'x' }, [clip]],
    ['a voice message is Ogg Opus', 'files.0', voice, [{ ...clip, bytes: Buffer.from('RIFF') }]],
    [
      'a voice message lasts as long as it states',
      'attachments.0.duration_secs',
      { flags: 1 << 13, attachments: [{ id: 0, duration_secs: 9, waveform }] },
      [clip],
    ],
  ],
};

const rules: readonly Rule[] = [
  ...Object.entries(wrongFields).flatMap(([source, broken]) =>
    broken.map(([rule, field, message, files]): Rule => {
      return { rule, source, ...form, field, attempt: (s) => post(s, message, files) };
    }),
  ),
  {
    rule: 'a bot that is timed out writes nothing',
    source: 'topics/permissions',
    attempt: async (s) => {
      s.discord.events.timedOut(s.guild, s.clock.now() + 60_000);
      return post(s, { content: 'still here' });
    },
    ...forbidden,
  },
  {
    rule: 'a message holds something',
    source: 'resources/message',
    attempt: (s) => post(s, { content: ' \n ' }),
    status: 400,
    code: 50006,
  },
  {
    rule: 'components of over 10,170 bytes are too much for Discord, which says so by no code',
    source: 'discord-api-docs#8554',
    attempt: async (s) => {
      const show = (content: string) => post(s, { flags: 1 << 15, components: [{ type: 10, content }] });
      expect((await show('猫'.repeat(3386))).status).toBe(200);
      return show('猫'.repeat(3387));
    },
    status: 500,
    code: 0,
  },
  {
    rule: 'an edit’s components are read by the flags that come with it',
    source: 'discord-net/Discord.Net#3132',
    attempt: async (s) => {
      const components = [{ type: 10, content: 'x' }];
      const { body } = await post(s, { flags: 1 << 15, components });
      return edit(s, body.id, { flags: 1 << 2, components });
    },
    ...form,
    field: 'components.0.type',
  },
  {
    rule: 'an edit to version 2 takes the content away that was there',
    source: 'resources/message, edit message',
    attempt: async (s) =>
      edit(s, await posted(s), { flags: 1 << 15, components: [{ type: 10, content: 'x' }] }),
    ...form,
    field: 'content',
  },
  {
    rule: 'the media gallery of an edit doesn’t find what the same edit uploads (one reading)',
    source: 'discord-api-docs#7529',
    attempt: async (s) =>
      edit(
        s,
        await posted(s),
        {
          content: null,
          flags: 1 << 15,
          components: [{ type: 12, items: [{ media: { url: 'attachment://a.png' } }] }],
        },
        [text('a.png')],
      ),
    ...form,
    field: 'components.0.items.0.media.url',
  },
  {
    rule: 'parse and a list of the same kind exclude each other',
    source: 'resources/message',
    attempt: (s) => post(s, { content: 'x', allowed_mentions: { parse: ['users'], users: [s.ada.user.id] } }),
    ...form,
    field: 'allowed_mentions',
  },
  {
    rule: 'a file has at most 10 MiB',
    source: 'reference, uploading files',
    attempt: (s) => post(s, { content: 'x' }, [text('big.txt', new Uint8Array(10 * 1024 * 1024 + 1))]),
    status: 413,
    code: 40005,
  },
  {
    rule: 'a request has at most 25 MiB',
    source: 'resources/message',
    attempt: (s) =>
      post(
        s,
        { content: 'x' },
        [1, 2, 3].map((n) => text(`${n}.txt`, new Uint8Array(9 * 1024 * 1024))),
      ),
    status: 413,
    code: 40005,
  },
  {
    rule: 'an edit lists only files that are there',
    source: 'resources/message',
    attempt: async (s) => edit(s, await posted(s), { attachments: [{ id: '123456789012345678' }] }),
    ...form,
    field: 'attachments.0.id',
  },
  {
    rule: 'a voice message has exactly one file',
    source: 'resources/message, voice messages',
    attempt: (s) => post(s, voice, [clip, { ...clip, name: 'b.ogg' }].slice(0, 0)),
    status: 400,
    code: 50160,
  },
  {
    rule: 'a voice message is audio by its content type',
    source: 'resources/message, voice messages',
    attempt: (s) => post(s, voice, [{ ...clip, type: 'application/ogg' }]),
    status: 400,
    code: 50160,
  },
  {
    rule: 'a voice message states duration and waveform',
    source: 'resources/message, voice messages',
    attempt: (s) => post(s, { flags: 1 << 13, attachments: [{ id: 0, waveform }] }, [clip]),
    status: 400,
    code: 50161,
  },
  {
    rule: 'a voice message cannot be edited',
    source: 'resources/message, voice messages',
    status: 400,
    code: 50162,
    attempt: async (s) => edit(s, (await post(s, voice, [clip])).body.id, { content: 'x' }),
  },
  {
    rule: 'a voice message needs its permission',
    source: 'topics/permissions',
    status: 403,
    code: 50173,
    attempt: (s) => {
      s.forbid(PermissionFlagsBits.SendVoiceMessages);
      return post(s, voice, [clip]);
    },
  },
  {
    rule: 'a voice message may be refused though its permission is given',
    source: 'topics/opcodes-and-status-codes; uncertain',
    status: 403,
    code: 50173,
    attempt: (s) => {
      s.discord.world.readings.voiceMessage = 'refused';
      return post(s, voice, [clip]);
    },
  },
  {
    rule: 'a message cannot be posted to a channel one does not see',
    source: 'topics/permissions',
    status: 403,
    code: 50001,
    attempt: (s) => {
      s.forbid(PermissionFlagsBits.ViewChannel);
      return post(s, { content: 'x' });
    },
  },
  {
    rule: 'posting needs SEND_MESSAGES',
    source: 'resources/message',
    ...forbidden,
    attempt: (s) => {
      s.forbid(PermissionFlagsBits.SendMessages);
      return post(s, { content: 'x' });
    },
  },
  {
    rule: 'files need ATTACH_FILES',
    source: 'topics/permissions',
    ...forbidden,
    attempt: (s) => {
      s.forbid(PermissionFlagsBits.AttachFiles);
      return post(s, {}, [text('a.txt')]);
    },
  },
  {
    rule: 'a reply to a message that is there needs READ_MESSAGE_HISTORY',
    source: 'resources/message',
    status: 403,
    code: 160002,
    attempt: async (s) => {
      const id = await posted(s);
      s.forbid(PermissionFlagsBits.ReadMessageHistory);
      return post(s, { content: 'x', message_reference: { message_id: id } });
    },
  },
  {
    rule: 'a reply needs READ_MESSAGE_HISTORY even to a message that may be gone',
    source: 'resources/message',
    status: 403,
    code: 160002,
    attempt: (s) => {
      s.forbid(PermissionFlagsBits.ReadMessageHistory);
      const reference = { message_id: '1', fail_if_not_exists: false };
      return post(s, { content: 'x', message_reference: reference });
    },
  },
  {
    rule: 'a reply needs its message',
    source: 'resources/message',
    status: 404,
    code: 10008,
    attempt: (s) => post(s, { content: 'x', message_reference: { message_id: '123456789012345678' } }),
  },
  {
    rule: "nobody edits another's message",
    source: 'resources/message',
    status: 403,
    code: 50005,
    attempt: (s) => edit(s, s.ada.writes(s.channel, 'mine').id, { content: 'x' }),
  },
  {
    rule: "deleting another's message needs MANAGE_MESSAGES",
    source: 'resources/message',
    ...forbidden,
    attempt: (s) =>
      s.api('DELETE', `/channels/${s.channel.id}/messages/${s.ada.writes(s.channel, 'mine').id}`),
  },
  {
    rule: 'messages older than an hour take few edits',
    source: 'topics/opcodes-and-status-codes',
    status: 429,
    code: 30046,
    attempt: async (s) => {
      const id = await posted(s);
      await s.clock.advance(3_600_001);
      s.discord.messages.lateEditLimit = 1;
      await edit(s, id, { content: 'a' });
      return edit(s, id, { content: 'b' });
    },
  },
  {
    rule: 'published messages take three edits an hour',
    source: 'discord-api-docs#2258, #6109',
    status: 429,
    code: 20028,
    attempt: async (s) => {
      const { id } = s.discord.world.addChannel(s.guild, 'news', ChannelType.GuildAnnouncement);
      const { body } = await say(s, id, 'first');
      s.discord.messages.publish(s.discord.world.message(String(body.id)));
      const edit = () =>
        s.api('PATCH', `/channels/${id}/messages/${String(body.id)}`, { json: { content: 'a' } });
      for (let edits = 0; edits < 3; edits++) await edit();
      return edit();
    },
  },
  {
    rule: 'who isn’t in a thread is no member of it',
    source: 'resources/channel',
    status: 404,
    code: 10007,
    attempt: (s) => {
      const { id } = s.discord.threads.openPrivate(s.channel, s.ada.user.id, 'Between us');
      return s.api('GET', `/channels/${id}/thread-members/${s.guild.ownerId}`);
    },
  },
  {
    rule: 'a person may take no direct messages',
    source: 'topics/opcodes-and-status-codes',
    status: 403,
    code: 50007,
    attempt: (s) => {
      s.ada.user.acceptsDirectMessages = false;
      return say(s, s.ada.direct().id);
    },
  },
  {
    rule: 'what Discord takes for a spammer can’t write directly to whom it hasn’t yet',
    source: 'discord-api-docs#2669',
    status: 403,
    code: 20026,
    attempt: (s) => {
      s.discord.world.isFlaggedForSpam = true;
      return s.api('POST', '/users/@me/channels', { json: { recipient_id: s.ada.user.id } });
    },
  },
  {
    rule: 'a thread is named',
    source: 'resources/channel',
    ...form,
    field: 'name',
    attempt: async (s) => openThread(s, await posted(s), { name: '' }),
  },
  {
    rule: 'a thread name has at most 100 characters',
    source: 'resources/channel',
    ...form,
    field: 'name',
    attempt: async (s) => openThread(s, await posted(s), { name: 'x'.repeat(101) }),
  },
  {
    rule: 'a thread archives after 60, 1440, 4320 or 10080 minutes',
    source: 'resources/channel',
    ...form,
    field: 'auto_archive_duration',
    attempt: async (s) => openThread(s, await posted(s), { name: 'x', auto_archive_duration: 61 }),
  },
  {
    rule: 'a message has one thread',
    source: 'topics/threads',
    status: 400,
    code: 160004,
    attempt: async (s) => {
      const id = await posted(s);
      await openThread(s, id);
      return openThread(s, id);
    },
  },
  {
    rule: 'a thread needs CREATE_PUBLIC_THREADS',
    source: 'topics/threads',
    ...forbidden,
    attempt: async (s) => {
      const id = await posted(s);
      s.forbid(PermissionFlagsBits.CreatePublicThreads);
      return openThread(s, id);
    },
  },
  {
    rule: 'no thread in a direct message',
    source: 'topics/threads',
    ...wrongKind,
    attempt: async (s) => openThread(s, s.ada.writes(s.ada.direct(), 'x').id, undefined, s.ada.direct().id),
  },
  {
    rule: 'no thread in a thread',
    source: 'topics/threads',
    ...wrongKind,
    attempt: async (s) => {
      const thread = await threadOf(s);
      const id = (await say(s, thread)).body.id;
      return openThread(s, id, undefined, thread);
    },
  },
  {
    rule: 'posting in a thread needs SEND_MESSAGES_IN_THREADS',
    source: 'topics/threads',
    ...forbidden,
    attempt: async (s) => {
      const thread = await threadOf(s);
      s.forbid(PermissionFlagsBits.SendMessagesInThreads);
      return say(s, thread);
    },
  },
  {
    rule: 'nothing is edited in an archived thread',
    source: 'topics/threads',
    ...archived,
    attempt: async (s) => {
      const thread = await threadOf(s);
      const id = (await say(s, thread)).body.id;
      s.ada.closes(s.discord.world.channel(thread));
      return s.api('PATCH', `/channels/${thread}/messages/${id}`, { json: { content: 'y' } });
    },
  },
  {
    rule: 'only who was added to somebody’s thread unarchives it without a message',
    source: 'topics/threads',
    ...forbidden,
    attempt: async (s) => {
      const thread = theirThread(s);
      s.ada.closes(thread);
      return s.api('PATCH', `/channels/${thread.id}`, { json: { archived: false } });
    },
  },
  {
    rule: 'who isn’t among the 1,000 who may be in a thread doesn’t write there',
    source: 'resources/channel',
    status: 400,
    code: 30033,
    attempt: (s) => {
      const { id, thread } = theirThread(s);
      for (let index = 1; index < 1_000; index++) thread?.members.add(`${index}`);
      return say(s, id);
    },
  },
  {
    rule: 'where too many threads are active none is opened',
    source: 'resources/channel',
    status: 400,
    code: 160006,
    attempt: async (s) => {
      s.guild.mostActiveThreads = 1;
      await threadOf(s);
      return openThread(s, await posted(s));
    },
  },
  {
    rule: 'nor is one unarchived by a message',
    source: 'resources/channel',
    status: 400,
    code: 160006,
    attempt: async (s) => {
      const thread = await threadOf(s);
      s.guild.mostActiveThreads = 0;
      s.ada.closes(s.discord.world.channel(thread));
      return say(s, thread);
    },
  },
  {
    rule: 'those of announcements have a code of their own',
    source: 'opcodes-and-status-codes',
    status: 400,
    code: 160007,
    attempt: async (s) => {
      const { id } = s.discord.world.addChannel(s.guild, 'news', ChannelType.GuildAnnouncement);
      s.guild.mostActiveThreads = 0;
      return openThread(s, (await say(s, id)).body.id, undefined, id);
    },
  },
  {
    rule: 'only who manages threads unarchives a locked one of somebody else',
    source: 'resources/channel',
    ...forbidden,
    attempt: async (s) => {
      const thread = theirThread(s);
      s.ada.closes(thread, true);
      return s.api('PATCH', `/channels/${thread.id}`, { json: { archived: false } });
    },
  },
  {
    rule: 'only who manages threads renames one of somebody else',
    source: 'resources/channel',
    ...forbidden,
    attempt: async (s) => {
      const thread = theirThread(s);
      s.ada.closes(thread);
      return s.api('PATCH', `/channels/${thread.id}`, { json: { archived: false, name: 'x' } });
    },
  },
  {
    rule: 'an archived thread is renamed only as it’s unarchived',
    source: 'resources/channel',
    ...archived,
    attempt: async (s) => {
      const thread = await threadOf(s);
      s.ada.closes(s.discord.world.channel(thread));
      return s.api('PATCH', `/channels/${thread}`, { json: { name: 'x' } });
    },
  },
  {
    rule: 'a locked thread takes no messages',
    source: 'topics/threads',
    ...locked,
    attempt: async (s) => {
      const thread = await threadOf(s);
      s.ada.closes(s.discord.world.channel(thread), true);
      return say(s, thread);
    },
  },
  {
    rule: 'nor does it let the bot edit what it said there',
    source: 'change log of March 2023, discord.js#9216',
    ...locked,
    attempt: async (s) => {
      const thread = await threadOf(s);
      const said = await say(s, thread);
      s.discord.world.channel(thread).thread!.locked = true;
      return s.api('PATCH', `/channels/${thread}/messages/${said.body.id}`, { json: { content: 'y' } });
    },
  },
  {
    rule: 'nor, once it’s archived, delete it',
    source: 'topics/threads, locked threads',
    ...archived,
    attempt: async (s) => {
      const thread = await threadOf(s);
      const said = await say(s, thread);
      s.ada.closes(s.discord.world.channel(thread), true);
      return s.api('DELETE', `/channels/${thread}/messages/${said.body.id}`);
    },
  },
  {
    rule: 'a private thread is for those in it',
    source: 'topics/threads',
    status: 403,
    code: 50001,
    attempt: async (s) => {
      const { id } = s.discord.threads.openPrivate(s.channel, s.ada.user.id, 'x', { withBot: false });
      return say(s, id);
    },
  },
  {
    rule: 'a category holds no messages',
    source: 'resources/channel',
    ...wrongKind,
    attempt: (s) => say(s, s.discord.world.addChannel(s.guild, 'all', ChannelType.GuildCategory).id),
  },
];

async function threadOf(scene: Scene): Promise<string> {
  const made = await openThread(scene, await posted(scene));
  return String(made.body.id);
}

/** A person's post in a forum. */
function theirThread({ discord, guild, ada }: Scene) {
  const forum = discord.world.addChannel(guild, 'help', ChannelType.GuildForum);
  return discord.threads.openPost(forum, ada.user.id, 'How do I?');
}

describe('messages: what breaks a rule is refused', () => {
  it.each(rules)('$rule ($source)', async ({ attempt, ...refusal }) => {
    const scene = await startScene();
    expectRefused(scene, await attempt(scene), refusal);
  });
});

describe('messages: what Discord does with good ones', () => {
  it('lets whoever has written in somebody’s archived thread unarchive it', async () => {
    const scene = await startScene();
    const thread = theirThread(scene);
    await say(scene, thread.id);
    scene.ada.closes(thread);
    const { status } = await scene.api('PATCH', `/channels/${thread.id}`, { json: { archived: false } });
    expect(status).toBe(200);
    expect(thread.thread?.archived).toBe(false);
  });

  it.each([
    ['archived', 'works', 204],
    ['archived', 'refused', 400],
    ['locked', 'refused', 204],
  ] as const)('lets the bot delete in a thread that’s %s (%s)', async (state, reading, answer) => {
    const scene = await startScene();
    scene.discord.world.readings.deleteInArchivedThread = reading;
    const id = await threadOf(scene);
    const said = await say(scene, id);
    scene.discord.world.channel(id).thread![state] = true;
    const { status } = await scene.api('DELETE', `/channels/${id}/messages/${said.body.id}`);
    expect(status).toBe(answer);
  });

  it('lets the bot rename and archive its own thread without Manage Threads', async () => {
    const scene = await startScene();
    const id = await threadOf(scene);
    scene.forbid(PermissionFlagsBits.ManageThreads);
    const edit = (json: object) => scene.api('PATCH', `/channels/${id}`, { json });
    expect((await edit({ name: 'x', archived: false })).status).toBe(200);
    expect((await edit({ archived: true })).status).toBe(200);
    expect(scene.discord.world.channel(id)).toMatchObject({ name: 'x', thread: { archived: true } });
  });

  it('returns the first message for the same enforced nonce, for some minutes', async () => {
    const scene = await startScene();
    const send = () => post(scene, { content: 'once', nonce: 'job-1', enforce_nonce: true });
    const first = await send();
    expect((await send()).body.id).toBe(first.body.id);
    await scene.clock.advance(5 * 60_000 + 1);
    expect((await send()).body.id).not.toBe(first.body.id);
  });

  it.each([
    ['works', 200, undefined],
    ['refused', 404, 10008],
  ] as const)(
    'the nonce of a message that was deleted makes a new one: %s',
    async (reading, status, code) => {
      const scene = await startScene();
      scene.discord.world.readings.nonceOfDeleted = reading;
      const send = () => post(scene, { content: 'once', nonce: 'job-1', enforce_nonce: true });
      scene.ada.deletes(scene.discord.world.message(String((await send()).body.id)));
      expect(await send()).toMatchObject({ status, ...(code && { body: { code } }) });
    },
  );

  it.each([
    ['works', 'job-1'],
    ['refused', undefined],
  ] as const)('a message that is read has its nonce: %s', async (reading, nonce) => {
    const scene = await startScene();
    scene.discord.world.readings.nonceOnRead = reading;
    const sent = await post(scene, { content: 'once', nonce: 'job-1', enforce_nonce: true });
    const path = `/channels/${scene.channel.id}/messages`;
    expect(sent.body.nonce).toBe('job-1');
    expect((await scene.api('GET', `${path}/${sent.body.id}`)).body.nonce).toBe(nonce);
  });

  it('posts twice for the same nonce that is not enforced', async () => {
    const scene = await startScene();
    await post(scene, { content: 'twice', nonce: 'job-1' });
    await post(scene, { content: 'twice', nonce: 'job-1' });
    expect(scene.discord.messagesIn(scene.channel)).toHaveLength(2);
  });

  it('notifies everybody a text names, unless allowed mentions say otherwise; on edits too', async () => {
    const scene = await startScene();
    const named = `<@${scene.ada.user.id}>`;
    const loud = await posted(scene, { content: named });
    const quiet = await posted(scene, { content: named, allowed_mentions: { parse: [] } });
    await edit(scene, quiet, { content: `${named}!` });
    expect(scene.discord.world.message(loud).mentions).toEqual([scene.ada.user.id]);
    expect(scene.discord.world.message(quiet).history[0]?.mentions).toEqual([]);
    expect(scene.discord.world.message(quiet).mentions).toEqual([scene.ada.user.id]);
  });

  it('shows a mention of a command only with the id and name it is registered with there', async () => {
    const scene = await startScene();
    const { discord, guild, channel } = scene;
    const put = async (path: string, name: string) => {
      const json = [{ name, description: 'x' }];
      const { body } = await scene.api('PUT', `/applications/${discord.world.applicationId}${path}`, {
        json,
      });
      return (body as unknown as { id: string }[])[0]?.id ?? '';
    };
    const ask = await put('/commands', 'ask');
    const here = await put(`/guilds/${guild.id}/commands`, 'here');
    const says = async (content: string, at = channel.id) => {
      await say(scene, at, content);
      return discord.journal.violations.splice(0);
    };
    expect(await says(`</ask:${ask}> and </here:${here}>`)).toEqual([]);
    const other = discord.world.addGuild({
      name: 'x',
      owner: scene.ada.user,
      permissions: (1n << 11n) | (1n << 10n),
    });
    const elsewhere = discord.world.addChannel(other, 'elsewhere');
    expect(await says(`</here:${here}>`, elsewhere.id)).toEqual([`no such command here: </here:${here}>`]);
    for (const wrong of [`</speak:${ask}>`, `</ask:${guild.id}>`, '</ask:>'])
      expect(await says(wrong)).toEqual([`no such command here: ${wrong}`]);
  });

  it('fetches links for a preview, unless the flag or angle brackets or code forbid it', async () => {
    const scene = await startScene();
    const bare = await posted(scene, { content: 'see https://example.org/a' });
    const flagged = await posted(scene, { content: 'see https://example.org/a', flags: 4 });
    const bracketed = await posted(scene, {
      content: 'see <https://example.org/a> and `https://example.org/b`',
    });
    const unfurled = (id: string) => scene.discord.world.message(id).unfurled;
    expect([unfurled(bare), unfurled(flagged), unfurled(bracketed)]).toEqual([
      ['https://example.org/a'],
      [],
      [],
    ]);
  });

  it('previews no links of who lacks EMBED_LINKS', async () => {
    const scene = await startScene();
    scene.forbid(PermissionFlagsBits.EmbedLinks);
    const bare = await posted(scene, { content: 'see https://example.org/a' });
    expect(scene.discord.world.message(bare).unfurled).toEqual([]);
  });

  it('keeps exactly the files that an edit lists', async () => {
    const scene = await startScene();
    const made = await post(scene, {}, [text('a.txt'), text('b.txt')]);
    const [first] = made.body.attachments as { id: string }[];
    await edit(scene, made.body.id, { attachments: [{ id: first?.id }] });
    expect(scene.discord.world.message(String(made.body.id)).files.map((file) => file.name)).toEqual([
      'a.txt',
    ]);
  });

  it('is a voice message without ATTACH_FILES, which needs its own permission alone', async () => {
    const s = await startScene();
    s.forbid(PermissionFlagsBits.AttachFiles);
    expect((await post(s, voice, [clip])).status).toBe(200);
  });

  it('lists no attachment that a gallery shows, whose item has its address and its id', async () => {
    const scene = await startScene();
    const made = await post(
      scene,
      {
        flags: 1 << 15,
        components: [{ type: 12, items: [{ media: { url: 'attachment://a.txt' }, spoiler: true }] }],
      },
      [text('a.txt'), text('b.txt')],
    );
    const [gallery] = made.body.components as { items: { media: { attachment_id: string } }[] }[];
    const [file] = scene.discord.world.message(String(made.body.id)).files;
    expect(gallery?.items[0]).toMatchObject({ media: { attachment_id: file?.id }, spoiler: true });
    expect((made.body.attachments as { filename: string }[]).map(({ filename }) => filename)).toEqual([
      'b.txt',
    ]);
  });

  it('reads pings and blocked words in text displays', async () => {
    const scene = await startScene();
    const say = (content: string) => post(scene, { flags: 1 << 15, components: [{ type: 10, content }] });
    const { body } = await say(`<@${scene.ada.user.id}>`);
    expect(scene.discord.world.message(String(body.id)).mentions).toEqual([scene.ada.user.id]);
    scene.guild.moderation.words = ['secret'];
    expect((await say('the secret')).body.code).toBe(200000);
  });

  it('refuses harmful links everywhere, direct messages included', async () => {
    const scene = await startScene();
    scene.discord.world.harmfulLinks.push('https://harm.example');
    for (const { id } of [scene.channel, scene.ada.direct()])
      expect((await say(scene, id, 'See https://harm.example/x')).body.code).toBe(240000);
  });

  it('marks a file as a spoiler by its field or its name', async () => {
    const scene = await startScene();
    const { body } = await post(scene, { attachments: [{ id: 0, is_spoiler: true }, { id: 1 }, { id: 2 }] }, [
      text('a.txt'),
      text('SPOILER_b.txt'),
      text('c.txt'),
    ]);
    const { files } = scene.discord.world.message(String(body.id));
    expect(files.map(({ spoiler }) => spoiler)).toEqual([true, true, false]);
  });

  it('gives a thread the id of its message, and wakes an archived one by a message', async () => {
    const scene = await startScene();
    const id = await posted(scene);
    const made = await openThread(scene, id);
    expect([made.status, made.body.id]).toEqual([201, id]);
    const thread = scene.discord.world.channel(id);
    scene.ada.closes(thread);
    await say(scene, id);
    expect(thread.thread?.archived).toBe(false);
  });

  it('cuts white space at both ends of a message', async () => {
    const scene = await startScene();
    expect(scene.discord.world.message(await posted(scene, { content: '\n  x  ' })).content).toBe('x');
  });
});
