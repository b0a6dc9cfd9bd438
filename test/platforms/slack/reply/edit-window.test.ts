import { beforeEach, expect, test } from 'vitest';
import type { LiveAnswer } from '../../../../src/port/index.ts';
import { image } from '../../../fakes/outgoing-files.ts';
import { type Stage, startStage } from '../support/stage.ts';

/** Workspaces may let nobody change a message that is older. */
const editWindow = 60_000;

let stage: Stage;

beforeEach(async () => {
  stage = await startStage({ writtenAsk: 'running' });
  stage.workspace.editWindowMs = editWindow;
});

test('an answer whose message can be changed no more goes on in one message below it', async () => {
  const { ada, general } = stage;
  const { live, thread } = await stage.answerTo(ada.says(`${ada.bot} hello`, general));
  live.append('One **two');
  await stage.pass(editWindow + 3_000);
  for (const word of [' three**', ' four', ' five']) {
    live.append(word);
    await stage.pass(10_000);
  }
  live.append(' six.');
  await stage.finish(live);
  expect(stage.texts(general, thread)).toEqual(['One **two**\nStop', '**three** four five six.\nRegenerate']);
  expect(stage.posts(ada.directMessages)).toEqual([]);
});

test('an answer to a command, too, in the thread of its root', async () => {
  const { ada, general } = stage;
  await ada.types('/ask hello', general);
  await stage.until(() => stage.answers.length === 1);
  const [live] = stage.answers as [LiveAnswer];
  live.append('One two');
  await stage.pass(editWindow + 5_000);
  live.append(' three.');
  await stage.finish(live);
  const [root, rest] = stage.posts(general);
  expect(rest?.threadTs).toBe(root?.ts);
  expect(stage.texts(general)[1]).toBe('three.\nRegenerate');
  expect([...stage.workspace.files.values()]).toEqual([]);
});

test('a result takes the place of an announcement that can be changed no more, once', async () => {
  const { general, workspace, platform } = stage;
  const place = { platform: 'slack', workspace: workspace.id, channel: general.id } as const;
  const message = await stage.done(platform.adapter.post(place, { text: 'Drawing…' }, 'progress'));
  await stage.pass(editWindow + 1_000);
  const complete = () => platform.adapter.complete(message, { text: 'a cat', files: [image] }, 'ready');
  const first = await stage.done(complete());
  expect(await stage.done(complete())).toEqual(first);
  const [result, ...others] = stage.posts(general);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ ts: first.message, threadTs: undefined });
  expect(JSON.stringify(result?.blocks)).toContain('slack_file');
});
