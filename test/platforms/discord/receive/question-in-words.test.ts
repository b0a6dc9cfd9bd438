import { GatewayIntentBits } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import { type AnyCommand, commands as realCommands } from '../../../fakes/commands.ts';
import { type Stage, startStage } from '../support/stage.ts';

const seen: string[] = [];
/** The bot's own commands, which note what they are given. */
const commands = realCommands.map(({ check: _, ...command }) => ({
  ...(command as unknown as AnyCommand),
  run: async ({ job, options, reply }: Invocation<{ readonly prompt?: string }>) => {
    seen.push(`${job.command} ${options.prompt}`);
    await reply.say({ text: `did ${job.command} ${options.prompt}` });
  },
}));
beforeEach(() => {
  seen.length = 0;
});

const price = 'This costs 300 credits. Go ahead?';
/** A question that can still be answered there, the first where no other is meant. */
const asked = (stage: Stage, place = stage.channel, index = 0) =>
  stage.discord.until(
    'the question',
    () => stage.ofBot(place).filter(({ components }) => components.length > 0)[index],
  );
const says = (stage: Stage, text: string, place = stage.channel) =>
  stage.discord.until(text, () => stage.ofBot(place).find(({ content }) => content.includes(text)));

describe('words in reply to a question of the bot’s', () => {
  async function priced(): Promise<{ stage: Stage; question: Awaited<ReturnType<typeof asked>> }> {
    const stage = await startStage({ commands, question: price });
    stage.ada.mentions(stage.channel, 'imagine: a lighthouse');
    return { stage, question: await asked(stage) };
  }
  async function either(): Promise<{ stage: Stage; question: Awaited<ReturnType<typeof asked>> }> {
    const stage = await startStage({ commands });
    stage.ada.mentions(stage.channel, 'imagine a world without money');
    return { stage, question: await asked(stage) };
  }

  it.each(['yes', 'Yes, go ahead!', '好的'])('“%s” buys what it asks about, once', async (text) => {
    const { stage, question } = await priced();
    stage.ada.writes(stage.channel, text, { replyTo: question });
    await says(stage, 'did imagine a lighthouse');
    expect(question.content).toMatch(/Confirmed\.|已确认。/);
    expect(question.components).toEqual([]);
    expect(seen).toEqual(['imagine a lighthouse']);
  });

  it('“no” spends nothing', async () => {
    const { stage, question } = await priced();
    stage.ada.writes(stage.channel, 'No.', { replyTo: question });
    await says(stage, 'Nothing was sent and nothing was spent.');
    expect(question.components).toEqual([]);
    expect(seen).toEqual([]);
  });

  it.each([
    ['Just answer', 'ask imagine a world without money'],
    ['draw it', 'imagine a world without money'],
  ])('“%s” chooses', async (text, done) => {
    const { stage, question } = await either();
    stage.ada.writes(stage.channel, text, { replyTo: question });
    await says(stage, `did ${done}`);
    expect(seen).toEqual([done]);
    expect(question.components).toEqual([]);
  });

  it.each(['yes', 'no', 'draw it with a boat', 'what would it cost?'])(
    '“%s” says none of the buttons: it’s a message like any other, and the question stands',
    async (text) => {
      const { stage, question } = await either();
      stage.ada.writes(stage.channel, text, { replyTo: question });
      await stage.discord.until('an answer', () => stage.ofBot().length > 1);
      expect(seen.join()).not.toContain('world without money');
      expect(question.components).not.toEqual([]);
    },
  );

  it('of somebody else answers nothing', async () => {
    const { stage, question } = await either();
    stage.bob.writes(stage.channel, 'draw it', { replyTo: question });
    await stage.discord.until('something', () => stage.ofBot().length > 1);
    expect(question.components).not.toEqual([]);
    expect(seen.join()).not.toContain('world without money');
  });

  it('said to somebody else answer nothing, nor do those in another place; a reply to the question does', async () => {
    const stage = await startStage({
      ...{ commands, question: price, messageContent: true },
      before: ({ world }) => {
        world.privilegedIntents = GatewayIntentBits.MessageContent;
      },
    });
    const { adapter } = stage.platform;
    const root = await adapter.post(stage.place, { text: 'root' }, 'root');
    await adapter.openOwnThread?.(root, 'root');
    const thread = stage.discord.world.channel(root.message);
    stage.ada.mentions(thread, 'imagine: a lighthouse');
    const question = await asked(stage, thread);
    stage.ada.mentions(stage.channel, 'yes');
    await asked(stage);
    stage.ada.writes(thread, 'yes');
    await asked(stage, thread, 1);
    expect(seen).toEqual([]);
    stage.ada.writes(thread, 'yes', { replyTo: question, silent: true });
    await says(stage, 'did imagine a lighthouse', thread);
    expect(seen).toEqual(['imagine a lighthouse']);
  });

  it('right after it count, too; not once something else was given there', async () => {
    const stage = await startStage({ commands, question: price });
    const direct = stage.ada.direct();
    stage.ada.writes(direct, 'imagine: a lighthouse');
    const first = await asked(stage, direct);
    stage.ada.writes(direct, 'yes');
    await says(stage, 'did imagine a lighthouse', direct);
    expect(first.components).toEqual([]);
    stage.ada.writes(direct, 'imagine: a boat');
    await asked(stage, direct);
    stage.ada.writes(direct, 'imagine: a ship');
    await asked(stage, direct, 1);
    stage.ada.writes(direct, 'no');
    await says(stage, 'Nothing was sent', direct);
    stage.ada.writes(direct, 'yes');
    await asked(stage, direct, 1);
    expect(seen).toEqual(['imagine a lighthouse']);
  });

  it('about something private answer it where nobody else sees it', async () => {
    const stage = await startStage({ commands, question: price });
    const options = { prompt: 'my secret lighthouse', private: true };
    stage.ada.types(stage.channel, { name: 'imagine', options });
    await stage.discord.until('the question', () =>
      stage.discord
        .messagesIn(stage.channel, { ephemeral: true })
        .find(({ components }) => components.length > 0),
    );
    stage.ada.mentions(stage.channel, 'yes');
    await says(stage, 'did imagine my secret lighthouse', stage.ada.direct());
    expect(JSON.stringify(stage.ofBot())).not.toContain('secret');
  });
});
