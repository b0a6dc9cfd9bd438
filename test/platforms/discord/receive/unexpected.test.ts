import { expect, it } from 'vitest';
import { PlatformError } from '../../../../src/port/index.ts';
import { words } from '../../../../src/words/index.ts';
import { defineCommand } from '../../../fakes/commands.ts';
import { echo } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

const check = () => Promise.reject(new TypeError('a bug'));
const { unexpected } = words('en').errors;

it.each([
  ['the gateway', false],
  ['HTTP', true],
])('who types a command whose preparation fails is told so: over %s', async (_, http) => {
  const stage = await startStage({ commands: [{ ...echo, check }], http });
  const { discord, ada, channel } = stage;
  ada.types(channel, { name: 'echo', options: { text: 'hello' } });
  const told = await discord.until('the sentence', () => discord.messagesIn(channel, { ephemeral: true })[0]);
  expect([told.content, told.onlyFor]).toEqual([unexpected, ada.user.id]);
});

it('what Discord refuses before a command is begun isn’t called blocked: nothing of its person’s was sent', async () => {
  const refused = () => Promise.reject(new PlatformError('refused', 'Invalid Form Body'));
  const { discord, ada, channel } = await startStage({ commands: [{ ...echo, check: refused }] });
  ada.types(channel, { name: 'echo', options: { text: 'hello' } });
  const told = await discord.until('the sentence', () => discord.messagesIn(channel, { ephemeral: true })[0]);
  expect(told.content).toBe(unexpected);
});

it('who mentions the bot with a question whose preparation fails is told so', async () => {
  const ask = defineCommand({
    name: 'ask',
    ...{ description: echo.description, help: echo.help, seenBy: 'channel' as const },
    options: { prompt: echo.options.text },
    textOption: 'prompt',
    check,
    run: async () => {},
  });
  const stage = await startStage({ commands: [ask] });
  const { discord, ada, channel } = stage;
  ada.mentions(channel, 'hello');
  const told = await discord.until('the sentence', () => stage.ofBot()[0]);
  expect(told.content).toBe(unexpected);
});
