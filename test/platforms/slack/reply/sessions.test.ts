import { describe, expect, test, vi } from 'vitest';
import { slackFeatures } from '../../../../src/platforms/slack/api/errors.ts';
import { slackAddress } from '../../../../src/platforms/slack/post/address.ts';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import { createLiveAnswers } from '../../../../src/store/index.ts';
import { asking } from '../../../fakes/commands.ts';
import { refuse } from '../../../fakes/database.ts';
import { type Message, shown } from '../../../fakes/slack/index.ts';
import { type Stage, type StageOptions, startStage } from '../support/stage.ts';

let stage: Stage;
let stopped: string[];

/** A stage whose answers the test writes; a stopped one ends as `/ask` ends it. */
async function begin(options: StageOptions = {}): Promise<void> {
  stopped = [];
  stage = await startStage({
    writtenAsk: 'ended',
    presses: {
      'ask.stop': async ({ requester }) => {
        stopped.push(requester.name);
        void stage.answers.at(-1)?.finish({ kind: 'stopped', note: '*Stopped.*' });
      },
    },
    ...options,
  });
}

const asked = () => stage.answerTo(stage.ada.says('hello', stage.ada.directMessages));

const states = () => [...stage.slack.world.sessions.values()].map(({ status }) => status);
const setStatus = () => stage.slack.api.of('agents.sessions.setStatus');

test('a thread’s session is at work while an answer is written, and active after it', async () => {
  await begin();
  const { live } = await asked();
  await stage.quiet();
  expect(states()).toEqual(['processing']);
  live.append('Some words');
  await stage.pass(2_000);
  expect(states()).toEqual(['processing']);
  await stage.finish(live);
  expect(states()).toEqual(['active']);
  // The end of the stream has ended the work; nothing more was said about it.
  expect(setStatus().map(({ args }) => args.status)).toEqual(['processing']);
  expect(stage.slack.api.of('chat.stopStream')[0]?.args.session_status).toBe('active');
});

test('no session is begun that nothing on record would end: the process may die right after', async () => {
  await begin();
  const takesAgain = await refuse(stage.database, 'insert on keyv', "new.key like '%unfinished-answer%'");
  const { live } = await asked();
  await stage.quiet();
  expect(states()).toEqual([]);
  await takesAgain();
  live.append('Some words');
  await stage.finish(live);
  expect(setStatus()).toEqual([]);
});

test('a session’s title is cut before an emoji, not in the middle of it', async () => {
  await begin();
  const { ada } = stage;
  ada.says(`${'x'.repeat(58)}🌊 and more`, ada.directMessages);
  await stage.until(() => stage.answers.length === 1);
  expect([...stage.slack.world.sessions.values()].map(({ title }) => title)).toEqual([`${'x'.repeat(58)}…`]);
});

test('in a channel’s thread, too, where the answer is no stream', async () => {
  await begin();
  const { ada, general } = stage;
  const { live } = await stage.answerTo(ada.says(`${ada.bot} hello`, general));
  live.append('Some words');
  await stage.pass(2_000);
  expect(states()).toEqual(['processing']);
  await stage.finish(live);
  expect(states()).toEqual(['active']);
});

test('an answer that fails or says nothing leaves no session at work', async () => {
  await begin();
  const { live } = await asked();
  const done = live.finish({ kind: 'stopped' });
  await stage.pass(5_000);
  await done;
  expect(states()).toEqual(['active']);
});

test('of two answers in one thread the last one ends the work', async () => {
  await begin();
  const { live, thread } = await asked();
  const { live: other } = await stage.answerTo(
    stage.ada.says('and another', stage.ada.directMessages, { thread }),
  );
  live.append('One.');
  other.append('Two.');
  await stage.pass(3_000);
  await stage.finish(live);
  expect(states()).toEqual(['processing']);
  await stage.finish(other);
  expect(states()).toEqual(['active']);
});

