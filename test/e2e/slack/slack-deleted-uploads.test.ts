import { expect, it } from 'vitest';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** What came to its requester directly, once nothing is under way any more. */
async function brought(scene: SlackScene) {
  await scene.until('the result', () => scene.said(scene.ada.directMessages).length > 0);
  await scene.restart();
  return scene.said(scene.ada.directMessages);
}
/** Who got something alone can take it away; it's the one thing left to do with it. */
async function deletesAlone(scene: SlackScene): Promise<void> {
  const direct = () => scene.said(scene.ada.directMessages);
  expect(direct().flatMap(labelsOf)).toEqual(['Delete']);
  await scene.ada.presses(
    direct().find((one) => labelsOf(one).length > 0)!,
    'Delete',
  );
  await scene.until('nothing is left', () => direct().length === 0);
}
const uploaded = ({ slack, until }: SlackScene) =>
  until('the upload', () => slack.api.of('files.completeUploadExternal').length > 0);

it('an image whose announcement is deleted while it’s uploaded goes to its requester alone', async () => {
  const scene = await startSlackScene('socket');
  const { ada, ben, general, slack } = scene;
  slack.api.faults.plan('files.info', { kind: 'delay', ms: 300 });
  ada.says(`${ada.bot} /imagine a cat`, general);
  const announcement = await scene.until('the announcement', () => scene.said()[0]);
  await uploaded(scene);
  ben.deletes(announcement);
  const [direct, ...more] = await brought(scene);
  expect(JSON.stringify(direct?.blocks)).toContain('slack_file');
  expect(more.map(textOf)).toEqual([]);
  expect(scene.said().map(textOf)).toEqual([]);
  await deletesAlone(scene);
});

it('an image that its requester has to fetch, since it’s deleted where it was asked for, is theirs to delete', async () => {
  const scene = await startSlackScene('socket', { renderTime: 1 });
  const { ada, ben, general, slack } = scene;
  slack.api.faults.plan('conversations.open', { kind: 'error', code: 'restricted_action' }, 3);
  ada.says(`${ada.bot} /imagine a cat`, general);
  ben.deletes(await scene.until('the announcement', () => scene.said()[0]));
  const list = await scene.until('what waits', async () => {
    await ada.types('/troupe renders', general);
    return ada.whispers.find(({ blocks }) => JSON.stringify(blocks).includes('Show 1'));
  });
  await ada.presses(list, 'Show 1');
  await scene.until('the image', () =>
    scene.said(ada.directMessages).some((one) => labelsOf(one).length > 0),
  );
  await deletesAlone(scene);
});

it.each(['video', 'speak'] as const)(
  'nothing of /%s stays where its question is deleted while its file is shared',
  async (command) => {
    const scene = await startSlackScene('socket');
    const { ada, general, slack } = scene;
    slack.shareFaults.push({ late: 300 });
    const { message } = ada.says(`${ada.bot} /${command} a cat`, general);
    await uploaded(scene);
    ada.deletes(message);
    const direct = await brought(scene);
    expect(direct.flatMap(({ files }) => files)).toHaveLength(1);
    expect(scene.said().map((one) => [textOf(one), one.files.length])).toEqual([]);
    await deletesAlone(scene);
  },
);

it.each([
  { kind: 'cut', when: 'before' },
  { kind: 'error', code: 'internal_error' },
] as const)(
  'an image comes once, though Slack takes minutes to remove its announcement: %o',
  async (fault) => {
    const scene = await startSlackScene('socket');
    const { ada, general, slack, said, until } = scene;
    slack.api.faults.plan('chat.delete', fault, Number.POSITIVE_INFINITY);
    ada.says(`${ada.bot} imagine a lighthouse`, general);
    await scene.labelled('Again');
    await passes(scene, 5);
    slack.api.faults.clear();
    await until('the image alone', () => said().length === 1);
    await passes(scene, 10);
    expect(said().map((one) => labelsOf(one).includes('Again'))).toEqual([true]);
  },
);
