import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Address, MessageAddress } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { film } from '../../../fakes/outgoing-files.ts';
import { echo } from '../support/commands.ts';
import { type Stage, type StageOptions, startStage, withoutPermission } from '../support/stage.ts';

const mebibyte = 1024 ** 2;
const create = 'POST /channels/{channel_id}/messages';

async function start(more: Partial<StageOptions> = {}) {
  const stage = await startStage({ commands: [echo], ...more });
  return { stage, place: stage.place, adapter: stage.platform.adapter };
}

const texts = (stage: Stage, id = stage.channel.id) =>
  stage.discord.messagesIn({ id }).map((message) => message.content);
const button = { id: 'echo.tell:job1', label: 'Tell me' };

const withoutBotFlags = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (field, value: unknown) => (field === 'bot' ? undefined : value));

/** As if the process died after a post and before its record. */
async function forgetPosts({ database }: Stage) {
  const { rows } = await sql`update keyv set value = replace(value, ',"message":', ',"forgotten":')`
    .execute(database)
    .then(() => sql<{ value: string }>`select value from keyv`.execute(database));
  const having = (what: string) => rows.filter(({ value }) => value.includes(what)).length;
  expect(having('"message"')).toBe(0);
  expect(having('forgotten')).toBeGreaterThan(0);
}

