import { loadImage } from '@napi-rs/canvas';
import { PermissionFlagsBits } from 'discord-api-types/v10';
// The service client's undici comes first, as it does in the bot: with another version, uploads of the library
// failed while everything else went on.
import 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { fileOf, type IncomingFile, type Localized } from '../../../../src/port/index.ts';
import { mediaType } from '../../../../src/service/decode/media.ts';
import { sampleStudio } from '../../../e2e/support/sample-studio.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { invalidField, Refusal, refusals } from '../../../fakes/discord/http/refusal.ts';
import { gifts, give } from '../support/commands.ts';
import { noise } from '../support/pictures.ts';
import { type Stage, startStage } from '../support/stage.ts';

const commands = [give];
const voiceFlag = 1 << 13;
let speech: Uint8Array;

beforeAll(async () => {
  const order = {
    text: 'Good morning.',
    voice: 'en_male_tim_uranus_bigtts',
    format: 'ogg',
    speed: 1,
  } as const;
  speech = (await sampleStudio.speak(order)).bytes;
});

const shown = (stage: Stage) =>
  stage.discord.messagesIn(stage.channel).filter((m) => m.content || m.files.length > 0);
const given = (stage: Stage, kind: string) =>
  stage.ada.types(stage.channel, { name: 'give', options: { kind } });

/** Asks for a clip. */
function speaks(stage: Stage): void {
  gifts.set('voice', { bytes: speech, about: { name: 'speech.ogg', contentType: 'audio/ogg' } });
  given(stage, 'voice');
}

