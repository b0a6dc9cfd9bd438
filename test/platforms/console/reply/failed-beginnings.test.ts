import { describe, expect, it } from 'vitest';
import imagine from '../../../../commands/imagine.ts';
import { actionId } from '../../../../src/port/index.ts';
import type { AnyCommand } from '../../../fakes/commands.ts';
import { startStage } from '../support/stage.ts';

/** Says that it begins, and fails when the test lets it go on. */
async function begun(options: Record<string, string> = {}) {
  const said = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const { check: _, actions: __, ...definition } = imagine as unknown as AnyCommand;
  const command: AnyCommand = {
    ...definition,
    run: async ({ job, reply }) => {
      await reply.say({
        text: `${imagine.about?.(job)}\nDrawing…`,
        buttons: [{ id: actionId('imagine', 'cancel', job.id), label: 'Cancel' }],
      });
      said.resolve();
      await failed.promise;
      throw new Error('why');
    },
  };
  const stage = await startStage({ commands: [command] });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  await visitor.command(channel, 'imagine', { prompt: 'a cat', ...options });
  await said.promise;
  const [, announced] = await visitor.until(channel, (messages) => messages.length === 2);
  if (!announced) throw new Error('nothing was announced');
  return { stage, visitor, channel, announced, fail: failed.resolve };
}

it('a command that fails before it has said anything tells what was asked, unless that stands above', async () => {
  let fails = false;
  const { check: _, ...definition } = imagine as unknown as AnyCommand;
  const command: AnyCommand = {
    ...definition,
    run: async ({ job, reply }) => {
      if (fails) throw new Error('why');
      await reply.say({
        text: 'a cat',
        buttons: [{ id: actionId('imagine', 'again', job.id), label: 'Again' }],
      });
    },
    actions: {
      again: { who: 'anyone', call: ({ job: { options } }) => ({ command: 'imagine', options }) },
    },
  };
  const stage = await startStage({ commands: [command] });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  await visitor.command(channel, 'imagine', { prompt: 'a cat' });
  const [, drawn] = await visitor.until(channel, (all) => all.length === 2);
  if (!drawn) throw new Error('nothing was said');
  fails = true;
  await visitor.press(drawn, 'Again');
  const [, , pressed] = await visitor.until(channel, (all) => all.length === 3);
  expect(JSON.stringify(pressed?.body)).toMatch(/\/imagine.*a cat.*explained/);
  await visitor.command(channel, 'imagine', { prompt: 'a cat' });
  const all = await visitor.until(channel, (messages) => messages.length === 5);
  expect(all[4]?.body).toEqual([{ tag: 'p', children: ['⚠️ explained'] }]);
});

describe.each([{}, { private: 'true' }])(
  'what was announced and can’t be begun on the console: %o',
  (options) => {
    it('shows why in its place', async () => {
      const { visitor, channel, announced, fail } = await begun(options);
      fail();
      const told = (text: string) => text.includes('⚠️ explained');
      const messages = await visitor.until(channel, (all) => told(JSON.stringify(all)));
      expect(messages.map(({ id }) => id).slice(1)).toEqual([announced.id]);
      expect(JSON.stringify(messages[1]?.body)).toContain('a cat');
      expect(JSON.stringify(messages[1]?.body)).not.toContain('Drawing');
      expect(messages[1]?.buttons).toEqual([]);
    });

    it('and was removed, is told anew with what was asked', async () => {
      const { stage, visitor, channel, announced, fail } = await begun(options);
      const address = { ...(await stage.address()), message: String(announced.id) };
      await stage.platform.adapter.remove(address);
      fail();
      const messages = await visitor.until(channel, (all) => JSON.stringify(all).includes('⚠️ explained'));
      const told = messages.find(({ body }) => JSON.stringify(body).includes('⚠️ explained'));
      expect(told?.id).not.toBe(announced.id);
      expect(JSON.stringify(told?.body)).toMatch(/\/imagine.*a cat/);
    });
  },
);
