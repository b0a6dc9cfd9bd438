import { Locale } from 'discord-api-types/v10';
import { describe, expect, it } from 'vitest';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

/** What the bot says to one person only, newest last. */
const whispered = ({ discord, channel }: DiscordScene, to: string) =>
  discord
    .messagesIn(channel, { ephemeral: true })
    .filter(({ onlyFor, content }) => onlyFor === to && content !== '');

/** Types commands, one after the other, as somebody to whom the bot has said nothing yet; returns what it says to each. */
function asking(scene: DiscordScene) {
  const { ada, channel, discord } = scene;
  let count = 0;
  return async (name: string, options: Record<string, string> = {}) => {
    ada.types(channel, { name, options });
    count += 1;
    await discord.until('the answer', () => whispered(scene, ada.user.id).length === count);
    return whispered(scene, ada.user.id).at(-1)?.content ?? '';
  };
}

describe('commands that texts name', () => {
  it('can be clicked in /help, of all commands and of one, and in refusals, in both languages', async () => {
    const scene = await startDiscordScene();
    const { ada, discord } = scene;
    const id = (name: string) =>
      String(discord.commands.list('global').find((command) => command.name === name)?.id);
    const typed = (name: string) => (name === 'settings' ? 'settings overview' : name);
    const mention = (name: string) => `</${typed(name)}:${id(name)}>`;
    const told = asking(scene);
    const overview = await told('help');
    for (const { name, type } of discord.commands.list('global'))
      if (type === 1 && name !== 'help') expect(overview).toContain(`**${mention(String(name))}** — `);
    expect(overview).toContain(`it works like ${mention('ask')}.`);
    expect(overview).toContain('`/help command:ask`');
    expect(await told('help', { command: 'ask' })).toContain(`${mention('reset')} starts over`);
    ada.user.locale = Locale.ChineseCN;
    expect(await told('help')).toContain(`等同于 ${mention('ask')}。`);
    expect(await told('speak', { text: '早上好', voice: 'nobody' })).toContain(mention('voices'));
  });

  it('can be clicked in what a setting refuses, and stay so when its page is edited', async () => {
    const scene = await startDiscordScene();
    const { ada, channel, discord, owner } = scene;
    const imagine = discord.commands.list('global').find(({ name }) => name === 'imagine')?.id;
    owner.types(channel, { name: 'settings', sub: 'commands', options: { off: 'imagine' } });
    const page = await discord.until('the page', () => whispered(scene, owner.user.id)[0]);
    expect(labelsOf(page)).toContain('✗ /imagine');
    ada.types(channel, { name: 'imagine', options: { prompt: 'a boat' } });
    const refusal = await discord.until('the refusal', () => whispered(scene, ada.user.id)[0]);
    expect(refusal.content).toBe(
      `</imagine:${imagine}> is turned off here. An administrator can turn it on.`,
    );
  });

  it('explains files that differ in their number only in one line, and says nothing twice', async () => {
    const scene = await startDiscordScene();
    const { ada, channel, discord } = scene;
    ada.types(channel, { name: 'help', options: { command: 'video' } });
    const { content } = await discord.until('the help', () => whispered(scene, ada.user.id)[0]);
    expect(content).toContain('- `image_1` … `image_9`: A reference image (image file)\n');
    expect(content).toContain('- `video_1` … `video_3`: A reference video, or one to edit (video file)\n');
    expect(content).toContain(
      '- `image_urls`: https links to reference images, separated by spaces (at most 9)\n',
    );
    expect(content).not.toContain('image_2');
  });

  it('and refusals in Chinese have its own marks; a list that goes on ends with no full stop in English', async () => {
    const scene = await startDiscordScene();
    const { ada, channel, discord, owner } = scene;
    const told = asking(scene);
    expect(await told('voices', { language: 'tlhIngan Hol' })).toMatch(/Allowed: zh-CN, en, …$/m);
    ada.user.locale = Locale.ChineseCN;
    expect(await told('voices', { language: '克林贡语' })).toMatch(/允许：zh-CN、en 等。$/m);
    expect(await told('imagine', { prompt: '猫', size: '大' })).toContain('允许：2k、3k、4k、宽x高。\n');
    const help = await told('help', { command: 'imagine' });
    expect(help).toMatch(/- `[^`]+`：[^\n]+（必填；最多 [\d,]+ 个字符）\n/);
    expect(help).not.toMatch(/`: | \(|; /);
    expect(await told('help', { command: 'video' })).toContain('（480p、720p、1080p）');
    owner.user.locale = Locale.ChineseCN;
    owner.types(channel, {
      name: 'settings',
      sub: 'limits',
      options: { cooldown: '5', renders_at_once: '2' },
    });
    const page = await discord.until('the page', () => whispered(scene, owner.user.id)[0]);
    expect(page.content).toMatch(/已更改：`[^`]+`、`[^`]+`/);
  });
});