describe('a voice clip on Discord', () => {
  // Fact: The REST library sends `audio/ogg` only in raw requests (measured)
  it('is a voice message with length and waveform, with its text in another message', async () => {
    const stage = await startStage({ commands });
    speaks(stage);
    await stage.discord.until('both messages', () => shown(stage).length === 2);
    const clip = shown(stage).find((m) => m.flags & voiceFlag);
    const [file] = clip?.files ?? [];
    expect(file?.contentType).toBe('audio/ogg');
    expect(file?.durationSeconds).toBeGreaterThan(0.8);
    const waveform = Buffer.from(file?.waveform ?? '', 'base64');
    expect(waveform.length).toBe(Math.ceil((file?.durationSeconds ?? 0) / 0.1));
    expect(Math.max(...waveform)).toBe(255);
    expect(new Set(waveform).size).toBeGreaterThan(3);
    expect(shown(stage).find((m) => !(m.flags & voiceFlag))?.content).toBe('Here it is');
  });

  it('is a reply to the command’s own answer, or to the message that asked for it', async () => {
    const stage = await startStage({ commands });
    speaks(stage);
    await stage.discord.until('both messages', () => shown(stage).length === 2);
    const answer = shown(stage).find((m) => !(m.flags & voiceFlag));
    expect(shown(stage).find((m) => m.flags & voiceFlag)?.replyTo).toBe(answer?.id);
  });

  // Fact: Voice messages may have any file name, and be refused as replies (not documented)
  it.each([
    ['a reply that isn’t allowed', refusals.replyNeedsHistory()],
    ['a reply that a voice message can’t be', new Refusal(400, 50_035, 'Invalid Form Body')],
  ])('is a message of its own if Discord refuses it as %s', async (_, refusal) => {
    const stage = await startStage({ commands });
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'refuse', refusal });
    speaks(stage);
    await stage.discord.until('both messages', () => shown(stage).length === 2);
    expect(shown(stage).find((m) => m.flags & voiceFlag)).toMatchObject({ replyTo: undefined });
    expect(shown(stage).flatMap(({ files }) => files)).toHaveLength(1);
  });

  it('is an MP3 in the reply if voice messages aren’t allowed', async () => {
    const stage = await startStage({ commands });
    stage.forbid(PermissionFlagsBits.SendVoiceMessages);
    speaks(stage);
    const message = await stage.discord.until('the file', () => shown(stage)[0]);
    expect(message.files.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['speech.mp3', 'audio/mpeg'],
    ]);
    expect(mediaType(stage.discord.fileBytes(message.files[0]!.url)!)).toBe('audio/mpeg');
    expect(shown(stage)).toHaveLength(1);
  });

  it('is posted once if Discord posted it and responded with an error', async () => {
    const stage = await startStage({ commands });
    stage.discord.faults.next(
      'POST /channels/{channel_id}/messages',
      { kind: 'error-after', status: 502 },
      4,
    );
    speaks(stage);
    await stage.discord.until('its words', () => shown(stage).find((m) => m.content === 'Here it is'));
    expect(shown(stage).map(({ files, flags }) => [files.length, flags & voiceFlag])).toEqual(
      expect.arrayContaining([
        [1, voiceFlag],
        [0, 0],
      ]),
    );
    expect(shown(stage)).toHaveLength(2);
  });

  it('is a file if Discord fails to post it', async () => {
    const stage = await startStage({ commands });
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'error', status: 502 }, 4);
    speaks(stage);
    const message = await stage.discord.until('the file', () => shown(stage)[0]);
    expect(message.files.map(({ name }) => name)).toEqual(['speech.mp3']);
    expect(shown(stage)).toHaveLength(1);
  });

  it('isn’t mistaken for another one of the same size', async () => {
    const stage = await startStage({ commands });
    speaks(stage);
    await stage.discord.until('both messages', () => shown(stage).length === 2);
    stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'error', status: 502 }, 4);
    given(stage, 'voice');
    await stage.discord.until('its words', () => shown(stage).length > 2);
    expect(shown(stage).flatMap(({ files }) => files)).toHaveLength(2);
  });

  it('delivered late is a voice message, once, or else an MP3', async () => {
    const stage = await startStage({ commands });
    const { adapter } = stage.platform;
    const about = { name: 'speech.ogg', contentType: 'audio/ogg', kind: 'voice', description: 'hi' } as const;
    const late = (id: string) => ({ text: '> hi', files: [fileOf(speech, { ...about, id })] });
    const posted = await adapter.post(stage.place, late('a'), 'late');
    expect((await adapter.post(stage.place, late('a'), 'later')).message).toBe(posted.message);
    expect(shown(stage).filter(({ files }) => files.length > 0)).toMatchObject([
      { flags: voiceFlag, files: [{ contentType: 'audio/ogg' }] },
    ]);
    stage.forbid(PermissionFlagsBits.SendVoiceMessages);
    await adapter.post(stage.place, late('b'), 'other');
    expect(shown(stage).at(-1)).toMatchObject({ content: '> hi', files: [{ name: 'speech.mp3' }] });
    const bytes = stage.discord.fileBytes(shown(stage).at(-1)!.files[0]!.url)!;
    expect(mediaType(bytes)).toBe('audio/mpeg');
  });

  it.each([
    ['a permission that was taken away just now', refusals.missingPermissions(), 1],
    ['the thread was locked', refusals.lockedThread(), 1],
    // As a reply, and as a message of its own.
    ['this clip alone', invalidField('attachments.0.duration_secs', 'NUMBER_TYPE_MAX', 'Too long.'), 2],
    ['what nobody has heard of', refusals.unheardOf(), 2],
  ])(
    'is tried as one again where Discord refused a former one for another reason: %s',
    async (_, refusal, times) => {
      const stage = await startStage({ commands });
      stage.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'refuse', refusal }, times);
      speaks(stage);
      const file = await stage.discord.until('the file', () => shown(stage)[0]);
      expect(file.files.map(({ name }) => name)).toEqual(['speech.mp3']);
      given(stage, 'voice');
      await stage.discord.until('the words', () => shown(stage).length === 3);
      expect(shown(stage).filter(({ flags }) => flags & voiceFlag)).toHaveLength(1);
    },
  );

  it('refused by a channel whose permissions are unknown is a file there, and a voice message elsewhere', async () => {
    const stage = await startStage({ commands });
    const { discord, guild, channel } = stage;
    const { adapter } = stage.platform;
    const unknown = discord.world.addChannel(guild, 'unknown');
    const about = { name: 'speech.ogg', contentType: 'audio/ogg', kind: 'voice', description: 'hi' } as const;
    const late = (id: string) => ({ text: '> hi', files: [fileOf(speech, { ...about, id })] });
    const at = ({ id }: { readonly id: string }) =>
      ({ platform: 'discord', workspace: guild.id, channel: id }) as const;
    const refused = () => discord.journal.requests.filter(({ status }) => status === 403).length;
    discord.world.readings.voiceMessage = 'refused';
    await adapter.post(at(unknown), late('a'), 'a');
    discord.world.readings.voiceMessage = 'works';
    await adapter.post(at(channel), late('b'), 'b');
    await adapter.post(at(unknown), late('c'), 'c');
    const isVoice = (place: { readonly id: string }) =>
      discord
        .messagesIn(place)
        .filter(({ files }) => files.length > 0)
        .map(({ flags }) => (flags & voiceFlag) !== 0);
    expect(isVoice(unknown)).toEqual([false, false]);
    expect(isVoice(channel)).toEqual([true]);
    expect(refused()).toBe(1);
  });

  it('is a file if it isn’t Ogg Opus after all', async () => {
    const stage = await startStage({ commands });
    gifts.set('voice', {
      bytes: Buffer.from('RIFF....WAVE'),
      about: { name: 'speech.wav', contentType: 'audio/wav' },
    });
    given(stage, 'voice');
    const message = await stage.discord.until('the file', () => shown(stage)[0]);
    expect(message.files[0]?.contentType).toBe('audio/wav');
  });
});

