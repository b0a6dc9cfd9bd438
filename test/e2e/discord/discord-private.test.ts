import { afterEach, describe, expect, it, vi } from 'vitest';
import { words } from '../../../src/words/index.ts';
import type { Message } from '../../fakes/discord/index.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const { sharing } = words('en');

/** What is in every prompt of these tests, and in what the sandbox answers to it. */
const secret = 'marmalade';
const wishes = {
  ask: { prompt: `repeat: ${secret} is the word` },
  speak: { text: `${secret} is the word` },
  imagine: { prompt: `a jar of ${secret}` },
  video: { prompt: `a jar of ${secret}`, duration: 4 },
} as const;
type Talent = keyof typeof wishes;
const talents = Object.keys(wishes) as Talent[];

afterEach(() => vi.unstubAllGlobals());

/** Discord's files are at its own address, which is nowhere here. */
function serveFiles({ discord }: DiscordScene): void {
  const real = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    const bytes = discord.fileBytes(String(request[0]));
    return bytes ? new Response(Buffer.from(bytes)) : real(...request);
  });
}

/** What the bot wrote that only one person sees. */
function hidden({ discord, channel }: DiscordScene): readonly Message[] {
  return discord
    .messagesIn(channel, { ephemeral: true })
    .filter(({ onlyFor, content, files }) => onlyFor !== undefined && (content !== '' || files.length > 0));
}

/** All that anybody in the server can see: messages with their files, names of threads. */
function publicWords({ discord, guild }: DiscordScene): string {
  const channels = [...discord.world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  const messages = channels.flatMap((each) => discord.messagesIn(each));
  return JSON.stringify([
    channels.map(({ name }) => name),
    messages.map(({ content, files, components }) => [
      content,
      components,
      files.map(({ name, description }) => [name, description]),
    ]),
  ]);
}

const isFinished: Record<Talent, (message: Message) => boolean> = {
  ask: ({ content }) => content.includes(secret),
  speak: ({ files }) => files.length > 0,
  imagine: ({ files }) => files.length > 0,
  video: ({ files }) => files.length > 0,
};

function give(scene: DiscordScene, talent: Talent, more: object = {}) {
  return scene.ada.types(scene.channel, {
    name: talent,
    options: { ...wishes[talent], private: true, ...more },
  });
}

function answered(scene: DiscordScene, talent: Talent): Promise<Message> {
  return scene.discord.until(`the answer to /${talent}`, () => hidden(scene).find(isFinished[talent]));
}

describe('a private command', () => {
  it.each(talents)('/%s is answered to its requester alone, in place', async (talent) => {
    const scene = await startDiscordScene();
    const typed = give(scene, talent);
    const answer = await answered(scene, talent);
    expect(answer).toMatchObject({ id: typed.responseMessageId, onlyFor: scene.ada.user.id });
    await scene.discord.until('the button', () => labelsOf(answer).includes(sharing.share));
    expect(answer.files.every(({ contentType }) => contentType !== 'audio/ogg')).toBe(true);
    expect(publicWords(scene)).not.toContain(secret);
    expect(scene.said()).toEqual([]);
    expect([...scene.discord.world.channels.values()].filter(({ thread }) => thread)).toEqual([]);
    expect(scene.discord.journal.violations).toEqual([]);
  });
});

describe('Share here', () => {
  it.each(talents)(
    '/%s: posts it in the channel, once and for free, and says who shared it',
    async (talent) => {
      const scene = await startDiscordScene();
      serveFiles(scene);
      give(scene, talent);
      const answer = await answered(scene, talent);
      await scene.discord.until('the button', () => labelsOf(answer).includes(sharing.share));
      const spent = await scene.spent();
      scene.ada.presses(answer, sharing.share);
      scene.ada.presses(answer, sharing.share);
      await scene.discord.until('the label', () => labelsOf(answer).includes(sharing.shared));
      await scene.discord.until('the second press', () =>
        hidden(scene).some(({ content }) => content === sharing.already),
      );
      const [shared, ...more] = scene.said();
      expect(shared?.content).toContain(secret);
      expect(shared?.content).toContain(sharing.sharedBy('ada'));
      expect(shared?.files.length).toBe(talent === 'ask' ? 0 : 1);
      expect(more).toEqual([]);
      expect(await scene.spent()).toBe(spent);
      expect(answer.content).toContain(secret);
      expect(scene.discord.journal.violations).toEqual([]);
    },
  );
});
