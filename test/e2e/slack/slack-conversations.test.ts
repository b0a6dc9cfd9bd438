import { describe, expect, it, vi } from 'vitest';
import type { FakePerson, Message } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

vi.setConfig({ testTimeout: 180_000 });

const done = (message: Message | undefined) => labelsOf(message).includes('Regenerate');
/** The sandbox answers with what was asked before in the conversation. */
const summary = 'Please give me a summary of our conversation so far';

/** Types a command, or says something in a thread, and waits for the whole answer. */
async function answer(
  scene: SlackScene,
  person: FakePerson,
  text: string,
  thread?: string,
): Promise<Message> {
  const finished = () => scene.said().filter((message) => done(message) && message.threadTs === thread);
  const before = finished().length;
  if (thread === undefined) await person.types(`/ask ${text}`, scene.general);
  else person.says(`${person.bot} ${text}`, scene.general, { thread });
  return scene.until(text, () => finished()[before]);
}

describe('/ask thread:true on Slack', () => {
  it('goes on in the thread of the answer, a conversation that the channel doesn’t know', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    await answer(scene, ada, 'Say: red');
    const root = await answer(scene, ada, 'Say: green --thread true');
    // The thread leads to the conversation a moment after the last words, which a stop waits for.
    await scene.restart();

    const there = textOf(await answer(scene, ada, summary, root.ts));
    expect(there).toContain('green');
    expect(there).not.toContain('Say: red');
    const here = textOf(await answer(scene, ada, summary));
    expect(here).toContain('Say: red');
    expect(here).not.toContain('green');

    ada.says(summary, general, { thread: root.ts });
    const later = await scene.until(
      'an answer without a mention',
      () => scene.said().filter((message) => done(message) && message.threadTs === root.ts)[1],
    );
    expect(textOf(later)).toMatch(/1\. .*Say: green/);
  });
});

it.each([
  ['/ask --thread', 'Say: green --thread true'],
  ['where each answer has a thread', 'Say: green'],
])(
  'an answer where the bot isn’t a member is part of the channel’s conversation: %s',
  async (given, text) => {
    const scene = await startSlackScene('socket');
    const { slack, workspace, ada, ben } = scene;
    const boss = slack.person(workspace, { name: 'boss', admin: true });
    const outside = slack.channel(workspace, 'outside', [ada, ben, boss], { withoutBot: true });
    const isSetting = given !== '/ask --thread';
    if (isSetting) {
      await boss.types('/troupe settings --conversation thread', outside);
      await scene.until('the setting', () => boss.whispers.length > 0);
    }
    await ada.types(`/ask ${text}`, outside);
    await scene.until('the answer', () => done(scene.said(outside)[0]));
    await ada.types(`/ask ${summary}`, outside);
    const later = await scene.until('the summary', () => scene.said(outside).filter(done)[1]);
    expect(textOf(later)).toContain('Say: green');
    const why = ada.whispers.filter(({ text: said }) => said.includes('couldn’t open a thread'));
    // Where threads are the rule, nobody asked for this one.
    expect(why.map(({ text: said }) => said)).toEqual(
      isSetting ? [] : [expect.stringContaining('because I’m not a member')],
    );
  },
);

describe('an answer on Slack says whose question it answers', () => {
  it('after a confirmation, in the channel and in a thread', async () => {
    const scene = await startSlackScene('socket', {}, { CONFIRM_OVER_CREDITS: '1' });
    const { ada, general } = scene;
    const confirm = async (given: number) => {
      const question = await scene.until('the question', () => ada.whispers[given]);
      await ada.presses(question, 'Yes, go ahead');
      return scene.until('the answer', () => scene.said().filter(done)[given]);
    };
    await ada.types('/ask Why is the sky blue?', general);
    const first = await confirm(0);
    expect(textOf(first)).toContain('*ada* · `/ask` Why is the sky blue?');
    ada.says(`${ada.bot} And the sea?`, general, { thread: first.ts });
    const second = await confirm(1);
    expect(second.threadTs).toBe(first.ts);
    expect(textOf(second)).toMatch(/^\*ada\* · `\/ask` And the sea\?\n/);
  });

  it('under a button, in a thread too', async () => {
    const scene = await startSlackScene('socket');
    const { ada, general } = scene;
    const { message: root } = ada.says(`${ada.bot} Why is the sky blue?`, general);
    const first = await scene.labelled('Regenerate');
    await ada.presses(first, 'Regenerate');
    const second = await scene.until('the second answer', () => scene.said().filter(done)[1]);
    expect(second.threadTs).toBe(root.ts);
    expect(textOf(second)).toMatch(/^\*ada\* · `Regenerate` Why is the sky blue\?\n/);
  });
});
