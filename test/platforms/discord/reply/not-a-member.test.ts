import { describe, expect, it, vi } from 'vitest';
import { endUnanswered } from '../../../../src/app/jobs.ts';
import { questionLife } from '../../../../src/engine/index.ts';
import { actionId, fileOf, type Job, type MessageAddress } from '../../../../src/port/index.ts';
import { questionsSpacing } from '../../../../src/start/run.ts';
import { createJobs, createLiveAnswers } from '../../../../src/store/index.ts';
import { words } from '../../../../src/words/index.ts';
import { FakeClock, settle } from '../../../fakes/clock.ts';
import { refusals } from '../../../fakes/discord/index.ts';
import { film } from '../../../fakes/outgoing-files.ts';
import { removalsOf } from '../../../fakes/removals.ts';
import { patience } from '../../../patience.ts';
import { recover } from '../../recover.ts';
import { echo, echoed, give, secret } from '../support/commands.ts';
import { openAnswers, streamingAsk } from '../support/live-command.ts';
import { labelsOf, type Stage, startStage, withoutBot } from '../support/stage.ts';

const shown = (stage: Stage) => stage.discord.messagesIn(stage.channel).filter((m) => m.content !== '');

describe('where the bot isn’t a member', () => {
  it('answers by the command’s token, in a group chat too', async () => {
    const stage = await startStage({ commands: [echo], before: withoutBot });
    await echoed(stage, 'hello');
    await echoed(stage, 'hello', stage.discord.world.addGroup([stage.ada.user, stage.bob.user]));
    expect(stage.discord.journal.requests.filter((request) => request.status >= 400)).toEqual([]);
  });

  it('posts a result by the token while it’s valid, and as a direct message after that', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: [echo], before: withoutBot, clock });
    await echoed(stage, 'hello');
    const { adapter } = stage.platform;
    const address = await stage.jobAddress();
    const root: MessageAddress = { ...address, message: shown(stage)[0]!.id };
    expect(await adapter.openThread(root, 'no thread here')).toEqual(address);
    const posted = await adapter.post(address, { text: 'in time' }, 'a');
    expect(shown(stage).map((m) => m.content)).toEqual(['ada: hello', 'in time']);
    await adapter.edit(posted, { text: 'edited' });
    await clock.advance(15 * 60_000);
    await adapter.post(address, { text: 'late', files: [film()] }, 'b');
    await adapter.post(address, { text: 'late', files: [film()] }, 'b');
    const direct = stage.discord.messagesIn(stage.ada.direct());
    expect(direct).toHaveLength(1);
    expect(direct[0]?.content).toMatch(/where you asked for it.*\nlate$/s);
    expect(direct[0]?.files).toHaveLength(1);
    await expect(adapter.edit(posted, { text: 'too late' })).rejects.toMatchObject({ kind: 'expired' });
    stage.ada.user.acceptsDirectMessages = false;
    await expect(adapter.post(address, { text: 'later' }, 'c')).rejects.toMatchObject({ kind: 'expired' });
  });

  it('posts a result as a direct message if Discord takes no follow-ups once the loading message is deleted', async () => {
    const readings = { followUpAfterRemoval: 'refused' } as const;
    const stage = await startStage({ commands: [streamingAsk], before: withoutBot, readings });
    const { ada, bob, channel, discord, platform } = stage;
    ada.types(channel, { name: 'ask', options: { prompt: 'hello' } });
    bob.deletes(await discord.until('the loading message', () => discord.messagesIn(channel)[0]));
    await platform.adapter.post(await stage.jobAddress(), { text: 'the result' }, 'a');
    expect(discord.messagesIn(channel)).toEqual([]);
    expect(discord.messagesIn(ada.direct()).map(({ content }) => content)).toEqual([
      expect.stringMatching(/\nthe result$/),
    ]);
    await openAnswers.at(-1)?.end();
  });

  it('limits a file to what the command stated', async () => {
    const stage = await startStage({ commands: [echo, give], before: withoutBot });
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'x' }, uploadLimit: 2048 });
    await stage.discord.until('the answer', () => shown(stage)[0]);
    expect(await stage.platform.adapter.maxFileBytes(await stage.jobAddress(), 'video')).toBe(2048);
  });
});

