import { beforeEach, expect, test } from 'vitest';
import { createJobs } from '../../../../src/store/index.ts';
import { type Channel, type Json, shown } from '../../../fakes/slack/index.ts';
import { type Stage, startStage } from '../support/stage.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
let stage: Stage;
beforeEach(async () => {
  stage = await startStage({ writtenAsk: 'running' });
});

const stopButtons = (channel: Channel) =>
  stage.posts(channel).filter(({ blocks }) => blocks.some(({ type }) => type === 'actions'));
const ended = () => stage.log.filter(({ message }) => message.includes('could not be ended'));

/** An answer that grows in a channel until its process dies. */
async function interrupted(ask: () => void): Promise<void> {
  ask();
  await stage.until(() => stage.answers.length > 0);
  stage.answers.at(-1)?.append('First words');
  await stage.pass(5_000);
  expect(stopButtons(stage.general)).toHaveLength(1);
  await stage.kill();
}

const ways: readonly [string, string, () => void][] = [
  ['in a thread', 'conversations.replies', () => stage.ada.says(`${stage.ada.bot} hi`, stage.general)],
  ['in a channel', 'conversations.history', () => void stage.ada.types('/ask hi', stage.general)],
];

test.each(ways)(
  'an answer %s loses its button when Slack is back, minutes after the start',
  async (_, method, ask) => {
    await interrupted(ask);
    stage.slack.api.faults.plan(method, { kind: 'status', status: 503, when: 'before' }, 1_000);
    await stage.startBot();
    await stage.pass(10 * minute);
    expect(stopButtons(stage.general)).toHaveLength(1);
    // Less often by now.
    const before = stage.slack.api.of(method).length;
    await stage.pass(30 * minute);
    expect(stage.slack.api.of(method).length - before).toBeLessThanOrEqual(7 * 4);
    stage.slack.api.faults.clear();
    await stage.until(() => stopButtons(stage.general).length === 0, 10 * minute);
    expect(stage.texts(stage.general).join()).toContain('First words');
    // That is the end of it.
    const calls = stage.slack.api.of(method).length;
    await stage.pass(60 * minute);
    expect(stage.slack.api.of(method)).toHaveLength(calls);
  },
);

test('what Slack refuses is not tried again in this process', async () => {
  await interrupted(() => stage.ada.says(`${stage.ada.bot} hi`, stage.general));
  stage.slack.api.faults.plan('conversations.replies', { kind: 'error', code: 'not_in_channel' }, 1_000);
  await stage.startBot();
  await stage.pass(60 * minute);
  expect(ended()).toHaveLength(1);
});

test('a channel that Slack does not tell of keeps no other waiting', async () => {
  const { general, ada, workspace, slack } = stage;
  const other = slack.channel(workspace, 'other', [ada]);
  await interrupted(() => ada.says(`${ada.bot} hi`, general));
  const inGeneral = ({ channel }: Json) => channel === general.id;
  const away = { kind: 'status', status: 503, when: 'before' } as const;
  slack.api.faults.plan('conversations.replies', away, 1_000, inGeneral);
  await stage.startBot();
  const address = { platform: 'slack', workspace: workspace.id, channel: other.id } as const;
  const begun = stage.platform.adapter.findAnswer?.({ id: 'j', address, eventId: 'slack:none' });
  expect(await stage.done(begun ?? Promise.reject(new Error('nothing is looked for')))).toBeUndefined();
  expect(stopButtons(general)).toHaveLength(1);
});

test('nor what was left in another', async () => {
  const { general, ada, workspace, slack } = stage;
  const other = slack.channel(workspace, 'other', [ada]);
  ada.says(`${ada.bot} hi`, other);
  await stage.until(() => stage.answers.length > 0);
  stage.answers[0]?.append('First words');
  await stage.pass(5_000);
  stage.answers.length = 0;
  await interrupted(() => ada.says(`${ada.bot} hi`, general));
  expect(stopButtons(other)).toHaveLength(1);
  const away = { kind: 'status', status: 503, when: 'before' } as const;
  for (const channel of [general, other]) {
    slack.api.faults.clear();
    slack.api.faults.plan('conversations.replies', away, 1_000, (args) => args.channel === channel.id);
    await stage.startBot();
    await stage.pass(minute);
    await stage.kill();
  }
  expect([...stopButtons(general), ...stopButtons(other)]).toEqual([]);
});

