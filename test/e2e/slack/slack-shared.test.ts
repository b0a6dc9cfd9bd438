import { beforeEach, describe, expect, it } from 'vitest';
import { words } from '../../../src/words/index.ts';
import { messageEvents } from '../../fakes/slack/events/events.ts';
import type { Channel, Message } from '../../fakes/slack/index.ts';
import { labelsOf, passes, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

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
  /** It has another id; Slack tells of that once this is called. */
  const moves = () => {
    const { slack, workspace } = scene;
    const { from, to } = slack.world.giveId(project);
    const ids = { old_channel_id: from, new_channel_id: to };
    return async () => {
      const told = slack.sendEvent(workspace, { type: 'channel_id_changed', ...ids });
      expect((await slack.acknowledged(told)).ok).toBe(true);
    };
  };
  const begin = async (renderTime = 0) => {
    scene = await startSlackScene('socket', { renderTime }, { SLACK_OUTSIDERS: 'on' });
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

  it('what stands there, and is deleted before Slack tells of the new id, stops and is forgotten; its buttons wait for that', async () => {
    await begin();
    const { ada, slack } = scene;
    await ada.types('/ask repeat: the first is red', project);
    const first = await answer('the first is red');
    const { message: question } = ada.says(`${ada.bot} Tell me about green [[stall]]`, project);
    await scene.saying('the sandbox', project);
    const tells = moves();
    await ada.presses(first, 'Delete');
    const { text } = await scene.until('why not', () => ada.whispers[0]);
    expect(text).toBe(words('en').buttonNotHere);
    for (const one of [first, question]) await slack.acknowledged(ada.deletes(one));
    await tells();
    await scene.until('nothing there', () => said().length === 0);
    await ada.types('/ask what was before?', project);
    expect(textOf(await answer('what was before'))).not.toContain('is red');
  });

  describe('what comes under the new id before Slack tells of it', () => {
    let tells: () => Promise<void>;
    beforeEach(async () => {
      await begin(5);
      scene.ada.says('A thread of people’s', project);
      tells = moves();
    });
    const done = (part: string) =>
      scene.until(part, () => withButton('Regenerate').find((message) => textOf(message).includes(part)));

    it('needs no mention in its threads, nor in one that people began before, also with yet another id', async () => {
      const { ada } = scene;
      const [before] = project.messages.values();
      await ada.types('/ask repeat: the first is red', project);
      const first = await done('the first is red');
      const { message: second } = ada.says(`${ada.bot} repeat: the second is blue`, project);
      await done('the second is blue');
      ada.says(`${ada.bot} repeat: the third is green`, project, { thread: before!.ts });
      await done('the third is green');
      await tells();
      await shares();
      for (const [{ ts: thread }, colour] of [
        [first, 'red'],
        [second, 'blue'],
        [before!, 'green'],
      ] as const) {
        const standing = withButton('Regenerate').length;
        ada.says('what did I say?', project, { thread });
        await scene.until('the next', () => withButton('Regenerate').length > standing);
        const next = withButton('Regenerate').at(-1);
        expect([next?.threadTs, textOf(next)]).toEqual([thread, expect.stringContaining(`is ${colour}`)]);
      }
      // What’s chosen for the channel holds there, too.
      const boss = scene.slack.person(scene.workspace, { name: 'boss', admin: true });
      project.members.add(boss.user.id);
      await boss.types('/troupe settings commands --off ask', project);
      await scene.until('its settings', () => boss.whispers.length > 0);
      ada.says('what did I say?', project, { thread: second.ts });
      const told = await scene.until('a refusal', () => ada.whispers[0]);
      expect([told.threadTs, told.text]).toEqual([second.ts, expect.stringContaining('turned off here')]);
    });

    it('is answered once, goes by its buttons, and is forgotten once it’s deleted', async () => {
      const { ada, ben, slack, workspace } = scene;
      await ada.types('/ask repeat: the first is red', project);
      const first = await done('the first is red');
      const { message: second } = ada.says(`${ada.bot} repeat: the second is blue`, project);
      const blue = await done('the second is blue');
      await ada.types('/imagine a cat', project);
      await scene.saying('a cat', project);
      await tells();
      // Slack may send a question again.
      for (const again of slack.echoes(workspace, project, second)) await slack.acknowledged(again);
      await ada.presses(first, 'Delete');
      const images = () => withButton('Again');
      const image = await scene.until('the image', () => images()[0]);
      await ada.presses(image, 'Again');
      await scene.until('another', () => images().length === 2);
      for (const one of images()) await ada.presses(one, 'Delete');
      await scene.until('none of them', () => said().every((one) => one === blue));
      await slack.acknowledged(ada.deletes(second));
      await ben.presses(blue, 'Reply');
      await scene.until('a refusal', () => ben.whispers.length > 0);
      expect(ben.form).toBeUndefined();
      expect(said().filter((one) => textOf(one).includes('is blue'))).toEqual([blue]);
    });

    it('is answered once, though it comes again while that begins', async () => {
      const { ada, slack, workspace } = scene;
      // Who wrote it isn't known yet.
      slack.api.faults.plan('users.info', { kind: 'delay', ms: 600 });
      const { message } = ada.says(`${ada.bot} repeat: the first is red`, project);
      await tells();
      for (const again of slack.echoes(workspace, project, message)) await slack.acknowledged(again);
      await done('the first is red');
      await ada.types('/ask repeat: the second is blue', project);
      await done('the second is blue');
      expect(said()).toHaveLength(2);
    });

    it('stops as it grows, once it or its question is deleted', async () => {
      const { ada, slack } = scene;
      const growing = async (colour: string) => {
        const { message: question } = ada.says(`${ada.bot} Tell me about ${colour} [[stall]]`, project);
        const written = () => said().find(({ threadTs }) => threadTs === question.ts);
        const answer = await scene.until('the answer', () => {
          const found = written();
          return textOf(found).includes('This is the sandbox') && found;
        });
        return { question, answer };
      };
      const [{ question }, { answer }] = [await growing('green'), await growing('blue')];
      await tells();
      for (const one of [question, answer]) await slack.acknowledged(ada.deletes(one));
      await scene.until('nothing there', () => said().length === 0);
      const direct = () => scene.said(ada.directMessages).map(textOf);
      await scene.until('what was written', () => direct().length > 0);
      expect(direct()).toEqual([expect.not.stringContaining('too long')]);
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

/** A channel of two workspaces, with the app in each, or in their organization; Slack names the one of whoever writes. */
async function beginOfTwo(organization = false) {
  const scene = await startSlackScene('oauth', {}, { SLACK_OUTSIDERS: 'on' });
  const { slack } = scene;
  const home = slack.addWorkspace('home', 'E0HOME');
  const sister = slack.addWorkspace('sister', 'E0HOME');
  const hana = slack.person(home, { name: 'hana', admin: true });
  const yan = slack.person(sister, { name: 'yan' });
  for (const person of organization ? [hana] : [hana, yan]) await scene.installs(person, organization);
  const shared = slack.channel(home, 'shared', [hana, yan], { sharedWith: [sister] });
  const answers = () => scene.said(shared).filter((one) => labelsOf(one).includes('Delete'));
  return { ...scene, sister, home, hana, yan, shared, answers };
}

it.each([
  ['in their organization', true],
  ['in each of them', false],
])(
  'in a channel of two workspaces, with the app installed %s, an answer is one whichever of them Slack names',
  async (_, organization) => {
    const { hana, yan, shared, answers: whole, said, until } = await beginOfTwo(organization);
    const { message } = hana.says(`${hana.bot} repeat: the number is 4711`, shared);
    await until('the answer', () => whole().length === 1);
    // Unmentioned, and in the same conversation.
    yan.says('what was the number?', shared, { thread: message.ts });
    await until('the next', () => whole().length === 2);
    expect(textOf(whole()[1])).toContain('4711');
    // In the thread of its first message; and side by side in the channel, where a private one is shared.
    for (const options of ['', ' --private']) {
      await yan.types(`/ask Write 20000 characters${options}`, shared);
      if (options !== '') {
        const isWhole = (one: Message) => labelsOf(one).includes('Share here');
        await yan.presses(await until('it', () => said(yan.directMessages).find(isWhole)), 'Share here');
      }
      const last = await until('a long one', () => whole()[2]);
      expect(said(shared).length).toBeGreaterThan(3);
      await hana.presses(last, 'Delete');
      await until('nothing of it', () => said(shared).length === 2);
    }
  },
);

describe('in a channel of two workspaces, with the app installed in each of them,', () => {
  it('a mention of one’s bot, whose `message` names the other, is to the bot: its thread goes on unmentioned', async () => {
    const { slack, home, hana, yan, shared, answers, until } = await beginOfTwo();
    const { message } = hana.says(`${hana.bot} repeat: the number is 4711`, shared);
    await until('the answer', () => answers().length === 1);
    const mention = yan.says(`${yan.bot} what was the number?`, shared, { thread: message.ts });
    await until('the next', () => answers().length === 2);
    for (const event of messageEvents(slack.world, home, shared, mention.message))
      await slack.acknowledged(slack.sendEvent(home, event));
    yan.says('and again, what was it?', shared, { thread: message.ts });
    await until('a third', () => answers().length === 3);
    expect(textOf(answers()[2])).toContain('what was the number?');
  });

  it('a mention of one’s bot that comes only as a `message` which names the other is answered, also after a restart', async () => {
    const { restart, hana, yan, shared, answers, until } = await beginOfTwo();
    hana.says(`${yan.bot} repeat: the number is 4711`, shared);
    expect(textOf(await until('the answer', () => answers()[0]))).toContain('4711');
    await restart();
    hana.says(`${yan.bot} repeat: the number is 4712`, shared);
    const answer = textOf(await until('the next', () => answers()[1]));
    expect(answer).toContain('4712');
    expect(answer).not.toContain('troupe');
  });

  it('a mention of a bot that isn’t in it, or was uninstalled, is to somebody else', async () => {
    const { slack, sister, hana, yan, shared, answers, until } = await beginOfTwo();
    const { message } = hana.says(`${hana.bot} repeat: the number is 4711`, shared);
    await until('the answer', () => answers().length === 1);
    const toOther = async () => {
      for (const text of [`${yan.bot} what was the number?`, 'Well?'])
        for (const told of hana.says(text, shared, { thread: message.ts }).deliveries)
          await slack.acknowledged(told);
    };
    shared.members.delete(sister.botUser);
    await toOther();
    shared.members.add(sister.botUser);
    for (const told of slack.uninstall(sister)) await slack.acknowledged(told);
    await toOther();
    hana.says(`${hana.bot} repeat: the number is 4712`, shared, { thread: message.ts });
    expect(textOf(await until('the next', () => answers()[1]))).toContain('4712');
    expect(answers()).toHaveLength(2);
  });
});

describe('in a channel that another organization shares,', () => {
  const begin = async () => {
    const scene = await startSlackScene('socket');
    const { slack, workspace, ada } = scene;
    const partner = slack.addWorkspace('partner');
    const pia = slack.person(partner, { name: 'pia', admin: true });
    const chief = slack.person(workspace, { name: 'chief', admin: true });
    const shared = slack.channel(workspace, 'shared', [ada, chief, pia], { sharedWith: [partner] });
    const answers = () => scene.said(shared).filter((one) => labelsOf(one).includes('Delete'));
    const told = () => ada.whispers.filter((one) => JSON.stringify(one).includes(refusal)).length;
    return { ...scene, scene, partner, pia, chief, shared, answers, told };
  };
  const refusal = 'An administrator needs to turn me on here first: `/troupe settings --connect on`';

  it('nothing is answered, and nothing spent, until an administrator of the own workspace says so, once', async () => {
    const { ada, pia, chief, shared, answers, spent, until, restart, told } = await begin();
    await ada.types('/ask repeat: red', shared);
    await until('why not', () => told() === 1);
    ada.says(`${ada.bot} repeat: green`, shared);
    await pia.types('/troupe settings --connect on', shared);
    await ada.types('/imagine a cat', shared);
    await until('why not again', () => told() >= 2);
    expect(answers()).toEqual([]);
    expect(await spent()).toBe(0);
    await chief.types('/troupe settings --connect on', shared);
    await ada.types('/ask repeat: blue', shared);
    await until('the answer', () => answers().length === 1);
    await restart();
    ada.says(`${ada.bot} repeat: yellow`, shared);
    await until('the next', () => answers().length === 2);
    expect(answers().map(textOf).join()).toMatch(/blue.*yellow/su);
  });

  it('nor while Slack doesn’t say in time that it still is shared', async () => {
    const { scene, slack, ada, shared, answers, until, told } = await begin();
    await ada.types('/ask repeat: red', shared);
    await until('why not', () => told() === 1);
    await passes(scene, 6);
    slack.api.faults.plan('conversations.info', { kind: 'delay', ms: 5_000 }, 20);
    ada.says(`${ada.bot} repeat: green`, shared);
    await until('why not again', () => told() + answers().length === 2);
    expect(answers()).toEqual([]);
  });

  it('nor in a private one that was used just before it was shared', async () => {
    const { slack, workspace, partner, said, ada, pia, until, told, labelled } = await begin();
    const project = slack.channel(workspace, 'project', [ada], { kind: 'group' });
    await ada.types('/ask repeat: red', project);
    await labelled('Delete', project);
    const shares = ada.shares(project);
    partner.channels.set(project.id, project);
    project.members.add(pia.user.id);
    await slack.acknowledged(shares);
    await ada.types('/ask repeat: green', project);
    await until('why not', () => told() + said(project).length === 2);
    expect(said(project)).toHaveLength(1);
  });
});
