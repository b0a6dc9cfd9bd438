import { describe, expect, it, test, vi } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { createJobs, createLiveAnswers } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import type { AnyCommand } from '../../../fakes/commands.ts';
import { patience } from '../../../patience.ts';
import { forgetAnswers, interrupted, recover, unended } from '../../recover.ts';
import { secret } from '../support/commands.ts';
import { labelsOf, type Stage, type StageOptions, startStage, withoutBot } from '../support/stage.ts';

const hour = 3_600_000;
const grows = (text: string) =>
  unended('ask', (reply, id) => {
    const live = reply.stream({ buttons: () => [{ id: actionId('ask', 'stop', id), label: 'Stop' }] });
    live.append(text);
  });
const says = (text: string) => unended('ask', (reply) => reply.say({ text }));

const labels = (stage: Stage) => stage.ofBot().flatMap(labelsOf);

/** A command whose process dies after Discord posted its answer's first message, before it learns that. */
async function died(
  command: ReturnType<typeof says>,
  give: (stage: Stage) => void,
  options: Pick<StageOptions, 'before' | 'clock' | 'readings'>,
) {
  const stage = await startStage({ commands: [command], ...options });
  give(stage);
  await stage.discord.until('the words', () => stage.ofBot().some(({ content }) => content !== ''));
  await stage.restart();
  await forgetAnswers(stage.database);
  return stage;
}
const typed = (stage: Stage) => stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'a cat' } });
const mentioned = (stage: Stage) => void stage.ada.mentions(stage.channel, 'a cat');

describe.each(['works', 'refused'] as const)(
  'where a message that is read has its nonce: %s',
  (nonceOnRead) => {
    const readings = { nonceOnRead };
    test.each([
      ['in the place of the loading message', 0],
      ['whose token is dead by now', hour],
    ])(
      'an announcement nobody wrote down, %s, makes way for the word about the interruption',
      async (_, later) => {
        const clock = new FakeClock(Date.now());
        const stage = await died(says('a cat\nDrawing…'), typed, { clock, readings });
        clock.step(later);
        await recover(stage.database, stage.platform.adapter, [says('')]);
        const contents = stage.ofBot().map(({ content }) => content);
        expect(contents).toEqual([`> **ada**: a cat\n${interrupted('a cat')}`]);
        expect(labels(stage)).toEqual(['Try again']);
      },
    );

    test.each([
      ['a command', typed],
      ['a mention', mentioned],
    ])(
      'the beginning of a live answer to %s that nobody wrote down stays, with the word below it',
      async (_, give) => {
        const stage = await died(grows('Once upon a time'), give, { readings });
        await recover(stage.database, stage.platform.adapter, [grows('')]);
        const contents = stage.ofBot().map(({ content }) => content);
        const above = give === typed ? '> **ada**: a cat\n' : '';
        expect(contents).toEqual([`${above}Once upon a time\n\n${interrupted('a cat')}`]);
        expect(labels(stage)).toEqual(['Try again']);
      },
    );

    test.each([
      ['a command', typed],
      ['a mention', mentioned],
    ])(
      'the message in which a live answer to %s went on, and that nobody wrote down, loses its Stop button, with the word below it',
      async (_, give) => {
        const stage = await startStage({ commands: [grows('Once upon a time. '.repeat(200))], readings });
        give(stage);
        await stage.discord.until(
          'the second message',
          () => stage.ofBot().length === 2 && labels(stage).length === 1,
        );
        await stage.restart();
        const [first, second] = stage.ofBot();
        const before = [first?.content, `${second?.content}\n\n${words('en').endings.interrupted}`];
        const { id = '', address } = (await createJobs(stage.database).unfinished())[0] ?? {};
        const known = { messages: [{ ...address!, message: first!.id }], lastText: 'Once upon a time.' };
        await createLiveAnswers(stage.database).save(id, known, 'growing');
        await recover(stage.database, stage.platform.adapter, [grows('')]);
        expect(stage.ofBot().map(({ content }) => content)).toEqual([
          ...before,
          `> **ada** · /ask\n${interrupted('a cat')}`,
        ]);
        expect(labels(stage)).toEqual(['Try again']);
      },
    );

    test.each([
      ['', {}, undefined],
      [' of a private command', { private: true }, undefined],
      [' where the bot isn’t a member', {}, withoutBot],
    ])(
      'an announcement after a confirmation%s is found, and not mistaken for the confirmation',
      async (_, options, before) => {
        const command = says('a cat\nDrawing…');
        const question = 'This is dear. Go on?';
        const stage = await startStage({
          ...{ commands: [command], question, readings },
          ...(before && { before }),
        });
        stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'a cat', ...options } });
        const all = () => stage.discord.messagesIn(stage.channel, { ephemeral: true });
        const asked = await stage.discord.until('the question', () =>
          all().find(({ components }) => components.length > 0),
        );
        stage.ada.presses(asked, 'Yes, go ahead');
        await stage.discord.until('the words', () =>
          all().some(({ content }) => content.includes('Drawing')),
        );
        await stage.restart();
        await forgetAnswers(stage.database);
        await recover(stage.database, stage.platform.adapter, [command]);
        const contents = all().map(({ content }) => content);
        expect(contents).toEqual([words('en').question.said, expect.stringContaining(interrupted('a cat'))]);
        expect(contents.join()).not.toContain('Drawing');
      },
    );

    test('if Discord accepted nothing, the notice replaces the loading message', async () => {
      const stage = await startStage({ commands: [unended('ask', () => {})], readings });
      typed(stage);
      await stage.discord.until('the loading message', () => stage.ofBot().length === 1);
      await stage.restart();
      await recover(stage.database, stage.platform.adapter, [says('')]);
      expect(stage.ofBot().map(({ content }) => content)).toEqual([interrupted('a cat')]);
    });
  },
);

