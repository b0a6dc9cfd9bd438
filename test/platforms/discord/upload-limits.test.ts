import { expect, it } from 'vitest';
import { UploadLimits } from '../../../src/platforms/discord/upload-limits.ts';
import { defineCommand, fileOf, OutletError } from '../../../src/port/index.ts';
import { startStage } from './stage.ts';

const mebibyte = 1024 ** 2;
const film = (bytes: number) =>
  fileOf(new Uint8Array(bytes), {
    name: 'film.mp4',
    contentType: 'video/mp4',
    kind: 'video',
    description: 'A film',
  });

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
    void (await reply.say({ text: `${'word '.repeat(500)}end`, files: [film(12 * mebibyte)] })),
});

it.each(['works', 'refused'] as const)(
  'a file in an answer to a mention is as large as Discord takes it (over 10 MiB: %s), and that is remembered',
  async (reading) => {
    const stage = await startStage({ commands: [ask], readings: { uploadOver10MiB: reading } });
    const { discord, channel, guild, platform } = stage;
    stage.ada.writes(channel, `<@${discord.world.bot.id}> go`);
    const ours = () =>
      discord.messagesIn(channel).filter(({ authorId }) => authorId === discord.world.bot.id);
    const sizes = () => ours().flatMap(({ files }) => files.map(({ url }) => discord.fileBytes(url)?.length));
    if (reading === 'works') await discord.until('the file', () => sizes().length > 0);
    else await discord.until('the reason', () => ours().at(-1)?.content.includes('too-large (10 MiB)'));
    expect(sizes()).toEqual(reading === 'works' ? [12 * mebibyte] : []);
    // The words before the file stand there once.
    expect(ours().filter(({ content }) => content.startsWith('word'))).toHaveLength(
      reading === 'works' ? 2 : 1,
    );
    const place = { platform: 'discord', workspace: guild.id, channel: channel.id } as const;
    const limit = await platform.outlet.maxFileBytes(place, 'video');
    expect(limit).toBe((reading === 'works' ? 20 : 10) * mebibyte);
    const refusals = discord.journal.requests.filter(({ status }) => status === 413);
    expect(refusals).toHaveLength(reading === 'works' ? 0 : 1);
  },
);

it('a 413 of what stands before Discord says that a file is too large, too', async () => {
  const stage = await startStage({ commands: [], readings: { uploadOver10MiB: 'works' } });
  const { discord, channel, guild, platform } = stage;
  discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'page', status: 413 });
  const place = { platform: 'discord', workspace: guild.id, channel: channel.id } as const;
  const files = [film(8 * mebibyte)];
  await platform.outlet.post(place, { text: 'a film', files }, 'key');
  expect(discord.messagesIn(channel).map(({ files }) => files.length)).toEqual([1]);
  expect(await platform.outlet.maxFileBytes(place, 'video')).toBe(10 * mebibyte);
});

it('a file that was under way while another was refused is tried with the lower limit, too', async () => {
  const found = new Map<string, 'works' | 'refused'>();
  const limits = new UploadLimits(() => 10 * mebibyte, {
    find: async (scope, feature) => found.get(`${scope} ${feature}`),
    note: async (scope, feature, finding) => void found.set(`${scope} ${feature}`, finding),
  });
  const upload = (before: Promise<unknown>) =>
    limits.trying('guild', async () => {
      const limit = await limits.in('guild');
      await before;
      if (limit > 10 * mebibyte)
        throw new OutletError('too-large', 'too large', { cause: new Error('40005') });
      return limit;
    });
  const first = Promise.withResolvers<unknown>();
  const second = upload(first.promise);
  await upload(Promise.resolve()).then(first.resolve, first.reject);
  expect(await second).toBe(10 * mebibyte);
});
