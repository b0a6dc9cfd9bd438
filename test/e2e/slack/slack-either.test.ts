import { describe, expect, it } from 'vitest';
import { startSlackScene } from '../support/slack-scene.ts';

const blocksOf = (message: object) => JSON.stringify((message as { blocks?: unknown }).blocks);

describe('a mention on Slack that could be an image or a question', () => {
  it('asks its author alone; drawn after a restart, it costs what the button says', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    ada.says(`${ada.bot} imagine a world without money`, general);
    const question = await scene.until('the question', () => ada.whispers[0]);
    expect(blocksOf(question)).toContain('Should I draw this, or just answer?');
    expect(await scene.spent()).toBe(0);
    await scene.restart();
    await ada.presses(question, 'Draw it · 22 credits');
    await scene.until('the credits', async () => (await scene.spent()) === 22);
  });

  it('is answered in its thread, whole', async () => {
    const scene = await startSlackScene('socket');
    const { ben, general } = scene;
    const { message } = ben.says(`${ben.bot} 想象一个没有钱的世界`, general);
    const question = await scene.until('the question', () => ben.whispers[0]);
    expect(blocksOf(question)).toContain('画出来 · 22 积分');
    await ben.presses(question, '直接回答');
    const answer = await scene.until('the answer', () =>
      scene.said().find((one) => blocksOf(one)?.includes('重新生成')),
    );
    expect(answer.threadTs).toBe(message.ts);
    expect(await scene.spent()).toBeLessThan(5);
  });
});
