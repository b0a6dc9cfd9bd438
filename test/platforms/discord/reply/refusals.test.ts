import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { platformErrorOf } from '../../../../src/platforms/discord/api/errors.ts';
import { fileOf, PlatformError } from '../../../../src/port/index.ts';
import { bring } from '../../../fakes/bring.ts';
import { passWhile } from '../../../fakes/calm.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { type Refusal, refusals } from '../../../fakes/discord/index.ts';
import { echo } from '../support/commands.ts';
import { begun, streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage, withoutBot, withoutPermission } from '../support/stage.ts';

const commands = [echo, streamingAsk];
const posts = 'POST /channels/{channel_id}/messages';
const button = { id: 'echo.change:x', label: 'Change' };

const shown = (stage: Stage) =>
  stage.ofBot().filter(({ content, files }) => content !== '' || files.length > 0);
const directly = (stage: Stage) => stage.discord.messagesIn(stage.ada.direct());

describe('a Discord that cannot be reached', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', 'ENOTFOUND', 'UND_ERR_SOCKET'])(
    'is told by %s',
    (code) => {
      const error = Object.assign(new Error('no connection'), { code });
      expect(platformErrorOf(error)).toMatchObject({ name: 'PlatformError', kind: 'unreachable' });
    },
  );

  it('isn’t confused with an error of our own', () => {
    const error = Object.assign(new Error('no argument'), { code: 'ERR_INVALID_ARG_TYPE' });
    expect(platformErrorOf(error)).toBe(error);
  });
});