describe('Slack’s own Stop button', () => {
  test('stops the answer; what was written stays, and a notice with buttons comes below', async () => {
    await begin();
    const { ada, slack } = stage;
    const { live, thread } = await asked();
    live.append('The first words of');
    await stage.pass(3_000);
    const [stream] = stage.posts(ada.directMessages, thread);
    const before = slack.api.calls.length;
    await ada.stops(ada.directMessages, thread).done;
    await stage.pass(10_000);
    expect(stopped).toEqual(['ada']);
    expect(stage.posts(ada.directMessages, thread).map(shown)).toEqual([
      'The first words ',
      'of\n\n*Stopped.*\nRegenerate',
    ]);
    expect(stage.posts(ada.directMessages, thread)[0]).toBe(stream);
    expect(states()).toEqual(['active']);
    const after = slack.api.calls.slice(before).map(({ method }) => method);
    expect(after.filter((method) => method.includes('Stream') || method === 'chat.update')).toEqual([]);
  });

  test('stops an answer that has no words yet', async () => {
    await begin();
    const { ada } = stage;
    const { thread } = await asked();
    await stage.quiet();
    await ada.stops(ada.directMessages, thread).done;
    await stage.pass(10_000);
    expect(stage.texts(ada.directMessages, thread)).toEqual(['*Stopped.*\nRegenerate']);
    expect(states()).toEqual(['active']);
  });

  test('pressed by somebody who may not is told so, and the answer goes on', async () => {
    await begin();
    const { ada, ben, general } = stage;
    const { live, thread } = await stage.answerTo(ada.says(`${ada.bot} hello`, general));
    live.append('Some words');
    await stage.pass(2_000);
    await ben.stops(general, thread).done;
    await stage.until(() => ben.whispers.length === 1);
    expect(stopped).toEqual([]);
    await stage.finish(live);
    expect(stage.texts(general, thread)).toEqual(['Some words\nRegenerate']);
    expect(states()).toEqual(['active']);
  });

  test('where nothing is being written any more ends the session', async () => {
    await begin();
    const { ada, slack } = stage;
    const { live, thread } = await asked();
    live.append('Some words');
    await stage.finish(live);
    const key = `${ada.directMessages.id} ${thread}`;
    slack.world.sessions.set(key, { title: 'x', initiator: undefined, status: 'processing' });
    await ada.stops(ada.directMessages, thread).done;
    await stage.until(() => states()[0] === 'active');
  });
});

test('where the app’s settings lack the event the answer has a Stop button of its own', async () => {
  await begin({ withoutEvents: ['agent_session_stopped'] });
  const { live, thread } = await asked();
  live.append('Some words');
  await stage.pass(3_000);
  expect(stage.texts(stage.ada.directMessages, thread)).toEqual(['Some words\nStop']);
  await stage.finish(live);
  expect(stage.texts(stage.ada.directMessages, thread)).toEqual(['Some words\nRegenerate']);
  expect(states()).toEqual(['active']);
});

test.each(['works', 'refused'] as const)(
  'where the event is missing the log says what to paste, once (told in `warning`: %s)',
  async (reading) => {
    await begin({ withoutEvents: ['agent_session_stopped'] });
    stage.slack.world.readings.warningAtTop = reading;
    const told = () => stage.log.filter(({ message }) => message.includes('agent_session_stopped'));
    const answered = async () => {
      const { live } = await asked();
      live.append('Some words');
      await stage.finish(live);
    };
    await answered();
    expect(told()).toEqual([
      {
        level: 'warn',
        detail: { workspace: stage.workspace.id },
        message:
          'the app lacks the event agent_session_stopped: add it at https://api.slack.com/apps, page Event Subscriptions, or paste what npm run slack:manifest prints at https://api.slack.com/apps, page App Manifest',
      },
    ]);
    await answered();
    await stage.restart();
    await answered();
    expect(told()).toHaveLength(1);
    const found = () => stage.capabilities.find(stage.workspace.id, slackFeatures.stopEvent);
    expect(await found()).toBe('refused');
    // Added since: the doctor must not tell of it any longer.
    (stage.slack.world.settings.events as Set<string>).add('agent_session_stopped');
    await answered();
    expect(await found()).toBe('works');
  },
);

test('where Slack has no sessions that is remembered, over restarts too', async () => {
  await begin();
  stage.slack.world.readings.agentSessions = 'refused';
  for (let round = 0; round < 2; round++) {
    const { live, thread } = await asked();
    live.append('Some words');
    await stage.pass(3_000);
    expect(stage.texts(stage.ada.directMessages, thread)).toEqual(['Some words\nStop']);
    await stage.finish(live);
    await stage.restart();
  }
  expect(setStatus()).toHaveLength(1);
});

