import { Locale, PermissionFlagsBits } from 'discord-api-types/v10';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultBehavior } from '../../../src/sandbox/account/behavior.ts';
import { mediaType } from '../../../src/service/decode/media.ts';
import type { Channel, Message } from '../../fakes/discord/index.ts';
import { labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const voiceFlag = 1 << 13;
const done = (message: Message | undefined) => labelsOf(message).includes('Regenerate');

afterEach(() => void vi.restoreAllMocks());

describe('the four talents on Discord', () => {
  it('/ask: the channel’s conversation continues after a restart, and its buttons work', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Remember the number 4711.' } });
    await scene.discord.until('the answer', () => done(scene.said()[0]));
    await scene.restart();
    scene.bob.mentions(scene.channel, 'What was the number?');
    await scene.discord.until('the second answer', () => done(scene.said()[1]));
    const [first] = scene.said();
    scene.ada.presses(first!, 'Regenerate');
    await scene.discord.until('the new version', () => labelsOf(first).includes('2/2'));
    scene.bob.presses(first!, 'Regenerate');
    await scene.discord.until('a private word', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .some((m) => m.onlyFor === scene.bob.user.id),
    );
  });

  it.each([1_000n, 10n ** 18n])(
    'Regenerate shows the new version in place, where ids only count from %d, as those of something that stands in for Discord',
    async (first) => {
      const scene = await startDiscordScene();
      let count = first;
      vi.spyOn(scene.discord.world.ids, 'next').mockImplementation(() => `${++count}`);
      scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Remember the number 4711.' } });
      await scene.discord.until('the answer', () => done(scene.said()[0]));
      scene.ada.presses(scene.said()[0]!, 'Regenerate');
      await scene.discord.until('the new version', () => labelsOf(scene.said()[0]).includes('2/2'));
    },
  );

  it('/speak: a voice message, with its text in another message; other formats as files with their names and types', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning, everybody.' } });
    const clip = await scene.discord.until('the voice message', () =>
      scene.said().find((m) => m.flags & voiceFlag),
    );
    expect(clip.files[0]?.durationSeconds).toBeGreaterThan(0.5);
    await scene.saying('Good morning');
    for (const [format, type] of [
      ['mp3', 'audio/mpeg'],
      ['wav', 'audio/wav'],
    ] as const) {
      scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning.', format } });
      const message = await scene.discord.until(format, () =>
        scene.said().find((m) => m.files[0]?.name.endsWith(`.${format}`)),
      );
      expect(message.files[0]?.contentType).toBe(type);
    }
  });

  it.each(['wav', 'mp3', 'vorbis'] as const)(
    '/speak: a voice message though the service gives %s whatever it is asked for',
    async (speech) => {
      const scene = await startDiscordScene({ shapes: { ...defaultBehavior.shapes, speech } });
      scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning, everybody.' } });
      const clip = await scene.discord.until('the voice message', () =>
        scene.said().find((m) => m.flags & voiceFlag),
      );
      const [file] = clip.files;
      expect(file?.durationSeconds).toBeGreaterThan(0.5);
      expect(mediaType(scene.discord.fileBytes(file!.url)!)).toBe('audio/ogg; codecs=opus');
    },
  );

  it('/speak: an MP3, which plays everywhere, where voice messages aren’t possible', async () => {
    const scene = await startDiscordScene();
    const mp3In = async (place: Channel) => {
      scene.ada.types(place, { name: 'speak', options: { text: 'Good morning.' } });
      const { files } = await scene.withFile(place);
      expect(files.map(({ name, contentType }) => [name, contentType])).toEqual([
        ['speech.mp3', 'audio/mpeg'],
      ]);
    };
    await mp3In(scene.discord.world.addGroup([scene.ada.user, scene.bob.user]));
    scene.guild.roles.get(scene.guild.id)!.permissions &= ~PermissionFlagsBits.SendVoiceMessages;
    await mp3In(scene.channel);
    expect(scene.discord.journal.requests.filter(({ status }) => status >= 400)).toEqual([]);
  });

  it('/speak: a server that refuses voice messages in spite of its permissions is asked once', async () => {
    const scene = await startDiscordScene({}, { readings: { voiceMessage: 'refused' } });
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'One.' } });
    const first = await scene.withFile();
    expect([first.files[0]?.name, first.files[0]?.contentType]).toEqual(['speech.mp3', 'audio/mpeg']);
    await scene.restart();
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Two.' } });
    const second = await scene.discord.until(
      'the next',
      () => scene.said().filter((m) => m.files.length > 0)[1],
    );
    expect(second.files[0]?.name).toBe('speech.mp3');
    const refused = scene.discord.journal.requests.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(1);
  });

  it('/imagine: the image replaces its progress, with buttons that continue from it and from further images', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, {
      name: 'imagine',
      options: { prompt: 'a lighthouse', size: '1024x1024' },
    });
    const image = await scene.withFile();
    expect(image.content).toContain('a lighthouse');
    expect(image.files[0]?.contentType).toMatch(/^image\//);
    expect(scene.said()).toHaveLength(1);
    expect(labelsOf(image)).toEqual(['Again', 'Edit', 'To video', 'Report', 'Delete']);
    const edit = await scene.discord.opened(scene.bob.presses(image, 'Edit'));
    const bytes = scene.discord.fileBytes(image.files[0]?.url ?? '') ?? new Uint8Array();
    const files = ['a.png', 'b.png'].map((name) => ({ name, contentType: 'image/png', bytes }));
    scene.bob.submits(edit, { prompt: 'the same at night', reference_1: files });
    const second = await scene.discord.until(
      'the second image',
      () => scene.said().filter((m) => m.files.length > 0)[1],
    );
    expect(second.content).toContain('the same at night');
    scene.bob.presses(image, 'Delete');
    await scene.discord.until('a private word', () =>
      scene.discord
        .messagesIn(scene.channel, { ephemeral: true })
        .some((m) => m.onlyFor === scene.bob.user.id),
    );
    scene.ada.presses(image, 'Delete');
    await scene.discord.until('the deletion', () => image.deleted);
  });

  it('/video: the price at once, a thread, and the video there, for the requester', async () => {
    const scene = await startDiscordScene();
    const options = { prompt: 'a cat surfing', duration: 4, resolution: '480p' };
    const typed = scene.ada.types(scene.channel, { name: 'video', options });
    const rootId = await scene.discord.until('the message', () => typed.responseMessageId);
    const thread = await scene.discord.until('the thread', () => scene.discord.world.channels.get(rootId));
    expect(thread.name).toContain('a cat surfing');
    const root = () => scene.discord.world.messages.get(rootId);
    const asked = [root(), ...(root()?.history ?? [])].map((state) => state?.content);
    expect(asked).toContainEqual(expect.stringMatching(/148 credits. I’ll post it in the thread below/));
    const film = await scene.withFile(thread);
    expect(film.files[0]?.contentType).toBe('video/mp4');
    expect(film.mentions).toEqual([scene.ada.user.id]);
    expect(labelsOf(film)).toContain('New seed');
    const link = `https://discord.com/channels/${scene.guild.id}/${thread.id}/${film.id}`;
    await scene.discord.until('the way there', () => root()?.content.endsWith(`\n-# Ready: ${link}`));
    expect(root()?.content).not.toContain('below');
  });

  it('/video: comes in its thread though the connection broke off each time after Discord took its progress there', async () => {
    const { ada, channel, discord, said, until } = await startDiscordScene();
    discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'close-after' }, 3);
    ada.types(channel, { name: 'video', options: { prompt: 'a boat' } });
    const root = await discord.until('the announcement', () => said()[0]);
    await until('the video', () => said(root).some(({ files }) => files.length > 0));
    expect(said(root).filter(({ content }) => content.includes('Rendering…'))).toEqual([]);
    expect(said()).toHaveLength(1);
  });

  it('speaks Chinese to Chinese speakers, and says what is wrong before anything is spent', async () => {
    const scene = await startDiscordScene();
    scene.ada.types(scene.channel, {
      name: 'imagine',
      options: { prompt: '灯塔', size: 'huge' },
      locale: Locale.ChineseCN,
    });
    const refusal = await scene.discord.until(
      'the refusal',
      () => scene.discord.messagesIn(scene.channel, { ephemeral: true })[0],
    );
    expect(refusal.content).toContain('`size`');
    expect(refusal.content).toMatch(/\p{Script=Han}/u);
  });
});
