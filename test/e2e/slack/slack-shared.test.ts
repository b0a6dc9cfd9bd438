import { beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Message } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

describe('in a private channel that’s shared with another workspace, and has another id for that', () => {
  let scene: SlackScene;
  let project: Channel;
  const said = () => scene.said(project);
  const withButton = (label: string) => said().filter((message) => labelsOf(message).includes(label));
  const answer = (part: string) =>
    scene.until(part, () => withButton('Delete').find((message) => textOf(message).includes(part)));
  /** Slack may tell of it more than once. */
  const shares = async () => {
    const before = project.id;
    const told = scene.ada.shares(project);
    const ids = { old_channel_id: before, new_channel_id: project.id };
    const again = scene.slack.sendEvent(scene.workspace, { type: 'channel_id_changed', ...ids });
    for (const delivery of [told, again]) expect((await scene.slack.acknowledged(delivery)).ok).toBe(true);
  };
  const begin = async (renderTime = 0) => {
    scene = await startSlackScene('socket', { renderTime });
    project = scene.slack.channel(scene.workspace, 'project', [scene.ada, scene.ben], { kind: 'group' });
  };

  describe('what stands there', () => {
    let first: Message;
    let second: Message;
    let thread: Message;
    beforeEach(async () => {
      await begin();
      const { ada } = scene;
      await ada.types('/ask repeat: the first is red', project);
      first = await answer('the first is red');
      await ada.types('/ask repeat: the second is blue', project);
      second = await answer('the second is blue');
      thread = ada.says(`${ada.bot} repeat: the third is green`, project).message;
      await answer('the third is green');
      await shares();
    });

    it('has buttons that work, and is forgotten once it’s deleted, by Delete or by Slack', async () => {
      const { ada, ben } = scene;
      await ben.presses(second, 'Listen');
      await scene.until('the clip', () => said().some(({ files }) => files.length > 0));
      await ada.presses(first, 'Delete');
      await scene.until('nothing of the first', () => !said().includes(first));
      expect((await scene.slack.acknowledged(ada.deletes(second))).ok).toBe(true);
      await ada.types('/ask what was before?', project);
      const last = await answer('what was before');
      expect(textOf(last)).not.toMatch(/is red|is blue/);
      expect(scene.ada.whispers.map((one) => one.text).join()).not.toContain('expired');
    });

    it('goes on in its threads unmentioned, also after a restart and with yet another id', async () => {
      await scene.restart();
      await shares();
      scene.ada.says('what did I say first?', project, { thread: thread.ts });
      const next = await answer('what did I say first');
      expect([next.threadTs, textOf(next)]).toEqual([thread.ts, expect.stringContaining('green')]);
    });
  });

  it('an image under way takes the place of its announcement, and its buttons work', async () => {
    await begin(5);
    const { ada } = scene;
    await ada.types('/imagine a cat', project);
    await scene.until('the announcement', () => said().length === 1);
    await shares();
    const image = await scene.until('the image', () => withButton('Delete')[0]);
    expect([said(), scene.said(ada.directMessages)]).toEqual([[image], []]);
    await ada.presses(image, 'Delete');
    await scene.until('nothing', () => said().length === 0);
  });
});
