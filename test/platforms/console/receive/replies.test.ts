import { beforeEach, describe, expect, it } from 'vitest';
import { defineCommand } from '../../../fakes/commands.ts';
import { post } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

const description = { en: 'Asks', 'zh-CN': '提问' };
const asked: unknown[] = [];
const ask = defineCommand({
  name: 'ask',
  description,
  help: description,
  options: { prompt: { type: 'text', required: true, description } },
  textOption: 'prompt',
  seenBy: 'channel',
  async run({ options, reply }) {
    asked.push(options);
    await reply.say({ text: `**Tea** is a drink.` });
  },
});
beforeEach(() => {
  asked.length = 0;
});

describe('a reply on the console', () => {
  const open = async () => {
    const stage = await startStage({ commands: [ask, post] as never });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    return { stage, visitor, channel };
  };

  it('brings what it replies to: the bot’s answer, the person’s command, and what an image was made from', async () => {
    const { visitor, channel } = await open();
    await visitor.command(channel, 'ask', { prompt: 'What is tea?' });
    await visitor.until(channel, (messages) => messages.length === 2);
    await visitor.command(channel, 'post', { words: '> a slope', media: true });
    const earlier = await visitor.until(channel, (messages) => messages.length === 4);
    const replyTo = (index: number) => ({ replyTo: earlier[index]!.id });
    for (const index of [0, 1, 2, 3])
      await visitor.command(channel, 'ask', { prompt: `well ${index}?` }, replyTo(index));
    await visitor.until(channel, (messages) => messages.length === 12);
    const block = (whose: string, text: string) =>
      `\`\`\`quoted ${whose}, which this replies to\n${text}\n\`\`\``;
    const [own, person] = ['your own message', 'earlier message from the same person'];
    expect(asked.slice(1)).toEqual([
      { prompt: 'well 0?', context: block(person, 'What is tea?') },
      { prompt: 'well 1?', context: block(own, '**Tea** is a drink.') },
      { prompt: 'well 2?', context: block(person, '/post > a slope media: true') },
      {
        prompt: 'well 3?',
        context: block(
          own,
          '> a slope\n[image made from: a slope from dark to light]\n[voice made from: a tone that swells and fades]',
        ),
      },
    ]);
    const [reply] = (await visitor.messages(channel)).filter(({ command }) => command?.text === 'well 1?');
    expect(reply).toMatchObject({ repliesTo: 'Tea is a drink.' });
  });

  it('to a message of another channel, of another session or that’s gone isn’t sent', async () => {
    const { visitor, channel } = await open();
    const wrong = {
      eventId: 'some-event-id',
      place: channel,
      command: 'ask',
      options: { prompt: 'x' },
      locale: 'en',
    };
    const response = await visitor.fetch('commands', {
      method: 'POST',
      body: JSON.stringify({ ...wrong, replyTo: 999 }),
    });
    expect(response.status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is bounded, and the hidden option can’t be sent as an option', async () => {
    const { visitor, channel } = await open();
    await visitor.command(channel, 'post', { words: '长'.repeat(20_000) });
    const [, long] = await visitor.until(channel, (messages) => messages.length === 2);
    await visitor.command(channel, 'ask', { prompt: 'well?' }, { replyTo: long!.id });
    await visitor.until(channel, (messages) => messages.length === 4);
    const { context } = asked[0] as { readonly context: string };
    expect(context.length).toBeGreaterThan(900);
    expect(context.length).toBeLessThan(1_100);
    const refused = await visitor.command(channel, 'ask', { prompt: 'x', context: 'lies' });
    expect(refused.kind).toBe('refused');
  });
});