test('it ends with the process, and the next one goes on', async () => {
  await interrupted(() => stage.ada.says(`${stage.ada.bot} hi`, stage.general));
  const away = { kind: 'status', status: 503, when: 'before' } as const;
  stage.slack.api.faults.plan('conversations.replies', away, 1_000);
  await stage.startBot();
  await stage.pass(minute);
  await stage.kill();
  const calls = stage.slack.api.of('conversations.replies').length;
  const said = stage.log.length;
  await stage.pass(30 * minute);
  expect(stage.slack.api.of('conversations.replies')).toHaveLength(calls);
  expect(stage.log.slice(said)).toEqual([]);
  stage.slack.api.faults.clear();
  await stage.startBot();
  await stage.until(() => stopButtons(stage.general).length === 0);
  expect(await createJobs(stage.database).unfinished()).toHaveLength(1);
  expect(stage.texts(stage.general).map((text) => text.includes('First words'))).toContain(true);
  expect(stage.posts(stage.general).map(shown).join()).not.toContain('Stop');
});

test.each([
  ['Slack refuses', { kind: 'error', code: 'not_in_channel' }],
  ['Slack says nothing of', { kind: 'status', status: 503, when: 'before' }],
] as const)('what %s is tried at each start for a week, and no longer', async (_, fault) => {
  await interrupted(() => stage.ada.says(`${stage.ada.bot} hi`, stage.general));
  stage.slack.api.faults.plan('conversations.replies', fault, 1_000);
  const triesOfAStart = async () => {
    const before = stage.slack.api.of('conversations.replies').length;
    await stage.startBot();
    await stage.pass(5 * minute);
    await stage.kill();
    return stage.slack.api.of('conversations.replies').length - before;
  };
  expect(await triesOfAStart()).toBeGreaterThan(0);
  await stage.pass(6 * day);
  expect(await triesOfAStart()).toBeGreaterThan(0);
  await stage.pass(2 * day);
  expect(await triesOfAStart()).toBeGreaterThan(0);
  expect(await triesOfAStart()).toBe(0);
  await stage.startBot();
});

test('an answer loses its button, and what follows is told, though nothing can be received', async () => {
  await interrupted(() => stage.ada.says(`${stage.ada.bot} hi`, stage.general));
  const { faults } = stage.slack.api;
  faults.plan('apps.connections.open', { kind: 'error', code: 'invalid_auth' }, 1_000);
  const started = stage.startBot();
  await stage.until(() => stopButtons(stage.general).length === 0, 5 * minute);
  const [job] = await createJobs(stage.database).unfinished();
  const begun = job && stage.platform.adapter.findAnswer?.(job);
  expect((await stage.done(begun ?? Promise.resolve(undefined)))?.text).toContain('First words');
  expect(stage.platform.notReady()).toContain('SLACK_APP_TOKEN');
  faults.clear();
  await stage.done(started);
});

test('what is older than a week is not left for one failure that passes', async () => {
  await interrupted(() => stage.ada.says(`${stage.ada.bot} hi`, stage.general));
  await stage.pass(8 * day);
  const fault = { kind: 'status', status: 503, when: 'before' } as const;
  stage.slack.api.faults.plan('conversations.replies', fault, 6);
  await stage.startBot();
  await stage.until(() => stopButtons(stage.general).length === 0, 5 * minute);
});

test('an answer over which Slack breaks every time keeps nobody waiting for good', async () => {
  const { general, ada, workspace, slack } = stage;
  await interrupted(() => ada.says(`${ada.bot} hi`, general));
  slack.api.faults.plan('chat.update', { kind: 'error', code: 'internal_error' }, 1_000_000);
  await stage.startBot();
  const address = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
  let isOver = false;
  const begun = stage.platform.adapter.findAnswer?.({ id: 'j', address, eventId: 'slack:none' });
  void begun?.then(() => {
    isOver = true;
  });
  await stage.until(() => isOver, 30 * minute);
  expect(stopButtons(general)).toHaveLength(1);
  // It is still tried at the next start.
  await stage.kill();
  slack.api.faults.clear();
  await stage.startBot();
  await stage.until(() => stopButtons(general).length === 0);
});