describe('a confirmation before a command', () => {
  it('is shown to the requester only; “yes” replaces it, and everyone sees the answer', async () => {
    const stage = await startStage({ commands: [echo, secret], question: 'This is dear. Go on?' });
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    const asked = await stage.discord.until('the question', () =>
      stage.discord
        .messagesIn(stage.channel, { ephemeral: true })
        .find((m) => m.content.startsWith('This is dear')),
    );
    expect(asked.onlyFor).toBe(stage.ada.user.id);
    stage.ada.presses(asked, labelsOf(asked)[0] ?? '');
    const answer = await stage.discord.until('the answer', () => stage.discord.messagesIn(stage.channel)[0]);
    expect(answer.content).toBe('> **ada** · /echo\nada: hello');
    expect(answer.onlyFor).toBeUndefined();
    expect(asked.components).toEqual([]);
    expect(asked.content).not.toContain('This is dear');
  });
});

it.each([
  ['its own process', false],
  ['the next process', true],
])(
  'a confirmation that %s asked for and nobody gave loses its buttons by the command’s token',
  async (_, isNext) => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: [echo], question: 'This is dear. Go on?', clock });
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    const asked = await stage.discord.until('the question', () =>
      stage.discord.messagesIn(stage.channel, { ephemeral: true }).find((m) => m.components.length > 0),
    );
    const jobs = createJobs(stage.database);
    await vi.waitFor(
      async () => expect(await jobs.unanswered(Number.POSITIVE_INFINITY)).toHaveLength(1),
      patience,
    );
    if (isNext) {
      // As if that one had died before it asked.
      await stage.database.updateTable('jobs').set({ state: 'asking' }).execute();
      await stage.database.deleteFrom('answer_messages').execute();
      const question = async ({ id }: Job) => ({
        message: { text: 'Is it?', buttons: [{ id: actionId('echo', 'yes', id), label: 'Yes' }] },
      });
      await recover(stage.database, stage.platform.adapter, [echo], clock, undefined, question);
      expect(asked.content).toContain('Is it?');
    }
    expect(asked.components).not.toEqual([]);
    await clock.advance(questionLife + questionsSpacing);
    await endUnanswered({
      ...{ jobs, clock, watch: { ended: () => {} }, log: { warn: () => {} } },
      answers: createLiveAnswers(stage.database),
    });
    const { adapter } = stage.platform;
    removalsOf(stage.database, (name) => (name === 'discord' ? adapter : undefined), clock).goOn();
    await vi.waitFor(() => expect(asked.components).toEqual([]), patience);
    expect(asked.content).toBe(words('en').question.tooOld);
  },
);

describe('a confirmation that Discord acknowledged too late', () => {
  it('is undone: nothing is left running, and the same button works', async () => {
    const hidden = { ...echo, seenBy: 'requester' } as const;
    const stage = await startStage({ commands: [hidden], question: 'This is dear. Go on?' });
    const states = () => stage.database.selectFrom('jobs').select('state').execute();
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'hello' } });
    const hiddenMessages = () => stage.discord.messagesIn(stage.channel, { ephemeral: true });
    const asked = await stage.discord.until('the question', () =>
      hiddenMessages().find((m) => m.content.startsWith('This is dear')),
    );
    const [yes = ''] = labelsOf(asked);
    const callback = 'POST /interactions/{interaction_id}/{interaction_token}/callback';
    const refusal = refusals.unknownInteraction();
    stage.discord.faults.next(callback, { kind: 'refuse', refusal });
    stage.ada.presses(asked, yes);
    await stage.discord.until('the refusal', () =>
      stage.discord.journal.requests.some(({ status }) => status === 404),
    );
    while ((await states())[0]?.state !== 'asked') await settle();
    expect(asked.components).not.toEqual([]);
    stage.ada.presses(asked, yes);
    await stage.discord.until('the answer', () => hiddenMessages().find((m) => m.content === 'ada: hello'));
    expect(await states()).toMatchObject([{ state: expect.stringMatching('running|done') }]);
  });
});

