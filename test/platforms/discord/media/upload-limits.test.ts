import { GuildPremiumTier } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { UploadLimits } from '../../../../src/platforms/discord/media/upload-limits.ts';
import { type Address, fileOf, type OutgoingFile, PlatformError } from '../../../../src/port/index.ts';
import { bring } from '../../../fakes/bring.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import type { Channel, FakeDiscord } from '../../../fakes/discord/index.ts';
import { film } from '../../../fakes/outgoing-files.ts';
import { echo, echoed, gifts, give } from '../support/commands.ts';
import { heavyPicture } from '../support/pictures.ts';
import { type Stage, startStage, withoutBot } from '../support/stage.ts';

const mebibyte = 1024 ** 2;
/** Bytes that a place takes only if it takes more than 10 MiB. */
const overTen = 10 * mebibyte + 1;

/** Answers a mention with words that take two messages, and a file. */
const ask = defineCommand({
  name: 'ask',
  description: { en: 'Answers', 'zh-CN': '回答' },
  options: {
    prompt: { type: 'text', description: { en: 'What', 'zh-CN': '什么' }, required: true },
  },
  textOption: 'prompt',
  help: { en: 'x', 'zh-CN': '甲' },
  seenBy: 'channel',
  run: async ({ reply }) =>
    void (await reply.say({ text: `${'word '.repeat(500)}end`, files: [film(overTen)] })),
});

it.each(['works', 'refused'] as const)(
  'a file in an answer to a mention is as large as Discord takes it (over 10 MiB: %s), and that is remembered',
  async (reading) => {
    const stage = await startStage({ commands: [ask], readings: { uploadOver10MiB: reading } });
    const { discord, channel, platform } = stage;
    stage.ada.mentions(channel, 'go');
    const ours = () => stage.ofBot();
    const sizes = () => ours().flatMap(({ files }) => files.map(({ url }) => discord.fileBytes(url)?.length));
    if (reading === 'works') await discord.until('the file', () => sizes().length > 0);
    else await discord.until('the reason', () => ours().at(-1)?.content.includes('too-large (10 MiB)'));
    expect(sizes()).toEqual(reading === 'works' ? [overTen] : []);
    // The words before the file stand there once.
    expect(ours().filter(({ content }) => content.startsWith('word'))).toHaveLength(
      reading === 'works' ? 2 : 1,
    );
    const limit = await platform.adapter.maxFileBytes(stage.place, 'video');
    expect(limit).toBe((reading === 'works' ? 20 : 10) * mebibyte);
    const refusals = discord.journal.requests.filter(({ status }) => status === 413);
    expect(refusals).toHaveLength(reading === 'works' ? 0 : 1);
  },
);

// Fact: A 413 without a code is a proxy’s: the file is too large (discord.py-self#505)
it('a 413 from a proxy in front of Discord also means that a file is too large', async () => {
  const stage = await startStage({ commands: [], readings: { uploadOver10MiB: 'works' } });
  const { discord, channel, platform } = stage;
  discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'page', status: 413 });
  const files = [film(mebibyte)];
  await platform.adapter.post(stage.place, { text: 'a film', files }, 'key');
  expect(discord.messagesIn(channel).map(({ files }) => files.length)).toEqual([1]);
  expect(await platform.adapter.maxFileBytes(stage.place, 'video')).toBe(10 * mebibyte);
});

it('a file that was being uploaded while another was refused is tried with the lower limit, too', async () => {
  const found = new Map<string, 'works' | 'refused'>();
  const limits = new UploadLimits(() => 10 * mebibyte, {
    find: async (scope, feature) => found.get(`${scope} ${feature}`),
    note: async (scope, feature, finding) => void found.set(`${scope} ${feature}`, finding),
  });
  const server = { workspace: 'guild', channel: 'general' };
  const upload = (before: Promise<unknown>) =>
    limits.retryWithLowerLimits(server, async () => {
      const limit = await limits.limitAt(server);
      await before;
      if (limit > 10 * mebibyte)
        throw new PlatformError('too-large', 'too large', { cause: new Error('40005') });
      return limit;
    });
  const first = Promise.withResolvers<unknown>();
  const second = upload(first.promise);
  await upload(Promise.resolve()).then(first.resolve, first.reject);
  expect(await second).toBe(10 * mebibyte);
});

/** An image of more than 10 MiB. */
let drawn: OutgoingFile | undefined;
function image(): OutgoingFile {
  const about = { name: 'image.png', contentType: 'image/png', kind: 'image', description: 'Heavy' } as const;
  drawn ??= fileOf(heavyPicture(overTen), about);
  expect(drawn.size).toBeGreaterThan(10 * mebibyte);
  return drawn;
}
const create = 'POST /channels/{channel_id}/messages';
const statuses = ({ discord }: Stage) =>
  discord.journal.requests.filter(({ route }) => route === create).map(({ status }) => status);
const filesIn = ({ discord }: Stage, place: Channel) =>
  discord.messagesIn(place).flatMap(({ files }) => files.map(({ name }) => name));
const post = (stage: Stage, place: Address, file: OutgoingFile, key: string) =>
  bring(stage, place, { text: 'late', files: [file], mentions: [stage.ada.user.id] }, key);

/** Ways in which the bot can't post any more, so that late results come directly. */
const shut: Readonly<Record<string, () => Promise<{ stage: Stage; place: Address }>>> = {
  'is gone': async () => {
    const stage = await startStage({ commands: [] });
    const place = { platform: 'discord', workspace: stage.guild.id, channel: '123456789012345678' } as const;
    return { stage, place };
  },
  'only a dead token reached': async () => {
    const clock = new FakeClock();
    const before = (discord: FakeDiscord) => {
      withoutBot(discord);
      for (const guild of discord.world.guilds.values()) guild.uploadLimit = 25 * mebibyte;
    };
    const stage = await startStage({ commands: [echo], clock, before });
    await echoed(stage, 'hello');
    await clock.advance(15 * 60_000);
    return { stage, place: await stage.jobAddress() };
  },
};