test('where channels have no sessions direct messages keep theirs, with their streams', async () => {
  await begin();
  const { ada, general, slack } = stage;
  slack.world.readings.agentSessionsInChannel = 'refused';
  for (const channel of [general, general, ada.directMessages]) {
    const { live } = await stage.answerTo(ada.says(`${ada.bot} hello`, channel));
    live.append('Some words ');
    await stage.finish(live);
  }
  expect(setStatus().filter(({ outcome }) => outcome === 'channel_type_not_supported')).toHaveLength(1);
  expect(states()).toContain('active');
});

test('where the bot isn’t a member there’s no session, and other channels keep theirs', async () => {
  await begin();
  const { ada, general, outside, slack } = stage;
  const root = ada.says('look at this', outside).message;
  const { message } = ada.says('and at this', outside, { thread: root.ts });
  await ada.picks(message, 'Ask about this');
  await stage.until(() => ada.form !== undefined);
  await ada.sends({ prompt: 'What is it?' });
  await stage.until(() => stage.answers.length === 1);
  stage.answers[0]?.append('Some words');
  await stage.finish(stage.answers[0] as LiveAnswer);
  expect(setStatus().map(({ outcome }) => outcome)).toEqual(['not_authorized']);
  const { live } = await stage.answerTo(ada.says(`${ada.bot} hello`, general));
  expect([...slack.world.sessions.keys()]).toEqual([expect.stringContaining(general.id)]);
  live.append('Some words');
  await stage.finish(live);
});

test('a session that Slack does not answer about holds up no words', async () => {
  await begin();
  stage.slack.api.faults.plan('agents.sessions.setStatus', { kind: 'delay', ms: 60_000 }, 3);
  const { live, thread } = await asked();
  live.append('Some words');
  const begun = stage.clock.now();
  await stage.until(() => stage.texts(stage.ada.directMessages, thread).length === 1);
  expect(stage.clock.now() - begun).toBeLessThanOrEqual(2_500);
  await stage.finish(live);
  await stage.pass(120_000);
  expect(states()).toEqual(['active']);
});

test('a process that dies leaves no session at work', async () => {
  await begin();
  const { live } = await asked();
  live.append('Some words');
  await stage.pass(3_000);
  await stage.kill();
  expect(states()).toEqual(['processing']);
  await stage.startBot();
  await stage.until(() => states()[0] === 'active');
});

