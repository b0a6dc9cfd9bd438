import { expect, it } from 'vitest';
import { mediaType } from '../../src/service/decode/media.ts';
import type { FakeDiscord } from '../fakes/discord/index.ts';
import { startDiscordScene } from './support/discord-scene.ts';
import { startSlackScene } from './support/slack-scene.ts';

const text = 'The tide comes in twice a day.';
const note = 'Too large to post here as WAV, so this is MP3.';
/** Bytes that a place takes: more than the clip has as MP3, less than it has as WAV. */
const limit = 50_000;

const limiting = (bytes: number) => (discord: FakeDiscord) => {
  for (const guild of discord.world.guilds.values()) guild.uploadLimit = bytes;
};

it('a WAV too large for its server comes as an MP3 that says so', async () => {
  const { discord, ada, channel, withFile } = await startDiscordScene({}, { before: limiting(limit) });
  ada.types(channel, { name: 'speak', options: { text, format: 'wav' } });
  const clip = await withFile();
  expect(clip.files.map(({ name }) => name)).toEqual(['speech.mp3']);
  expect(clip.content).toContain(note);
  const bytes = discord.fileBytes(clip.files[0]?.url ?? '') ?? new Uint8Array();
  expect(mediaType(bytes)).toBe('audio/mpeg');
  expect(bytes.length).toBeLessThan(limit);
});

it('a clip too large for its server in every format comes directly', async () => {
  const { ada, channel, withFile } = await startDiscordScene({}, { before: limiting(2_000) });
  ada.types(channel, { name: 'speak', options: { text, format: 'mp3' } });
  const direct = ada.direct();
  const clip = await withFile(direct);
  expect(clip.files.map(({ name }) => name)).toEqual(['speech.mp3']);
});

it('a clip too large for every place on Discord: who asked is told that, with its size', async () => {
  const nowhere = (discord: FakeDiscord) => {
    limiting(2_000)(discord);
    Object.defineProperty(discord.world, 'defaultUploadLimit', { value: 2_000 });
  };
  const { discord, ada, channel } = await startDiscordScene({}, { before: nowhere });
  ada.types(channel, { name: 'speak', options: { text, format: 'mp3' } });
  const told = await discord.told(channel, 'This is');
  expect(told.content).toMatch(/\nThis is finished, but the file \(\d\.\d KiB\) is too large/);
});

it('a WAV larger than its workspace takes comes as an MP3 that says so', async () => {
  const { ada, general, slack, workspace, said, until, saying } = await startSlackScene('socket');
  workspace.maxFileBytes = limit;
  await ada.types(`/speak ${text} --format wav`, general);
  const clip = await until('the clip', () => said().find(({ files }) => files.length > 0));
  await saying(note);
  expect(mediaType(slack.bytesOf(workspace, clip.files[0] ?? ''))).toBe('audio/mpeg');
});