describe('what Discord refuses for good', () => {
  it.each<[string, () => Refusal, object]>([
    ['AutoMod, a message', refusals.blockedMessage, { kind: 'moderated', detail: 'AutoMod' }],
    ['AutoMod, a title', refusals.blockedTitle, { kind: 'moderated', detail: 'AutoMod' }],
    ['a locked thread', refusals.lockedThread, { kind: 'no-permission' }],
    ['a reply without history', refusals.replyNeedsHistory, { kind: 'no-permission' }],
    ['closed direct messages', refusals.directMessagesClosed, { kind: 'no-permission' }],
    ['no server in common', refusals.noMutualGuild, { kind: 'no-permission' }],
    ['direct messages opened too fast', refusals.directMessagesTooFast, { kind: 'unreachable' }],
    ['sending switched off for a while', refusals.sendingDisabled, { kind: 'unreachable' }],
    ['a feature switched off for a while', refusals.featureDisabled, { kind: 'unreachable' }],
    ['files, in a limited server', refusals.uploadsLimited, { kind: 'file-not-allowed' }],
    ['Cloudflare, by a code of Discord', refusals.cloudflare, { kind: 'unreachable' }],
    ['too much to do', refusals.overloaded, { kind: 'unreachable' }],
    ['a sixth follow-up', refusals.tooManyFollowUps, { kind: 'expired' }],
    ['what nobody has heard of', refusals.unheardOf, { kind: 'refused' }],
  ])('%s: has a kind, and is not asked again by the library', async (_, refusal, expected) => {
    const stage = await startStage({ commands });
    stage.discord.faults.next(posts, { kind: 'refuse', refusal: refusal() });
    const posted = stage.platform.adapter.post(stage.place, { text: 'hello' }, 'key');
    await expect(posted).rejects.toThrow(PlatformError);
    await expect(posted).rejects.toMatchObject(expected);
    expect(stage.discord.journal.to(posts)).toHaveLength(1);
  });

  // Fact: Cloudflare’s 429 may name no wait, and lasts longer after a retry at once (the library’s source)
  it.each([403, 404, 400, 429])("a page that is not Discord's own answer (%i) passes", async (status) => {
    const jumping = new FakeClock();
    const stage = await startStage({ commands, jumping });
    stage.discord.faults.next(posts, { kind: 'page', status });
    const post = () => passWhile(jumping, stage.platform.adapter.post(stage.place, { text: 'hello' }, 'key'));
    await expect(post()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(stage.discord.journal.to(posts)).toHaveLength(1);
    await post();
    expect(shown(stage)).toHaveLength(1);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<html><body>Bad gateway</body></html>'],
    ['null', 'null'],
    ['a text', '"blocked"'],
  ])('%s that calls itself JSON passes, too', async (_, text) => {
    const stage = await startStage({ commands });
    stage.discord.faults.next(posts, { kind: 'page', status: 403, type: 'application/json', text });
    const post = () => stage.platform.adapter.post(stage.place, { text: 'hello' }, 'key');
    await expect(post()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(stage.discord.journal.to(posts)).toHaveLength(1);
    await post();
    expect(shown(stage)).toHaveLength(1);
  });

  it('buttons: the message is posted, edited and streamed without them', async () => {
    const stage = await startStage({ commands });
    stage.guild.moderation.buttons = true;
    const { adapter } = stage.platform;
    const message = await adapter.post(stage.place, { text: 'posted', buttons: [button] }, 'key');
    await adapter.edit(message, { text: 'edited', buttons: [button] });
    expect(shown(stage).map(({ content }) => content)).toEqual(['edited']);
    const openAnswer = await begun(stage);
    openAnswer.live.append('live');
    await stage.discord.until('the words', () => shown(stage).some(({ content }) => content === 'live'));
    await openAnswer.end();
    const refused = stage.discord.journal.requests.filter(({ status }) => status === 400);
    // One for the post, one for the edit, one for the whole answer.
    expect(refused).toHaveLength(3);
    expect(shown(stage).every(({ components }) => components.length === 0)).toBe(true);
  });

  it('quoted text that AutoMod blocks: the message is sent without it, with its buttons', async () => {
    const stage = await startStage({ commands });
    stage.guild.moderation.words = ['darn'];
    const { adapter } = stage.platform;
    const message = { text: '> darn cat\nDrawing', unquoted: 'Drawing', buttons: [button] };
    const posted = await adapter.post(stage.place, message, 'key');
    expect(shown(stage).map(({ content }) => content)).toEqual(['Drawing']);
    expect(shown(stage)[0]?.components).toHaveLength(1);
    await adapter.edit(posted, { text: '> darn cat\nDone', unquoted: 'Done' });
    expect(shown(stage).map(({ content }) => content)).toEqual(['Done']);
    const thread = await adapter.openThread(posted, 'a darn cat');
    expect(thread.thread).toBe(posted.message);
    expect(stage.discord.world.channel(posted.message).name).toBe(`#${posted.message.slice(-4)}`);
  });

  it('quoted text that AutoMod blocks: descriptions of files are left out, too', async () => {
    const stage = await startStage({ commands });
    stage.guild.moderation.words = ['darn'];
    const about = {
      name: 'clip.mp3',
      contentType: 'audio/mpeg',
      kind: 'audio',
      description: 'darn it',
    } as const;
    const files = [fileOf(new Uint8Array([1]), about)];
    await stage.platform.adapter.post(stage.place, { text: '> darn it', unquoted: 'A clip', files }, 'key');
    expect(shown(stage)).toMatchObject([{ content: 'A clip', files: [{ name: 'clip.mp3' }] }]);
    expect(shown(stage)[0]?.files[0]?.description).toBeUndefined();
  });

  it.each([
    ['what Discord refuses', () => refusals.unheardOf(), 'refused'],
    ['what AutoMod blocks', () => refusals.blockedMessage(), 'moderated'],
  ])('%s is left to the next plainer form, and goes to nobody directly', async (_, refusal, kind) => {
    const stage = await startStage({ commands });
    stage.discord.faults.next(posts, { kind: 'refuse', refusal: refusal() });
    const result = { text: 'Your film', mentions: [stage.ada.user.id] };
    await expect(stage.platform.adapter.post(stage.place, result, 'key')).rejects.toMatchObject({ kind });
    expect(directly(stage)).toEqual([]);
  });

  it('files, where text is allowed: they are left to the next plainer form', async () => {
    const stage = await startStage({ commands, before: withoutPermission(PermissionFlagsBits.AttachFiles) });
    const about = { name: 'a.mp4', contentType: 'video/mp4', kind: 'video', description: 'x' } as const;
    const files = [fileOf(new Uint8Array([1]), about)];
    const result = { text: 'Your film', files, mentions: [stage.ada.user.id] };
    const { adapter } = stage.platform;
    await expect(adapter.post(stage.place, result, 'key')).rejects.toMatchObject({ detail: 'Attach Files' });
    expect(directly(stage)).toEqual([]);
    await adapter.post(stage.place, { text: 'Your film', mentions: [stage.ada.user.id] }, 'link');
    expect(shown(stage)).toHaveLength(1);
  });

  it('an edit that becomes a result: it is posted as a new message', async () => {
    const stage = await startStage({ commands });
    const { adapter } = stage.platform;
    const message = await adapter.post(stage.place, { text: 'Drawing' }, 'key');
    stage.guild.moderation.edits = true;
    const done = await adapter.complete(message, { text: 'Done' }, 'ready');
    expect(done.message).not.toBe(message.message);
    expect(await adapter.complete(message, { text: 'Done' }, 'ready')).toEqual(done);
    expect(shown(stage).map(({ content }) => content)).toEqual(['Drawing', 'Done']);
  });

  it.each([
    ['the channel is shut', (stage: Stage) => stage.forbid(PermissionFlagsBits.ViewChannel)],
    ['the channel is gone', (stage: Stage) => void stage.discord.world.channels.delete(stage.channel.id)],
  ])('%s: a result comes in a direct message to whom it is for, once', async (_, shut) => {
    const stage = await startStage({ commands });
    shut(stage);
    const result = { text: 'Your film', mentions: [stage.ada.user.id] };
    const first = await bring(stage, stage.place, result, 'key');
    expect(await bring(stage, stage.place, result, 'key')).toEqual(first);
    expect(directly(stage).map(({ content }) => content)).toEqual([
      expect.stringMatching(/where you asked for it.*Your film/s),
    ]);
    const { adapter } = stage.platform;
    await expect(adapter.post(stage.place, { text: 'for nobody' }, 'other')).rejects.toThrow(PlatformError);
    // What has words of its own for that says those alone.
    const word = { ...result, text: 'Not here yet', directly: 'Not there yet' };
    await bring(stage, stage.place, word, 'word');
    expect(directly(stage).map(({ content }) => content)).toHaveLength(2);
    expect(directly(stage).at(-1)?.content).not.toContain('where you asked for it');
    expect(directly(stage).at(-1)?.content).toMatch(/Not there yet$/);
  });

  it('the bot was removed from the server: if nobody can be reached, that is final', async () => {
    const stage = await startStage({ commands });
    withoutBot(stage.discord);
    const result = { text: 'Your film', mentions: [stage.ada.user.id] };
    await expect(bring(stage, stage.place, result, 'key')).rejects.toMatchObject({ kind: 'no-permission' });
    const codes = stage.discord.journal.requests.filter(({ status }) => status === 403);
    expect(codes.map(({ answer }) => (answer as { code: number }).code)).toEqual([50001, 50278]);
  });

  it('direct messages opened too fast: that counts as temporary, so that the result is kept', async () => {
    const stage = await startStage({ commands });
    stage.forbid(PermissionFlagsBits.ViewChannel);
    const refusal = refusals.directMessagesTooFast();
    stage.discord.faults.next('POST /users/@me/channels', { kind: 'refuse', refusal });
    const result = { text: 'Your film', mentions: [stage.ada.user.id] };
    const post = () => bring(stage, stage.place, result, 'key');
    await expect(post()).rejects.toMatchObject({ kind: 'unreachable' });
    await post();
    expect(directly(stage)).toHaveLength(1);
  });
});