describe('a question that waits for a decision', () => {
  const askedFirst = async () => {
    await begin({ rules: asking('Sure?') });
    const { ada } = stage;
    const { message } = ada.says('something dear', ada.directMessages);
    await stage.until(() => stage.posts(ada.directMessages, message.ts).length === 1);
    await stage.quiet();
    expect(states()).toEqual(['suspended']);
    return stage.posts(ada.directMessages, message.ts)[0] as Message;
  };

  test('suspends its thread’s session; no ends that', async () => {
    const question = await askedFirst();
    await stage.ada.presses(question, 'No');
    await stage.quiet();
    expect(states()).toEqual(['active']);
  });

  test('yes puts it to work, and the answer ends that', async () => {
    const question = await askedFirst();
    await stage.ada.presses(question, 'Yes, go ahead');
    await stage.until(() => stage.answers.length === 1);
    expect(states()).toEqual(['processing']);
    stage.answers[0]?.append('Some words');
    await stage.finish(stage.answers[0] as LiveAnswer);
    await stage.pass(2_000);
    expect(states()).toEqual(['active']);
  });

  test('ends its waiting where it’s answered in words', async () => {
    await askedFirst();
    stage.ada.says('no', stage.ada.directMessages);
    await stage.until(() => stage.texts(stage.ada.directMessages).join().includes('Nothing was sent'));
    await stage.quiet();
    expect(states()).toEqual(['active']);
  });

  describe('beside another one in its thread', () => {
    const askedTwice = async () => {
      const first = await askedFirst();
      const { ada } = stage;
      ada.says('something else dear', ada.directMessages, { thread: first.threadTs as string });
      await stage.until(() => stage.posts(ada.directMessages, first.threadTs).length === 2);
      await stage.quiet();
      return stage.posts(ada.directMessages, first.threadTs) as [Message, Message];
    };

    test.each([
      ['first', 0],
      ['second', 1],
    ] as const)('ends its own waiting alone (the %s first)', async (_, index) => {
      const questions = await askedTwice();
      await stage.ada.presses(questions[index], 'No');
      await stage.pass(3_000);
      expect(states()).toEqual(['suspended']);
      await stage.ada.presses(questions[1 - index]!, 'No');
      await stage.pass(3_000);
      expect(states()).toEqual(['active']);
    });

    test.each([
      ['a stream', true],
      ['words that fail', false],
    ] as const)('waits on where the other’s answer ends (%s)', async (_, isStream) => {
      const [first, second] = await askedTwice();
      await stage.ada.presses(first, 'Yes, go ahead');
      await stage.until(() => stage.answers.length === 1);
      expect(states()).toEqual(['processing']);
      if (isStream) stage.answers[0]?.append('Some words');
      await stage.finish(stage.answers[0] as LiveAnswer);
      expect(states()).toEqual(['suspended']);
      await stage.ada.presses(second, 'No');
      await stage.pass(3_000);
      expect(states()).toEqual(['active']);
    });

    test('asked while an answer is written: the thread waits once that has ended', async () => {
      const [first, second] = await askedTwice();
      await stage.ada.presses(first, 'Yes, go ahead');
      await stage.until(() => stage.answers.length === 1);
      await stage.ada.presses(second, 'No');
      const { ada } = stage;
      ada.says('a third', ada.directMessages, { thread: first.threadTs as string });
      await stage.until(() => stage.posts(ada.directMessages, first.threadTs).length >= 3);
      await stage.quiet();
      expect(states()).toEqual(['processing']);
      stage.answers[0]?.append('Some words');
      await stage.finish(stage.answers[0] as LiveAnswer);
      expect(states()).toEqual(['suspended']);
    });
  });

  test('an edit of anything else reads what’s around its text, and nothing of its thread', async () => {
    await begin();
    const { ada, database, platform, workspace } = stage;
    const { message } = ada.says('hello', ada.directMessages);
    const address = slackAddress(workspace.id, ada.directMessages.id, message.ts);
    const posted = await stage.done(platform.adapter.post(address, { text: 'Drawing…' }, 'key'));
    await stage.quiet();
    const queries = vi.spyOn(database, 'executeQuery');
    await stage.done(platform.adapter.edit(posted, { text: 'Still drawing …' }));
    const asked = queries.mock.calls.map(([query]) =>
      JSON.stringify('parameters' in query && query.parameters),
    );
    expect(asked.filter((keys) => keys.includes(posted.message))).toHaveLength(1);
    expect(asked.filter((keys) => keys.includes(message.ts))).toEqual([]);
    expect(stage.texts(ada.directMessages, message.ts)).toEqual(['Still drawing …']);
  });

  test.each(['edit', 'remove'] as const)('%s of it ends its waiting, also after a restart', async (how) => {
    await askedFirst();
    await stage.restart();
    const [job] = await stage.database.selectFrom('jobs').select('id').execute();
    const [question] = await createLiveAnswers(stage.database).messagesOf(job?.id ?? '');
    const { adapter } = stage.platform;
    await stage.done(adapter[how](question!, { text: 'It’s over.' }));
    expect(states()).toEqual(['active']);
    await stage.done(adapter.post(question!, { text: 'Something else' }, 'else'));
    await stage.done(adapter[how](question!, { text: 'It’s over.' }));
    expect(setStatus().map(({ args }) => args.status)).toEqual(['suspended', 'active']);
  });

  test('where Slack has no sessions the question comes all the same', async () => {
    await begin({ rules: asking('Sure?') });
    stage.slack.world.readings.agentSessions = 'refused';
    const { ada } = stage;
    const { message } = ada.says('something dear', ada.directMessages);
    await stage.until(() => stage.posts(ada.directMessages, message.ts).length === 1);
    expect(states()).toEqual([]);
  });
});