test.each(['written down', 'not written down'])(
  'the beginning of a private answer, %s, takes the word about the interruption into its own message',
  async (what) => {
    const stage = await startStage({ commands: [grows('Once upon a time')] });
    stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'a cat', private: true } });
    const hidden = () => stage.discord.messagesIn(stage.channel, { ephemeral: true });
    await stage.discord.until('the words', () => hidden().some(({ content }) => content.includes('Once')));
    await vi.waitFor(
      async () =>
        expect(await stage.database.selectFrom('live_answers').select('job_id').execute()).toHaveLength(1),
      patience,
    );
    await stage.restart();
    if (what === 'not written down') await forgetAnswers(stage.database);
    await recover(stage.database, stage.platform.adapter, [grows('')]);
    expect(hidden()).toMatchObject([
      { content: `Once upon a time\n\n${interrupted('a cat')}`, onlyFor: stage.ada.user.id },
    ]);
    expect(JSON.stringify(hidden()[0]?.components)).not.toContain('Stop');
  },
);

test('an announcement that a button under a private answer gave is found', async () => {
  const command = unended('ask', (reply, id) =>
    reply.say({ text: 'a cat\nDrawing…', buttons: [{ id: actionId('ask', 'again', id), label: 'Again' }] }),
  );
  const stage = await startStage({ commands: [command] });
  stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'a cat', private: true } });
  const drawing = (count: number) =>
    stage.discord.until('what’s drawn', () => {
      const hidden = stage.discord.messagesIn(stage.channel, { ephemeral: true });
      return hidden.filter(({ content }) => content.includes('Drawing')).length === count && hidden[0];
    });
  stage.ada.presses(await drawing(1), 'Again');
  await drawing(2);
  await vi.waitFor(
    async () =>
      expect(await stage.database.selectFrom('live_answers').select('job_id').execute()).toHaveLength(2),
    patience,
  );
  await stage.restart();
  await forgetAnswers(stage.database);
  await recover(stage.database, stage.platform.adapter, [command]);
  const told = stage.discord.messagesIn(stage.channel, { ephemeral: true });
  expect(told.map(({ content }) => content)).toEqual([interrupted('a cat'), interrupted('a cat')]);
});

test('an unrecorded announcement where the bot isn’t a member is found by the token', async () => {
  const stage = await died(says('a cat\nDrawing…'), typed, { before: withoutBot });
  await recover(stage.database, stage.platform.adapter, [says('')]);
  const contents = stage.ofBot().map(({ content }) => content);
  expect(contents).toEqual([`> **ada**: a cat\n${interrupted('a cat')}`]);
  expect(labels(stage)).toEqual(['Try again']);
});

test('the help that a message was answered with is no answer to what it was edited into', async () => {
  const begun = vi.fn();
  const silent = unended('ask', begun);
  const text = 'This is how it works';
  const explains: AnyCommand = { ...secret, run: async ({ reply }) => void (await reply.say({ text })) };
  const stage = await startStage({ commands: [silent, explains] });
  const message = stage.ada.mentions(stage.channel, '');
  await stage.discord.until('the help', () => stage.ofBot().length === 1);
  stage.ada.edits(message, `<@${stage.discord.world.bot.id}> a cat`);
  await stage.discord.until('the question', () => begun.mock.calls.length === 1);
  await stage.restart();
  await recover(stage.database, stage.platform.adapter, [silent, explains]);
  expect(stage.ofBot().map(({ content }) => content)).toEqual([
    text,
    expect.stringContaining(interrupted('a cat')),
  ]);
});

describe('a command that ends with its process before it has said anything', () => {
  async function diedSilent(meanwhile: (stage: Stage) => void) {
    const silent = unended('ask', () => {});
    const stage = await startStage({ commands: [silent] });
    typed(stage);
    const noted = () => stage.database.selectFrom('answer_messages').selectAll().execute();
    await vi.waitUntil(async () => (await noted()).length > 0, patience);
    await stage.restart({ meanwhile: () => meanwhile(stage) });
    await recover(stage.database, stage.platform.adapter, [silent]);
    return stage;
  }

  it('says so in the place of the loading message', async () => {
    const stage = await diedSilent(() => {});
    expect(stage.ofBot().map(({ content }) => content)).toEqual([interrupted('a cat')]);
  });

  it('says nothing where somebody deleted that meanwhile, of which Discord doesn’t tell any more', async () => {
    const stage = await diedSilent((before) => {
      before.ofBot()[0]!.deleted = true;
    });
    expect(stage.ofBot()).toEqual([]);
    expect(stage.discord.messagesIn(stage.ada.direct())).toEqual([]);
  });
});
