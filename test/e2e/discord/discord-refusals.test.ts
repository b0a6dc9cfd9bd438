import { PermissionFlagsBits } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { type Message, refusals } from '../../fakes/discord/index.ts';
import { labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** A word of every answer of the sandbox's to `Write 600 characters`. */
const blocked = 'You asked';
const voiceFlag = 1 << 13;
/** A link in what people ask for. */
const harmful = 'https://harm.example';
const hasFile = ({ files }: Message) => files.length > 0;

describe('the four talents if Discord refuses something', () => {
  it.each(['works', 'refused'] as const)(
    '/imagine with buttons that a token’s edit refuses (%s with a code): the image, without them',
    async (codedFormErrors) => {
      const scene = await startDiscordScene({}, { readings: { codedFormErrors } });
      scene.guild.moderation.buttons = true;
      scene.ada.types(scene.channel, { name: 'imagine', options: { prompt: 'a boat' } });
      const image = await scene.withFile();
      expect(image.content).toContain('a boat');
      expect(image.components).toEqual([]);
      expect(scene.said()).toEqual([image]);
    },
  );

  it('/ask whose message can’t be edited any more: the whole answer arrives', async () => {
    const scene = await startDiscordScene({ pace: 'human' });
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Write 600 characters' } });
    await scene.discord.until('the first words', () => scene.said()[0]);
    scene.guild.moderation.edits = true;
    const whole = await scene.discord.until('the whole answer', () => scene.said()[1]);
    expect(whole.content.length).toBeGreaterThan(500);
    expect(labelsOf(whole)).toContain('Regenerate');
  });

  it('/speak with words that AutoMod blocks: the clip, without them', async () => {
    const scene = await startDiscordScene();
    scene.guild.moderation.words = ['darn'];
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning, darn it.' } });
    await scene.discord.until('the clip', () => scene.said().find((m) => m.flags & voiceFlag));
    await scene.discord.until('its text', () => scene.said().find((m) => m.content === words('en').spoken));
  });

  it('/ask after a mention in a channel that is closed meanwhile: the whole answer comes directly', async () => {
    const scene = await startDiscordScene({ pace: 'human' });
    scene.ada.mentions(scene.channel, 'Write 600 characters');
    await scene.discord.until('the first words', () => scene.said()[0]);
    scene.guild.roles.get(scene.guild.id)!.permissions &= ~PermissionFlagsBits.ViewChannel;
    const direct = await scene.discord.until('the answer', () => scene.said(scene.ada.direct())[0]);
    expect(direct.content).toContain('where you asked for it');
    expect(direct.content.length).toBeGreaterThan(500);
  });

  it.each(['instant', 'human'] as const)(
    '/ask whose answer AutoMod blocks (%s): it comes in a direct message, and the channel is told why',
    async (pace) => {
      const scene = await startDiscordScene({ pace });
      scene.guild.moderation.words = [blocked];
      scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Write 600 characters' } });
      const direct = await scene.discord.until('the answer', () => scene.said(scene.ada.direct())[0]);
      expect(direct.content.length).toBeGreaterThan(500);
      expect(direct.content).toContain(blocked);
      await scene.discord.until('the reason', () => scene.said().at(-1)?.content.includes('AutoMod'));
      expect(scene.said().some(({ content, files }) => content.includes(blocked) || files.length > 0)).toBe(
        false,
      );
      expect(scene.said().flatMap(labelsOf)).toEqual([]);
      expect(scene.said(scene.ada.direct())).toHaveLength(1);
    },
  );

  it('/ask whose answer AutoMod blocks, with closed direct messages: the channel learns that too', async () => {
    const scene = await startDiscordScene();
    scene.guild.moderation.words = [blocked];
    const closed = { kind: 'refuse', refusal: refusals.directMessagesClosed() } as const;
    scene.discord.faults.next('POST /users/@me/channels', closed, 9);
    scene.ada.types(scene.channel, { name: 'ask', options: { prompt: 'Write 600 characters' } });
    const told = await scene.saying(words('en').blockedHere(false));
    expect(told.content).not.toContain(blocked);
    expect(told.files).toEqual([]);
  });

  // Fact: A token may be unknown (10015) after its command was acknowledged (discord-api-docs#6851)
  it.each([
    ['ask', { prompt: 'Write 600 characters' }, (m: Message) => m.content.length > 500],
    ['speak', { text: 'Good morning.' }, (m: Message) => m.flags === voiceFlag],
    ['imagine', { prompt: 'a boat' }, (m: Message) => m.files.length > 0],
  ] as const)(
    '/%s whose token Discord does not know after all: the bot writes a message of its own',
    async (name, options, isAnswer) => {
      const scene = await startDiscordScene();
      const token = '/webhooks/{webhook_id}/{webhook_token}';
      const refused = { kind: 'refuse', refusal: refusals.unknownWebhook() } as const;
      for (const request of ['PATCH', 'GET', 'DELETE'])
        scene.discord.faults.next(`${request} ${token}/messages/@original`, refused, 99);
      scene.discord.faults.next(`POST ${token}`, refused, 99);
      scene.ada.types(scene.channel, { name, options });
      await scene.discord.until('the answer', () => scene.said().find(isAnswer));
      expect(scene.said().filter(isAnswer)).toHaveLength(1);
      expect(scene.said().some(({ content }) => content.includes('interrupted'))).toBe(false);
    },
  );

  it('/speak whose first form is refused: the clip is posted once, in its place', async () => {
    const scene = await startDiscordScene();
    const refusal = refusals.unheardOf();
    const settling = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
    scene.discord.faults.next(settling, { kind: 'refuse', refusal });
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning.', format: 'mp3' } });
    const clip = await scene.withFile();
    expect(clip.files.map(({ name }) => name)).toEqual(['speech.mp3']);
  });

  it('/speak whose voice message is posted though Discord says it failed, and can’t be looked up: it comes once', async () => {
    const scene = await startDiscordScene(
      {},
      {
        before: ({ world }) => {
          for (const guild of world.guilds.values())
            guild.roles.get(guild.id)!.permissions &= ~PermissionFlagsBits.ReadMessageHistory;
        },
      },
    );
    const posts = 'POST /channels/{channel_id}/messages';
    scene.discord.faults.next(posts, { kind: 'error-after', status: 502 }, 4);
    scene.ada.types(scene.channel, { name: 'speak', options: { text: 'Good morning.' } });
    await scene.saying('Good morning');
    expect(scene.said().filter((m) => m.files.length > 0)).toMatchObject([{ flags: voiceFlag }]);
    expect(scene.said().filter((m) => m.content.includes('Good morning'))).toHaveLength(1);
  });

  it.each(['imagine: a boat', 'video: a boat --duration 4'])(
    '%s in a channel that takes nothing, which nothing said before: who asked is told so directly, and nothing is spent',
    async (words) => {
      const scene = await startDiscordScene();
      const { ada, channel, discord, said, saying, spent } = scene;
      const refused = { kind: 'refuse', refusal: refusals.missingPermissions() } as const;
      discord.faults.next('POST /channels/{channel_id}/messages', refused, 99, channel.id);
      ada.mentions(channel, words);
      const told = await saying('I’m not allowed', ada.direct());
      expect(told.content).toContain('a boat');
      expect(labelsOf(told)).toEqual(['Try again']);
      expect([said(), await spent()]).toEqual([[], 0]);
    },
  );

  it('/video whose file is refused: the next plainer form, in its thread and not directly', async () => {
    const scene = await startDiscordScene({ renderTime: 1 });
    const options = { prompt: 'a boat', duration: 4, resolution: '480p' };
    scene.ada.types(scene.channel, { name: 'video', options });
    const root = await scene.discord.until('the price', () => scene.said()[0]);
    await scene.discord.until('the progress', () => scene.said(root)[0]);
    // The film with its buttons, and without.
    const refusal = refusals.unheardOf();
    scene.discord.faults.next('POST /channels/{channel_id}/messages', { kind: 'refuse', refusal }, 2);
    const film = await scene.withFile(root);
    expect(film.mentions).toEqual([scene.ada.user.id]);
    expect(scene.said(scene.ada.direct())).toEqual([]);
  });

  it.each([
    ['AutoMod blocks', 'words'],
    ['a community’s channels may not be called', 'names'],
  ] as const)('/video with words that %s: its thread has another name, and the video', async (_, kind) => {
    const scene = await startDiscordScene();
    scene.guild.moderation[kind] = ['darn'];
    const options = { prompt: 'a darn boat', duration: 4, resolution: '480p' };
    scene.ada.types(scene.channel, { name: 'video', options });
    const root = await scene.discord.until('the price', () => scene.said()[0]);
    const film = await scene.withFile(root);
    expect(film.mentions).toEqual([scene.ada.user.id]);
    expect(labelsOf(film)).toContain('Edit');
    expect(scene.discord.world.channel(root.id).name).toBe(`#${root.id.slice(-4)}`);
  });

  it.each([
    ['ask', { prompt: `Tell me about ${harmful}` }, hasFile],
    ['speak', { text: `Good morning, ${harmful}.` }, (m: Message) => m.flags === voiceFlag],
    ['imagine', { prompt: `a boat like ${harmful}` }, hasFile],
    ['video', { prompt: `a boat like ${harmful}`, duration: 4, resolution: '480p' }, hasFile],
  ] as const)(
    '/%s with a link that Discord calls harmful: the result, without it',
    async (name, options, isResult) => {
      const scene = await startDiscordScene();
      scene.discord.world.harmfulLinks.push(harmful);
      scene.ada.types(scene.channel, { name, options });
      const result = await scene.discord.until('the result', () =>
        [...scene.discord.world.messages.values()].find(isResult),
      );
      expect(result.content).not.toContain(harmful);
    },
  );

  it.each([
    ['speak', { text: 'Good morning.' }],
    ['imagine', { prompt: 'a boat' }],
    ['video', { prompt: 'a boat', duration: 4, resolution: '480p' }],
  ] as const)(
    '/%s in a server whose uploads are limited: the result comes directly, and why',
    async (name, options) => {
      const scene = await startDiscordScene();
      scene.guild.moderation.files = true;
      scene.ada.types(scene.channel, { name, options });
      const direct = scene.ada.direct();
      await scene.withFile(direct);
      await scene.discord.until('why', () =>
        scene.said(direct).some((m) => m.content.includes('because files like this aren’t allowed')),
      );
    },
  );
});
