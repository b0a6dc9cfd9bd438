import { expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { stopSession } from '../../fakes/slack/messages/sessions.ts';
import { labelsOf, startSlackScene, textOf } from '../support/slack-scene.ts';

it('an answer that somebody stops with Slack’s own button ends, though nothing but its stream tells of that', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, said, until } = scene;
  const direct = () => said(ada.directMessages);
  ada.says('Write 8000 characters about green', ada.directMessages);
  const answer = await until('a stream', () => direct().find(({ stream, markdown }) => stream && markdown));
  answer.stream!.state = 'stopped by a person';
  const before = textOf(answer);
  const rest = await until('the end', () => direct().find((one) => labelsOf(one).includes('Regenerate')));
  expect(textOf(rest)).toContain(words('en').endings.stopped);
  expect(direct()).toEqual([answer, rest]);
  expect(textOf(answer)).toBe(before);
  const read = direct().map(textOf).join('');
  expect(read.length).toBeLessThan(4_000);
  expect(read.split(before.slice(0, 20))).toHaveLength(2);
  await until('what was written is paid', async () => (await scene.spent()) > 0);
});

it('an answer whose stream doesn’t tell who ended it goes on below until Slack’s event about its button comes', async () => {
  const scene = await startSlackScene('socket', { pace: 3 });
  const { ada, said, slack, until, workspace } = scene;
  slack.world.readings.streamStopTold = 'refused';
  const direct = () => said(ada.directMessages);
  const { message } = ada.says('Write 8000 characters about green', ada.directMessages);
  const answer = await until('a stream', () => direct().find(({ stream, markdown }) => stream && markdown));
  const event = stopSession(slack.world, ada.directMessages, message.ts, ada.user.id);
  await until('an ordinary message', () => direct().some(({ stream }) => !stream));
  slack.sendEvent(workspace, event);
  const rest = await until('the end', () => direct().find((one) => labelsOf(one).includes('Regenerate')));
  expect(textOf(rest)).toContain(words('en').endings.stopped);
  expect(direct()).toEqual([rest]);
  expect(answer.stream?.state).toBe('stopped by a person');
});