describe('posting to Discord at any time', () => {
  it('posts once for a key', async () => {
    const { stage, place, adapter } = await start();
    const first = await adapter.post(place, { text: 'done', mentions: [stage.ada.user.id] }, 'job1:ready');
    expect(await adapter.post(place, { text: 'done' }, 'job1:ready')).toEqual(first);
    expect(texts(stage)).toEqual([`<@${stage.ada.user.id}>\ndone`]);
    expect(stage.discord.world.message(first.message).mentions).toEqual([stage.ada.user.id]);
  });

  it('posts once where the process died between the post and its record', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    const message = { text: 'done', buttons: [button], files: [film()] };
    const first = await adapter.post(place, message, 'job1:ready');
    await forgetPosts(stage);
    expect((await adapter.post(place, message, 'job1:ready')).message).toBe(first.message);
    await forgetPosts(stage);
    await clock.advance(3_600_000);
    expect((await adapter.post(place, message, 'job1:ready')).message).toBe(first.message);
    expect(stage.discord.messagesIn(stage.channel)).toHaveLength(1);
  });

  // Discord leaves out some characters, such as U+202E (resources/message, create message; discord-api-docs#1193).
  it('posts once hours later, too, though Discord left characters out, and tells signs and emoji apart', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    const message = { text: 'It’s \u202Edone\u0007' };
    const first = await adapter.post(place, message, 'job1');
    expect(texts(stage)).toEqual(['It’s done']);
    for (const [key, text] of [
      ['no', '❌'],
      ['yes', '✅'],
    ] as const) {
      stage.discord.faults.next(create, { kind: 'error', status: 500 }, key === 'yes' ? 4 : 0);
      await adapter.post(place, { text }, key).catch(() => undefined);
    }
    await forgetPosts(stage);
    await clock.advance(3_600_000);
    expect((await adapter.post(place, message, 'job1')).message).toBe(first.message);
    await adapter.post(place, { text: '✅' }, 'yes');
    expect(texts(stage)).toEqual(['It’s done', '❌', '✅']);
  });

  // `bot` is optional (resources/user, user object).
  it('posts once hours later, too, where Discord doesn’t say that the author is a bot', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    stage.discord.http.spoil = (body) => withoutBotFlags(body);
    const first = await adapter.post(place, { text: 'done' }, 'job1:ready');
    await forgetPosts(stage);
    await clock.advance(3_600_000);
    stage.bob.writes(stage.channel, 'done');
    expect((await adapter.post(place, { text: 'done' }, 'job1:ready')).message).toBe(first.message);
    await forgetPosts(stage);
    expect((await adapter.post(place, { text: 'so' }, 'job2:ready')).message).not.toBe(first.message);
    expect(texts(stage)).toEqual(['done', 'done', 'so']);
  });

  it('counts as unreachable while a post waits too long behind another one', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    const post = () => adapter.post(place, { text: 'two' }, 'two');
    const away = expect.objectContaining({ name: 'PlatformError', kind: 'unreachable' });
    stage.discord.faults.next(create, { kind: 'close' }, 3);
    await expect(post()).rejects.toEqual(away);
    await clock.advance(100_000);
    const release = stage.discord.faults.hold(create);
    const first = adapter.post(place, { text: 'one' }, 'one');
    await stage.discord.until('the first post', () => stage.discord.faults.left(create) === 0);
    const second = expect(post()).rejects.toEqual(away);
    await clock.advance(30_000);
    // Before the first is through.
    await second;
    release();
    await first;
    await post();
    expect(texts(stage)).toEqual(['one', 'two']);
  });

  it('finds what was posted among hundreds of messages, hours after the first try', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    const message = { text: 'done', buttons: [button] };
    const chatter = async (count: number) => {
      for (let index = 0; index < count; index++) stage.bob.writes(stage.channel, `chatter ${index}`);
      await clock.advance(3_600_000);
    };
    stage.discord.faults.next(create, { kind: 'error', status: 500 }, 12);
    await adapter.post(place, message, 'job1:ready').catch(() => undefined);
    await chatter(120);
    for (;;) {
      const posted = await adapter.post(place, message, 'job1:ready').catch(() => undefined);
      if (posted) break;
    }
    await forgetPosts(stage);
    await chatter(250);
    await adapter.post(place, message, 'job1:ready');
    expect(texts(stage).filter((text) => text === 'done')).toHaveLength(1);
  });

  it.each(['works', 'refused'] as const)(
    'posts anew in its place what somebody deleted before it was known to be there (with its nonce: %s)',
    async (reading) => {
      const { stage, place, adapter } = await start({ readings: { nonceOfDeleted: reading } });
      stage.discord.faults.next(create, { kind: 'close-after' }, 3);
      const result = { text: 'done', mentions: [stage.ada.user.id] };
      await expect(adapter.post(place, result, 'job1')).rejects.toMatchObject({ kind: 'unreachable' });
      for (const message of stage.discord.messagesIn(stage.channel)) stage.ada.deletes(message);
      await adapter.post(place, result, 'job1');
      expect(stage.discord.messagesIn(stage.channel)).toHaveLength(1);
      expect(stage.discord.messagesIn(stage.ada.direct())).toEqual([]);
    },
  );

  it('doesn’t mistake another file for its own', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    stage.discord.faults.next(create, { kind: 'error', status: 500 }, 4);
    await adapter.post(place, { files: [film(100)] }, 'job1').catch(() => undefined);
    await adapter.post(place, { files: [film(101)] }, 'job2');
    await clock.advance(600_000);
    await adapter.post(place, { files: [film(100)] }, 'job1');
    expect(stage.discord.messagesIn(stage.channel).map(({ files }) => files[0]?.bytes.length)).toEqual([
      101, 100,
    ]);
  });

  it('posts again hours later if the bot can’t read the channel', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    stage.discord.faults.next(create, { kind: 'error', status: 500 }, 4);
    await adapter.post(place, { text: 'done' }, 'job1').catch(() => undefined);
    await clock.advance(600_000);
    await adapter.post(place, { text: 'done' }, 'job1');
    expect(texts(stage)).toEqual(['done']);
  });

  it('posts the same text again under another key', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    await adapter.post(place, { text: 'done' }, 'job1:ready');
    await adapter.post(place, { text: 'done' }, 'job2:ready');
    expect(texts(stage)).toEqual(['done', 'done']);
  });

  it.each(['works', 'refused'] as const)(
    'posts files of up to 20 MiB where Discord takes them: %s',
    async (reading) => {
      const { stage, place, adapter } = await start({ readings: { uploadOver10MiB: reading } });
      const posts = () => stage.discord.journal.requests.filter(({ route }) => route === create);
      expect(await adapter.maxFileBytes(place, 'video')).toBe(20 * mebibyte);
      const posted = await adapter.post(place, { files: [film(12 * mebibyte)] }, 'a').catch((error) => error);
      expect(posts().map(({ status }) => status)).toEqual([reading === 'works' ? 200 : 413]);
      if (reading === 'refused') expect(posted).toMatchObject({ kind: 'too-large', detail: '10 MiB' });
      // That is remembered for the server.
      expect(await adapter.maxFileBytes(place, 'video')).toBe((reading === 'works' ? 20 : 10) * mebibyte);
      await adapter.post(place, { files: [film(12 * mebibyte)] }, 'b').catch(() => undefined);
      expect(posts()).toHaveLength(reading === 'works' ? 2 : 1);
    },
  );

  it('edits text and buttons, keeps the files, and removes buttons that are left out', async () => {
    const { stage, place, adapter } = await start();
    const message = await adapter.post(place, { text: 'before', buttons: [button], files: [film()] }, 'k');
    await adapter.edit(message, { text: 'after' });
    const stored = stage.discord.world.message(message.message);
    expect([stored.content, stored.components, stored.files.length]).toEqual(['after', [], 1]);
  });

  it('turns a message into its result, or posts the result if the message is too old', async () => {
    const clock = new FakeClock();
    const { stage, place, adapter } = await start({ clock });
    const message = await adapter.post(place, { text: 'Drawing…' }, 'k');
    expect(await adapter.complete(message, { text: 'Drawn', files: [film()] }, 'done')).toEqual(message);
    expect(stage.discord.world.message(message.message).files).toHaveLength(1);
    await clock.advance(3_600_001);
    stage.discord.messages.lateEditLimit = 0;
    const late = await adapter.complete(message, { text: 'Drawn late' }, 'late');
    expect(late.message).not.toBe(message.message);
    const tooOld = stage.discord.journal.requests.filter(({ status }) => status === 429);
    expect(tooOld).toHaveLength(1);
    expect(texts(stage)).toEqual(['Drawn', 'Drawn late']);
  });

  it('removes an announcement that it can’t turn into its result, which is posted once; no image', async () => {
    const { stage, place, adapter } = await start();
    const [announcement, image] = [
      await adapter.post(place, { text: 'Drawing…' }, 'announcement'),
      await adapter.post(place, { text: 'An image', files: [film()] }, 'image'),
    ];
    stage.guild.moderation.edits = true;
    const told: MessageAddress[] = [];
    const complete = (message: MessageAddress) =>
      adapter.complete(
        message,
        { text: 'Drawn', files: [film()] },
        `${message.message}:ready`,
        async (one) => void told.push(one),
      );
    const drawn = await complete(announcement);
    // As if the process died right after that.
    expect(await complete(announcement)).toEqual(drawn);
    await complete(image);
    expect(texts(stage)).toEqual(['An image', 'Drawn', 'Drawn']);
    expect(told).toEqual([announcement]);
  });

  it('shows no progress, and nothing new, in a message that is nearly an hour old', async () => {
    const clock = new FakeClock();
    const { place, adapter } = await start({ clock });
    const message = await adapter.post(place, { text: 'x' }, 'k');
    const now = () => [
      adapter.takesManyEdits(message),
      adapter.rewritesAnswers(message),
      adapter.replacesFiles(message),
    ];
    await clock.advance(54 * 60_000);
    expect(now()).toEqual([true, true, true]);
    await clock.advance(60_000);
    expect(now()).toEqual([false, false, false]);
    // What only a token knows lives for a quarter of an hour.
    expect(adapter.takesManyEdits({ ...place, message: '@original' })).toBe(true);
  });

  it('posts nothing in the place of a message that somebody deleted', async () => {
    const { stage, place, adapter } = await start();
    const message = await adapter.post(place, { text: 'Drawing…' }, 'k');
    stage.ada.deletes(stage.discord.world.message(message.message));
    const deleted = expect.objectContaining({ kind: 'deleted' });
    await expect(adapter.complete(message, { text: 'Drawn', files: [film()] }, 'done')).rejects.toEqual(
      deleted,
    );
    await expect(adapter.edit(message, { text: 'Drawing' })).rejects.toEqual(deleted);
    expect(texts(stage)).toEqual([]);
  });

  it('names the missing permission', async () => {
    const { stage, place, adapter } = await start({
      before: withoutPermission(PermissionFlagsBits.AttachFiles),
    });
    await expect(adapter.post(place, { files: [film()] }, 'k')).rejects.toMatchObject({
      kind: 'no-permission',
      detail: 'Attach Files',
    });
    expect(stage.discord.rateLimits.invalidRequests).toBe(1);
  });

  it('returns the largest size of a file: the server’s limit, but never more than a request’s', async () => {
    const { place, adapter } = await start();
    expect(await adapter.maxFileBytes(place, 'video')).toBe(20 * mebibyte);
    expect(await adapter.maxFileBytes(place, 'image')).toBeGreaterThan(10 * 1024 ** 2);
    await expect(adapter.post(place, { files: [film(11 * 1024 ** 2)] }, 'k')).rejects.toMatchObject({
      kind: 'too-large',
    });
  });

  it('deletes a message, even one that is gone already', async () => {
    const { stage, place, adapter } = await start();
    const message = await adapter.post(place, { text: 'x' }, 'k');
    await adapter.remove(message);
    await adapter.remove(message);
    expect(texts(stage)).toEqual([]);
  });

  it('finds the files of a message, with current URLs, and reads them', async () => {
    const clock = new FakeClock();
    const { place, adapter } = await start({ clock });
    const message = await adapter.post(place, { files: [film(5)] }, 'k');
    const [file] = await adapter.attachments(message);
    expect(file).toMatchObject({ name: 'film.mp4', contentType: 'video/mp4', size: 5 });
    expect(file?.url).toMatch(/^https:\/\/cdn\.discordapp\.com\//);
    await clock.advance(40 * 86_400_000);
    const [later] = await adapter.attachments(message);
    expect(later?.url).not.toBe(file?.url);
    expect((await adapter.readFile(file!, 100)).length).toBe(5);
  });
});

