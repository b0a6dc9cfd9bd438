import { describe, expect, it } from 'vitest';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { type DiscordScene, labelsOf, startDiscordScene } from '../support/discord-scene.ts';

const mention = (scene: DiscordScene, person: 'ada' | 'bob', text: string) =>
  scene[person].mentions(scene.channel, text);
const asked = ({ discord, said }: DiscordScene, label: string, index = 0) =>
  discord.until('the question', () => said().filter((one) => labelsOf(one).includes(label))[index]);

describe('a mention that could be an image or a question', () => {
  it('buys nothing; drawn, it costs what the button says; nobody else presses; a restart changes nothing', async () => {
    const scene = await startDiscordScene();
    const { discord, channel } = scene;
    mention(scene, 'ada', 'imagine a world without money');
    const question = await asked(scene, 'Draw it · 22 credits');
    expect(question.content).toContain('Should I draw this, or just answer?');
    expect(labelsOf(question)).toEqual(['Draw it · 22 credits', 'Just answer']);
    scene.bob.presses(question, 'Draw it · 22 credits');
    await discord.told(channel, 'Only the person who ran the command');
    expect(await scene.spent()).toBe(0);
    await scene.restart();
    scene.ada.presses(question, 'Draw it · 22 credits');
    const image = await scene.withFile();
    expect(image.content).toContain('a world without money');
    expect(await scene.spent()).toBe(22);
    expect(labelsOf(question)).toEqual([]);
  });

  it('is answered as a question, whole, with what it refers to, in the person’s language', async () => {
    const scene = await startDiscordScene();
    const { channel, bob } = scene;
    const quoted = mention(scene, 'bob', 'Money is a belief. [[context]]');
    await scene.labelled('Regenerate');
    const before = await scene.spent();
    bob.mentions(channel, '想象一个没有钱的世界 [[context]]', { replyTo: quoted });
    const question = await asked(scene, '直接回答');
    expect(question.content).toContain('要我画出来，还是直接回答？');
    expect(labelsOf(question)).toEqual(['画出来 · 22 积分', '直接回答']);
    expect(await scene.spent()).toBe(before);
    bob.presses(question, '直接回答');
    const answer = await asked(scene, '重新生成');
    expect(answer.content).toContain('想象一个没有钱的世界');
    expect(answer.content).toContain('Money is a belief');
    expect((await scene.spent()) - before).toBeLessThan(5);
  });

  it.each([
    [true, 'Just answering. I can’t look at images or videos.'],
    [false, 'Just answering.'],
  ])(
    'says that a picture isn’t looked at where it’s answered as a question: %s',
    async (hasPicture, said) => {
      const scene = await startDiscordScene();
      const { ada, channel, discord } = scene;
      const text = `<@${discord.world.bot.id}> imagine a world without money`;
      ada.writes(
        channel,
        text,
        hasPicture ? { files: [{ name: 'world.png', contentType: 'image/png', bytes: noise(16) }] } : {},
      );
      const question = await asked(scene, 'Just answer');
      ada.presses(question, 'Just answer');
      await asked(scene, 'Regenerate');
      expect(question.content).toBe(said);
    },
  );

  it('is answered at once where an image would be refused, and an order is still told why', async () => {
    const scene = await startDiscordScene({}, { environment: { USER_DAILY_CREDITS: '10' } });
    mention(scene, 'ada', 'imagine a world without money');
    const answer = await scene.labelled('Regenerate');
    expect(answer.content).toContain('world without money');
    mention(scene, 'ada', 'draw a cat');
    await scene.saying('Your daily budget of 10 credits');
  });
});
