import { expect, it } from 'vitest';
import type { Invocation } from '../../../../src/engine/index.ts';
import { type AnyCommand, commands as realCommands } from '../../../fakes/commands.ts';
import { startStage } from '../support/stage.ts';

const seen: { readonly command: string; readonly options: object }[] = [];
const commands = realCommands.map(({ check: _, ...command }) => ({
  ...(command as unknown as AnyCommand),
  run: async ({ job, reply }: Invocation<never>) => {
    seen.push({ command: job.command, options: job.options });
    await reply.say({ text: `did ${job.command}` });
  },
}));

it('a message on the console that could be a video or a question waits until its author says which', async () => {
  const stage = await startStage({ commands });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  await visitor.says(channel, 'video both of them dancing');
  const [given, question] = await visitor.until(channel, (messages) => messages.length === 2);
  expect(given?.command).toMatchObject({ name: 'ask', text: 'video both of them dancing' });
  expect(question?.buttons.map(({ label }) => label)).toEqual([
    expect.stringContaining('Make the video · '),
    'Just answer',
  ]);
  expect(seen).toEqual([]);
  await visitor.press(question!, 'Just answer');
  await visitor.until(channel, (messages) => messages.length === 3);
  expect(seen).toEqual([{ command: 'ask', options: { prompt: 'video both of them dancing' } }]);
});
