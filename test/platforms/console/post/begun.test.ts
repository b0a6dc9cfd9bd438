import { expect, test } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { forgetAnswers, interrupted, recover, unended } from '../../recover.ts';
import { startStage } from '../support/stage.ts';

const say = (text: string) => unended('ask', (reply) => reply.say({ text }));
const grow = (text: string) =>
  unended('ask', (reply, id) => {
    reply.stream({ buttons: () => [{ id: actionId('ask', 'stop', id), label: 'Stop' }] }).append(text);
  });

/** What the bot's messages say where the process died after a command had said so many, and the next one looked after it. */
async function recovered(command: ReturnType<typeof unended>, values: object, count: number) {
  const stage = await startStage({ commands: [command] });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  await visitor.command(channel, 'ask', { prompt: 'a cat', ...values });
  await visitor.until(channel, (messages) => messages.length === count);
  await stage.restart();
  await forgetAnswers(stage.database);
  await recover(stage.database, stage.platform.adapter, [command]);
  const rows = await stage.database.selectFrom('console_messages').select(['author', 'text']).execute();
  const texts = rows.filter(({ author }) => author === 'bot').map(({ text }) => text);
  return { texts, messages: await visitor.messages(channel) };
}

test.each([
  ['an announcement', say('a cat\nDrawing…'), '', {}],
  ['the beginning of a live answer', grow('Once upon a time'), 'Once upon a time\n\n', {}],
  ['the beginning of a private answer', grow('Once upon a time'), 'Once upon a time\n\n', { private: true }],
])(
  '%s that nobody wrote down is one message with the word about the interruption',
  async (_, command, stays, more) => {
    const { texts, messages } = await recovered(command, more, 2);
    expect(texts).toEqual([stays + interrupted('a cat')]);
    expect(messages[1]?.buttons.map(({ label }) => label)).toEqual(['Try again']);
  },
);

test('a notice posted during an answer is not taken for its beginning', async () => {
  const command = unended('ask', async (reply) => {
    await reply.whisper({ text: 'You are third in line' });
    await reply.say({ text: 'a cat\nDrawing…' });
  });
  const { texts } = await recovered(command, {}, 3);
  expect(texts).toEqual(['You are third in line', interrupted('a cat')]);
});