describe('an acknowledged command without an answer', () => {
  const kept = async (stage: Stage) => {
    const row = await stage.database.selectFrom('jobs').select('acknowledgement').executeTakeFirstOrThrow();
    return JSON.parse(row.acknowledgement ?? '') as Record<string, string>;
  };

  it('is answered after a restart by its stored token', async () => {
    const stage = await startStage({ commands: [streamingAsk] });
    const typed = stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'wait' } });
    await stage.discord.until('the acknowledgement', () => typed.responseMessageId);
    await stage.restart();
    await stage.platform.adapter.answerInterrupted?.(await kept(stage), { text: 'interrupted' });
    expect(shown(stage).map((m) => [m.id, m.content])).toEqual([[typed.responseMessageId, 'interrupted']]);
    await stage.platform.adapter.answerInterrupted?.(await kept(stage), { text: 'once more' });
    expect(shown(stage)[0]?.content).toBe('interrupted\n\nonce more');
  });

  it.each(['channel', 'requester'] as const)(
    'takes an answer of any length, seen by the %s',
    async (seenBy) => {
      const stage = await startStage({ commands: [{ ...streamingAsk, seenBy }] });
      const typed = stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'wait' } });
      await stage.discord.until('the acknowledgement', () => typed.responseMessageId);
      const { adapter } = stage.platform;
      const words = (from: number) =>
        Array.from({ length: 700 }, (_, index) => `word${from + index}`).join(' ');
      const note = fileOf(Buffer.from('x'), {
        name: 'a.txt',
        contentType: 'text/plain',
        kind: 'file',
        description: '',
      });
      await adapter.answerInterrupted?.(await kept(stage), { text: words(0), files: [note] });
      await adapter.answerInterrupted?.(await kept(stage), { text: words(700) });
      const all = stage.discord
        .messagesIn(stage.channel, { ephemeral: true })
        .filter(({ content, files }) => content !== '' || files.length > 0);
      expect(
        all
          .map(({ content }) => content)
          .join(' ')
          .split(/\s+/),
      ).toEqual(`${words(0)} ${words(700)}`.split(' '));
      expect(all[0]?.id).toBe(typed.responseMessageId);
      expect(all.flatMap(({ files }) => files.map(({ name }) => name))).toEqual(['a.txt']);
      expect(all.every(({ onlyFor }) => (onlyFor !== undefined) === (seenBy === 'requester'))).toBe(true);
    },
  );

  const several = { text: Array.from({ length: 700 }, (_, index) => `word${index}`).join(' ') };
  const file = { name: 'a.txt', contentType: 'text/plain', kind: 'file', description: '' } as const;
  const withFile = { text: 'A file', files: [fileOf(Buffer.from('x'), file)] };
  const edit = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
  const followUp = 'POST /webhooks/{webhook_id}/{webhook_token}';
  it.each([
    ['whose answer is lost', withFile, edit, { kind: 'error-after', status: 502 }, 4],
    [
      'that is held up after its first',
      several,
      followUp,
      { kind: 'rate-limit', seconds: 60, scope: 'user' },
      1,
    ],
  ] as const)(
    'takes each of the messages %s once, however often it is settled',
    async (_, message, route, fault, times) => {
      const stage = await startStage({ commands: [streamingAsk] });
      const typed = stage.ada.types(stage.channel, { name: 'ask', options: { prompt: 'wait' } });
      await stage.discord.until('the acknowledgement', () => typed.responseMessageId);
      stage.discord.faults.next(route, fault, times);
      const { adapter } = stage.platform;
      const acknowledgement = await kept(stage);
      await expect(adapter.answerInterrupted?.(acknowledgement, message)).rejects.toMatchObject({
        kind: 'unreachable',
      });
      const before = shown(stage).map(({ content, files }) => [content, files.length]);
      expect(before).toHaveLength(1);
      // What holds the library up is over for a process that comes after.
      if (fault.kind === 'rate-limit') await stage.restart();
      await stage.platform.adapter.answerInterrupted?.(acknowledgement, message);
      const after = shown(stage).map(({ content, files }) => [content, files.length]);
      expect(after.slice(0, 1)).toEqual(before);
      expect(after.map(([content]) => content).join(' ')).toBe(message.text);
    },
  );

  it('came too late: the bot answers with a message of its own', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: [echo], clock });
    const held = Promise.withResolvers<void>();
    stage.discord.faults.next('POST /interactions/{interaction_id}/{interaction_token}/callback', {
      kind: 'hold',
      until: held.promise,
    });
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'slow' } });
    await clock.advance(3001);
    held.resolve();
    await stage.discord.until(
      'the answer',
      () => shown(stage)[0]?.content === '> **ada** · /echo\nada: slow',
    );
  });
});