describe.each(Object.entries(shut))('what comes directly because its place %s', (_, set) => {
  it('is re-encoded if direct messages accept less, which is remembered for all of them', async () => {
    const { stage, place } = await set();
    await post(stage, place, image(), 'first');
    expect(filesIn(stage, stage.ada.direct())).toEqual(['image.webp']);
    expect(statuses(stage).filter((status) => status === 413)).toHaveLength(1);
    const { adapter } = stage.platform;
    const other = stage.bob.direct().id;
    const direct = { platform: 'discord', workspace: other, channel: other } as const;
    expect(await adapter.maxFileBytes(direct, 'video')).toBe(10 * mebibyte);
    // The server's own limit is another thing.
    expect(await adapter.maxFileBytes(stage.place, 'video')).toBe(20 * mebibyte);
  });
});

it('what comes directly because its place is gone is reported as too large if it can’t be re-encoded', async () => {
  const { stage, place } = await shut['is gone']!();
  const posted = post(stage, place, film(overTen), 'first');
  await expect(posted).rejects.toMatchObject({ kind: 'too-large', detail: '10 MiB' });
});

it('after a token’s end the limit is that of direct messages, and more is reported as too large', async () => {
  const { stage, place } = await shut['only a dead token reached']!();
  const { adapter } = stage.platform;
  expect(await adapter.maxFileBytes(place, 'video')).toBe(20 * mebibyte);
  const posted = post(stage, place, film(overTen), 'first');
  await expect(posted).rejects.toMatchObject({ kind: 'too-large', detail: '10 MiB' });
  expect(await adapter.maxFileBytes(place, 'video')).toBe(10 * mebibyte);
});

it('a server whose boosts allow less than documented is treated like any other', async () => {
  const before = ({ world }: FakeDiscord) => {
    for (const guild of world.guilds.values()) guild.premiumTier = GuildPremiumTier.Tier2;
  };
  const stage = await startStage({ commands: [], before });
  const { channel, platform } = stage;
  expect(await platform.adapter.maxFileBytes(stage.place, 'video')).toBeGreaterThan(20 * mebibyte);
  await post(stage, stage.place, image(), 'first');
  expect(filesIn(stage, channel)).toEqual(['image.webp']);
  expect(await platform.adapter.maxFileBytes(stage.place, 'video')).toBe(10 * mebibyte);
});

it('boosts count in a server that refused more than 10 MiB before it had them', async () => {
  const stage = await startStage({ commands: [] });
  const { guild, channel, discord } = stage;
  await expect(post(stage, stage.place, film(overTen), 'first')).rejects.toMatchObject({ kind: 'too-large' });
  expect(await stage.platform.adapter.maxFileBytes(stage.place, 'video')).toBe(10 * mebibyte);
  guild.premiumTier = GuildPremiumTier.Tier2;
  guild.uploadLimit = 50 * mebibyte;
  await stage.restart();
  await post(stage, stage.place, film(overTen), 'film');
  expect(discord.messagesIn(channel).at(-1)?.files).toHaveLength(1);
});

/** Shows its image, as an answer and as what a render becomes. */
const imagine = defineCommand({
  name: 'imagine',
  description: { en: 'Draws', 'zh-CN': '画' },
  options: {},
  help: { en: 'x', 'zh-CN': '甲' },
  seenBy: 'channel',
  run: async ({ reply }) => void (await reply.say({ text: 'An image', files: [image()] })),
});

const said = (stage: Stage) =>
  stage.discord
    .messagesIn(stage.channel)
    .filter(({ content }) => content)
    .map(({ content, files }) => [content.split('\n').at(-1), ...files.map(({ name }) => name)]);

it('a file within an interaction’s stated limit that Discord refuses is re-encoded, however it’s sent', async () => {
  const stage = await startStage({
    commands: [imagine],
    before: withoutBot,
    readings: { statedUploadLimit: 'refused' },
  });
  stage.ada.types(stage.channel, { name: 'imagine', uploadLimit: 25 * mebibyte });
  await stage.discord.until('the answer', () => said(stage).length > 0);
  expect(said(stage)).toEqual([['An image', 'image.webp']]);
  const place = await stage.jobAddress();
  const { adapter } = stage.platform;
  await adapter.post(place, { text: 'late', files: [image()] }, 'late');
  const drawing = await adapter.post(place, { text: 'Drawing…' }, 'drawing');
  const done = await adapter.complete(drawing, { text: 'done', files: [image()] }, 'done');
  expect(done).toEqual(drawing);
  expect(said(stage).slice(1)).toEqual([
    ['late', 'image.webp'],
    ['done', 'image.webp'],
  ]);
});

it('an answer to a command continues after a 413 from a proxy in front of Discord', async () => {
  const stage = await startStage({ commands: [give] });
  gifts.set('file', { bytes: Buffer.from('small'), about: { name: 'a.bin', contentType: 'text/plain' } });
  const edit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
  stage.discord.faults.next(edit, { kind: 'page', status: 413 }, 2);
  stage.ada.types(stage.channel, {
    name: 'give',
    options: { kind: 'file' },
    uploadLimit: 25 * mebibyte,
  });
  await stage.discord.until('the file', () => said(stage).length > 0);
  expect(said(stage)).toEqual([['Here it is', 'a.bin']]);
});
