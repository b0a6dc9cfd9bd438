import { expect, test } from 'vitest';
import type { ButtonPress } from '../../../../src/engine/index.ts';
import { slackFeatures } from '../../../../src/platforms/slack/api/errors.ts';
import { actionId, type Button } from '../../../../src/port/index.ts';
import type { Json, Message } from '../../../fakes/slack/index.ts';
import { type Script, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

const buttons = (job: string): readonly Button[] => [
  { id: actionId('ask', 'regenerate', job), label: 'Regenerate' },
  { id: actionId('ask', 'good', job), label: '👍', description: 'Good answer', vote: 'good' },
  { id: actionId('ask', 'bad', job), label: '👎', description: 'Bad answer', vote: 'bad' },
];
const answers: Script = async ({ job, reply }) => {
  const live = reply.stream({ buttons: (ending) => (ending ? buttons(job.id) : []) });
  live.append('The moon pulls.');
  await live.finish({ kind: 'done' });
};
const says: Script = async ({ job, reply }) =>
  void (await reply.say({ text: 'The moon pulls.', buttons: buttons(job.id) }));

const votes: string[] = [];
const vote = (which: string) => async (_: ButtonPress) => void votes.push(which);
const presses = { 'ask.good': vote('good'), 'ask.bad': vote('bad') };

const typesOf = (message: Message | undefined) => ((message?.blocks ?? []) as Json[]).map(({ type }) => type);
const last = () => stage.posts(stage.general).at(-1);
const attempts = () =>
  stage.slack.api.calls.filter(({ args }) => JSON.stringify(args ?? '').includes('feedback_buttons')).length;

test.each([
  ['a live answer', answers],
  ['a whole message', says],
])('%s has Slack’s own buttons for votes, below the others; each press is its own action', async (_, ask) => {
  votes.length = 0;
  stage = await startStage({ scripts: { ask }, presses });
  const { ada, general } = stage;
  await ada.types('/ask tides', general);
  await stage.until(() => typesOf(last()).includes('context_actions'));
  expect(typesOf(last()).slice(-2)).toEqual(['actions', 'context_actions']);
  await ada.presses(last() as Message, 'Good answer');
  await ada.presses(last() as Message, 'Bad answer');
  await stage.until(() => votes.length === 2);
  expect(votes).toEqual(['good', 'bad']);
});

test.each([
  ['a live answer', answers],
  ['a whole message', says],
])(
  '%s has ordinary buttons where Slack takes no others, which is tried once in a workspace',
  async (_, ask) => {
    votes.length = 0;
    stage = await startStage({ scripts: { ask }, presses });
    const { ada, general, slack, workspace } = stage;
    slack.world.readings.feedbackButtons = 'refused';
    await ada.types('/ask tides', general);
    await stage.until(() => JSON.stringify(last()?.blocks ?? '').includes('👎'));
    expect(typesOf(last())).not.toContain('context_actions');
    await ada.presses(last() as Message, '👎');
    await stage.until(() => votes.length === 1);
    expect(await stage.capabilities.find(workspace.id, slackFeatures.feedbackButtons)).toBe('refused');
    const tried = attempts();
    expect(tried).toBeGreaterThan(0);
    const before = stage.posts(general).length;
    await ada.types('/ask tides', general);
    await stage.until(
      () => stage.posts(general).length > before && JSON.stringify(last()?.blocks ?? '').includes('👎'),
    );
    expect(attempts()).toBe(tried);
  },
);

test('a native stream ends with them, or with ordinary ones where Slack refuses those, which is remembered', async () => {
  let gate: PromiseWithResolvers<void>;
  const ask: Script = async ({ job, reply }) => {
    const live = reply.stream({ buttons: (ending) => (ending ? buttons(job.id) : []) });
    live.append('one two three four five six seven eight ');
    await gate.promise;
    await live.finish({ kind: 'done' });
  };
  stage = await startStage({ scripts: { ask }, presses });
  const { ada, slack } = stage;
  const answer = async () => {
    gate = Promise.withResolvers();
    const { message } = ada.says('tides', ada.directMessages);
    await stage.pass(3_000);
    gate.resolve();
    await stage.pass(15_000);
    return stage.posts(ada.directMessages, message.ts);
  };
  const [first] = await answer();
  expect(first?.stream?.state).toBe('stopped');
  expect(typesOf(first)).toEqual(['actions', 'context_actions']);
  slack.world.readings.feedbackButtons = 'refused';
  for (let round = 0; round < 2; round++) {
    const posts = await answer();
    expect(posts).toHaveLength(1);
    expect(posts.flatMap(typesOf)).toEqual(['actions']);
  }
  const outcomes = slack.api.of('chat.stopStream').map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['ok', 'invalid_blocks', 'ok', 'ok']);
});