describe('files on Discord', () => {
  // Fact: The REST library’s uploads fail if another undici was loaded first (discord.js#10946, #11525)
  it('arrive byte by byte with name, type and description', async () => {
    const stage = await startStage({ commands });
    const bytes = Buffer.alloc(3 * 1024 * 1024, 7);
    gifts.set('video', { bytes, about: { name: 'film.mp4', contentType: 'video/mp4' } });
    given(stage, 'video');
    const message = await stage.discord.until('the file', () => shown(stage)[0]);
    const [file] = message.files;
    expect([file?.name, file?.contentType, file?.description]).toEqual([
      'film.mp4',
      'video/mp4',
      'Described',
    ]);
    expect(Buffer.from(stage.discord.fileBytes(file!.url)!).equals(bytes)).toBe(true);
  });

  it('are refused with an explanation if they are too large', async () => {
    const stage = await startStage({ commands });
    gifts.set('video', { bytes: Buffer.alloc(2048), about: { name: 'film.mp4', contentType: 'video/mp4' } });
    stage.ada.types(stage.channel, { name: 'give', options: { kind: 'video' }, uploadLimit: 1024 });
    const message = await stage.discord.until('the refusal', () => shown(stage)[0]);
    expect(message.content).toContain('too-large (1.0 KiB)');
    expect(stage.discord.journal.requests.filter((request) => request.status === 413)).toEqual([]);
  });

  it('are re-encoded if they are images, with a link to the original', async () => {
    const stage = await startStage({ commands });
    const bytes = noise(256);
    const original = 'https://media.example.org/original.png';
    gifts.set('image', { bytes, about: { name: 'image.png', contentType: 'image/png', original } });
    stage.ada.types(stage.channel, { name: 'give', options: { kind: 'image' }, uploadLimit: 40_000 });
    const message = await stage.discord.until('the image', () => shown(stage)[0]);
    const [file] = message.files;
    expect([file?.name, file?.contentType]).toEqual(['image.webp', 'image/webp']);
    const stored = stage.discord.fileBytes(file!.url)!;
    expect(stored.length).toBeLessThanOrEqual(40_000);
    const image = await loadImage(Buffer.from(stored));
    expect(image.width).toBe(image.height);
    expect(message.content).toContain(`<${original}>`);
  });
});

describe('a result that is too large to upload', () => {
  it('is linked with a preview; links from people have none, not even after an edit', async () => {
    const stage = await startStage({ commands });
    const { adapter } = stage.platform;
    const link = 'https://media.example.org/film.mp4?sig=a_b';
    const text = '> like https://example.org/boat or [this](https://example.org/it)\nToo large:';
    const posted = await adapter.post(stage.place, { text, link }, 'key');
    const [message] = shown(stage);
    expect(message?.unfurled).toEqual([link]);
    expect(message?.content.split('\n').at(-1)).toBe(link);
    await adapter.edit(posted, { text });
    expect(message?.unfurled).toEqual([]);
    await adapter.complete(posted, { text, link }, 'ready');
    expect(message?.unfurled).toEqual([link]);
  });

  // Fact: Bars around spaces hide a link and its preview (Vencord/plugin-requests#381)
  it('is linked as a spoiler where it should stay hidden, apart from the bars, and plays there', async () => {
    const stage = await startStage({ commands });
    const { adapter } = stage.platform;
    const link = 'https://media.example.org/film.mp4?sig=a_b';
    await adapter.post(stage.place, { text: 'Too large:', link, spoiler: true }, 'key');
    const [message] = shown(stage);
    expect(message?.content).toBe(`Too large:\n|| ${link} ||`);
    expect(message?.unfurled).toEqual([link]);
  });
});

describe('files that people attach', () => {
  it('reach a command with their public https URL', async () => {
    const seen: unknown[] = [];
    const take = defineCommand<{
      image_1: { type: 'file'; media: 'image'; reach: 'address'; description: Localized };
    }>({
      name: 'take',
      description: { en: 'x', 'zh-CN': '甲' },
      help: { en: 'x', 'zh-CN': '甲' },
      options: {
        image_1: { type: 'file', media: 'image', reach: 'address', description: { en: 'x', 'zh-CN': '甲' } },
      },
      seenBy: 'channel',
      async run({ options, reply }) {
        seen.push(options.image_1);
        await reply.say({ text: 'taken' });
      },
    });
    const stage = await startStage({ commands: [take] });
    const image = { name: 'cat.png', contentType: 'image/png', bytes: Buffer.from('png') };
    stage.ada.types(stage.channel, { name: 'take', options: { image_1: image } });
    await stage.discord.until('the answer', () => shown(stage)[0]);
    expect(seen).toEqual([
      expect.objectContaining({
        name: 'cat.png',
        contentType: 'image/png',
        size: 3,
        url: expect.stringMatching(/^https:\/\//),
      }),
    ]);
    expect((await stage.platform.adapter.readFile(seen[0] as IncomingFile, 100)).toString()).toBe('png');
    stage.ada.types(stage.channel, {
      name: 'take',
      options: { image_1: { ...image, contentType: 'text/plain' } },
    });
    await stage.discord.until('the refusal', () =>
      stage.discord.messagesIn(stage.channel, { ephemeral: true }).some((m) => m.content.includes('image_1')),
    );
  });

  it('lack a permission: it’s named', async () => {
    const stage = await startStage({ commands });
    gifts.set('video', { bytes: Buffer.alloc(10), about: { name: 'film.mp4', contentType: 'video/mp4' } });
    stage.forbid(PermissionFlagsBits.AttachFiles);
    given(stage, 'video');
    const message = await stage.discord.until('the word', () => shown(stage)[0]);
    expect(message.content).toContain('no-permission (Attach Files)');
  });
});