describe('threads on Discord', () => {
  const opened = async (stage: Stage, place: Address) => {
    const root = await stage.platform.adapter.post(place, { text: 'root' }, 'root');
    return {
      root,
      thread: await stage.platform.adapter.openThread(root, `A  very\nlong name ${'x'.repeat(200)}`),
    };
  };

  it('are opened under a message once, named on one line', async () => {
    const { stage, place, adapter } = await start();
    const { root, thread } = await opened(stage, place);
    expect(thread).toEqual({ ...place, thread: root.message, threadIsPublic: true });
    expect(await adapter.openThread(root, 'again')).toEqual(thread);
    const { name } = stage.discord.world.channel(root.message);
    expect(name).toMatch(/^A very long name x/);
  });

  it('are posted to and unarchived; if they’re locked, the channel is used, but not if they were deleted', async () => {
    const { stage, place, adapter } = await start();
    const { root, thread } = await opened(stage, place);
    const message = await adapter.post(thread, { text: 'in it' }, 'a');
    const channel = stage.discord.world.channel(root.message);
    stage.ada.closes(channel);
    await adapter.edit(message, { text: 'edited in it' });
    expect(texts(stage, root.message)).toEqual(['edited in it']);
    stage.ada.closes(channel, true);
    const beside = await adapter.post(thread, { text: 'beside' }, 'b');
    expect(beside.thread).toBeUndefined();
    stage.discord.world.channels.delete(channel.id);
    const deleted = { kind: 'deleted' };
    await expect(adapter.post(thread, { text: 'gone' }, 'c')).rejects.toMatchObject(deleted);
    await expect(adapter.edit(message, { text: 'gone' })).rejects.toMatchObject(deleted);
    expect(texts(stage)).toEqual(['root', `-# <#${channel.id}>\nbeside`]);
  });

  it('in which a thousand are already leave no room for the bot: the channel is used', async () => {
    const { stage, place, adapter } = await start();
    const { ada, channel, discord } = stage;
    const crowd = discord.threads.open(channel, ada.writes(channel, 'Party!').id, { name: 'Party' });
    const members = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    const thread = discord.world.keepChannel({
      ...crowd,
      thread: { ...crowd.thread!, members: new Set(members) },
    });
    const there = { ...place, thread: thread.id, threadIsPublic: true } as const;
    await adapter.post(there, { text: 'beside' }, 'a');
    expect(texts(stage)).toEqual(['Party!', `-# <#${thread.id}>\nbeside`]);
  });

  it('that somebody closed stay closed for what nobody waits for, and are opened for a result', async () => {
    const { stage, place, adapter } = await start();
    const { discord, guild, ada } = stage;
    const forum = discord.world.addChannel(guild, 'help', ChannelType.GuildForum);
    const post = discord.threads.openPost(forum, ada.user.id, 'How do I?');
    const there = { ...place, channel: forum.id, thread: post.id };
    const message = await adapter.post(there, { text: 'Go ahead?' }, 'a');
    ada.closes(post);
    for (const options of [{ leavesClosed: true }, { optional: true }])
      await expect(adapter.edit(message, { text: 'Expired.' }, options)).rejects.toMatchObject({
        kind: 'refused',
      });
    expect(post.thread?.archived).toBe(true);
    await adapter.complete(message, { text: 'Rendered.' }, 'b');
    expect(texts(stage, post.id)).toEqual(['Rendered.']);
    expect(post.thread?.archived).toBe(false);
  });

  it('that somebody closed are closed again once a message is deleted there', async () => {
    const { stage, place, adapter } = await start();
    stage.discord.world.readings.deleteInArchivedThread = 'refused';
    const { root, thread } = await opened(stage, place);
    const channel = stage.discord.world.channel(root.message);
    const messages = [
      await adapter.post(thread, { text: '1' }, 'a'),
      await adapter.post(thread, { text: '2' }, 'b'),
    ];
    stage.ada.closes(channel);
    for (const message of messages) await adapter.remove(message);
    expect(texts(stage, channel.id)).toEqual([]);
    expect(channel.thread?.archived).toBe(true);
  });

  it('lose their name with their message, and are closed where nobody else wrote', async () => {
    const { stage, place, adapter } = await start();
    const { root, thread } = await opened(stage, place);
    const channel = stage.discord.world.channel(root.message);
    const inside = await adapter.post(thread, { text: 'in it' }, 'a');
    await adapter.remove(inside);
    expect(channel.name).toMatch(/^A very long name/);
    await adapter.remove(root);
    await adapter.remove(root);
    const neutral = `#${root.message.slice(-4)}`;
    expect(channel).toMatchObject({ name: neutral, thread: { archived: true } });
  });

  it('lose it once that’s possible, though it’s long closed; with somebody else’s words they stay as they are otherwise', async () => {
    const { stage, place, adapter } = await start();
    const { ada, discord } = stage;
    const { root } = await opened(stage, place);
    const channel = discord.world.channel(root.message);
    const neutral = `#${root.message.slice(-4)}`;
    ada.writes(channel, 'And why?');
    discord.faults.next('PATCH /channels/{channel_id}', { kind: 'error', status: 503 }, 4);
    await expect(adapter.remove(root)).rejects.toMatchObject({ kind: 'unreachable' });
    await adapter.remove(root);
    expect(channel).toMatchObject({ name: neutral, thread: { archived: false } });
    expect(texts(stage, channel.id)).toEqual(['And why?']);
    channel.name = 'words again';
    ada.closes(channel);
    await adapter.remove(root);
    expect(channel).toMatchObject({ name: neutral, thread: { archived: true } });
  });

  it('stay open where the bot can’t read whether somebody else wrote', async () => {
    const { stage, place, adapter } = await start();
    const { root } = await opened(stage, place);
    const channel = stage.discord.world.channel(root.message);
    stage.ada.writes(channel, 'And why?');
    stage.forbid(PermissionFlagsBits.ReadMessageHistory);
    stage.discord.events.guildUpdated(stage.guild);
    await stage.discord.until('told', () => !adapter.replacesFiles(root));
    await adapter.remove(root);
    expect(channel).toMatchObject({ name: `#${root.message.slice(-4)}`, thread: { archived: false } });
  });

  it('keep it if people opened or locked them', async () => {
    const { stage, place, adapter } = await start();
    const { ada, discord } = stage;
    const { root } = await opened(stage, place);
    const channel = discord.world.channel(root.message);
    ada.closes(channel, true);
    await adapter.remove(root);
    expect(channel.name).toMatch(/^A very long name/);
    const state = { ...channel.thread!, ownerId: ada.user.id, archived: false, locked: false };
    const theirs = discord.world.keepChannel({ ...channel, thread: state });
    await adapter.remove(root);
    expect(theirs.name).toMatch(/^A very long name/);
    expect(theirs.thread?.archived).toBe(false);
  });

  it('are left out where they aren’t possible', async () => {
    const { stage, place, adapter } = await start();
    stage.forbid(PermissionFlagsBits.CreatePublicThreads);
    const { root, thread } = await opened(stage, place);
    expect(thread).toEqual(place);
    const direct = stage.ada.direct().id;
    const there = { platform: 'discord', workspace: direct, channel: direct } as const;
    expect(await adapter.openThread({ ...there, message: root.message }, 'x')).toEqual(there);
  });
});

describe('a token that Discord refuses', () => {
  // Fact: A 401 clears the REST library’s token for good (discord.js#10958)
  it('is set again, so that one refusal doesn’t break everything', async () => {
    const { stage, place, adapter } = await start();
    stage.discord.http.tokenRevoked = true;
    await expect(adapter.post(place, { text: 'x' }, 'a')).rejects.toMatchObject({ kind: 'unreachable' });
    stage.discord.http.tokenRevoked = false;
    await adapter.post(place, { text: 'y' }, 'b');
    expect(texts(stage)).toEqual(['y']);
    expect(stage.discord.journal.to(create).filter((request) => request.status === 401)).toHaveLength(2);
  });
});
