import { describe, expect, it } from 'vitest';
import { type Json, type Message, shown } from '../../fakes/slack/index.ts';
import { noise } from '../../platforms/discord/support/pictures.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

/** Chooses a shortcut in the menu of a message, and waits for its form. */
async function formOf(scene: SlackScene, message: Message, name: string): Promise<Json> {
  await scene.ada.picks(message, name);
  const view = await scene.until('the form', () => scene.ada.form);
  return view.content;
}

const noteOf = (form: Json) => String(((form.blocks as Json[])[0]?.text as Json | undefined)?.text);
const header = (message: Message | undefined) => JSON.stringify(message?.blocks[0]);

describe.each(['socket', 'http'] as const)('the menu of a message on Slack, by %s', (mode) => {
  it('Ask about this: the answer says whose message it’s about, with a link to it', async () => {
    const scene = await startSlackScene(mode);
    const words = `The number in <#${scene.general.id}> is 4711, & that’s it.`;
    const { message } = scene.ben.says(words, scene.general);
    const form = await formOf(scene, message, 'Ask about this');
    expect(form.title).toMatchObject({ text: 'Ask about this' });
    expect(noteOf(form)).toBe('ben: The number in #general is 4711, & that’s it.');
    await scene.ada.sends({ prompt: 'What was the number?' });
    expect(scene.ada.form).toBeUndefined();
    const answer = await scene.labelled('Regenerate');
    expect(textOf(answer)).toContain('4711');
    const root = scene.said().find((said) => header(said).includes('What was the number?'));
    expect(header(root)).toContain(
      `<https://acme.slack.com/archives/${scene.general.id}/p${message.ts.replace('.', '')}|about ben’s message>`,
    );
  });
});

describe('the menu of a message on Slack', () => {
  it('answers in the thread of the message', async () => {
    const scene = await startSlackScene('socket');
    const { message: root } = scene.ben.says('Numbers', scene.general);
    const { message } = scene.ben.says('The number is 4711.', scene.general, { thread: root.ts });
    await formOf(scene, message, 'Ask about this');
    await scene.ada.sends({ prompt: 'What was the number?' });
    const answer = await scene.labelled('Regenerate');
    expect(answer.threadTs).toBe(root.ts);
    expect(scene.said().every(({ threadTs }) => threadTs === root.ts)).toBe(true);
    expect(JSON.stringify(scene.said()[0]?.blocks)).toContain(`?thread_ts=${root.ts}`);
  });

  it('works by its response address where the bot isn’t in the channel, after a restart too', async () => {
    const scene = await startSlackScene('socket');
    const outside = scene.slack.channel(scene.workspace, 'outside', [scene.ada], { withoutBot: true });
    const { message } = scene.ada.says('The number is 4711.', outside);
    await formOf(scene, message, 'Ask about this');
    await scene.restart();
    await scene.ada.sends({ prompt: 'What was the number?' });
    const answer = await scene.until('the answer', () =>
      scene.said(outside).find((said) => textOf(said).includes('4711') && labelsOf(said).length > 0),
    );
    expect(textOf(answer)).toContain('about ada’s message');
  });

  it('Speak this: a clip; where the bot isn’t in the channel, the form says so and nothing is spent', async () => {
    const scene = await startSlackScene('socket');
    const { message } = scene.ben.says('*Good* morning <@U0NOBODY>', scene.general);
    const form = await formOf(scene, message, 'Speak this');
    expect(JSON.stringify(form)).toContain('Good morning @');
    await scene.ada.sends({ text: 'Good morning' });
    await scene.until('the clip', () => scene.said().find(({ files }) => files.length > 0));
    const spent = await scene.spent();
    const outside = scene.slack.channel(scene.workspace, 'outside', [scene.ada], { withoutBot: true });
    const { message: elsewhere } = scene.ada.says('Good morning', outside);
    await formOf(scene, elsewhere, 'Speak this');
    await scene.ada.sends({});
    expect(Object.values(scene.ada.form?.errors ?? {}).join()).toContain('/invite');
    expect(await scene.spent()).toBe(spent);
  });

  it('Imagine this: the message’s images are references; a message that is only an image can’t be read', async () => {
    const scene = await startSlackScene('socket');
    const files = [scene.ben.file('a.png', noise(16))];
    const { message } = scene.ben.says('', scene.general, { files });
    await scene.ada.picks(message, 'Speak this');
    await scene.until('a word', () =>
      scene.ada.whispers.find(({ text }) => text.includes('no text to read')),
    );
    expect(scene.ada.form).toBeUndefined();
    const form = await formOf(scene, message, 'Imagine this');
    expect(noteOf(form)).toBe('Its image goes along as a reference.');
    await scene.ada.sends({ prompt: 'the same at night' });
    await scene.until('the image', () => shows(scene.said(), 'the same at night'));
  });

  it('Ask about this: text files are read, others are named before anything is spent', async () => {
    const scene = await startSlackScene('socket');
    const { ada, ben, general } = scene;
    const files = [ben.file('a.txt', Buffer.from('4711')), ben.file('b.png', noise(16))];
    const { message } = ben.says('', general, { files });
    const form = await formOf(scene, message, 'Ask about this');
    expect(noteOf(form)).toBe('ben’s message\nI only read text files, so I can’t open b.png.');
    await ada.sends({ prompt: 'What was the number?' });
    expect(textOf(await scene.labelled('Regenerate'))).toContain('4711');
  });

  it('Ask about this: a text file that the bot can’t read is named, in the person’s language', async () => {
    const scene = await startSlackScene('socket');
    const { ben, slack, workspace } = scene;
    const outside = slack.channel(workspace, 'outside', [ben], { withoutBot: true });
    const file = ben.file('a.txt', Buffer.from('The number is 4711.'));
    const { message } = ben.says('Look', outside, { files: [file] });
    slack.api.faults.plan('files.info', { kind: 'error', code: 'file_not_found' });
    await ben.picks(message, 'Ask about this');
    const view = await scene.until('the form', () => ben.form);
    expect(noteOf(view.content)).toContain('ben：Look\n我没能读取 a.txt。');
  });

  it('Report this: at a person’s message it says at once that only the bot’s can be reported, and asks for no reason', async () => {
    const { ada, ben, general, until } = await startSlackScene('socket');
    const { message } = ben.says('Hello', general);
    await ada.picks(message, 'Report this');
    const whisper = await until('a word', () => ada.whispers[0]);
    expect(shown(whisper)).toContain('I can only pass on reports of what I made');
    expect(ada.form).toBeUndefined();
  });

  it('reads what an app writes in blocks, beside which Slack has no text', async () => {
    const scene = await startSlackScene('socket');
    const ci = scene.slack.person(scene.workspace, { name: 'ci', realName: 'Build', bot: true });
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy failed' } },
      { type: 'section', text: { type: 'mrkdwn', text: 'The number is 4711.' } },
    ];
    const { message } = ci.says("This content can't be displayed.", scene.general, { blocks });
    const form = await formOf(scene, message, 'Ask about this');
    expect(noteOf(form)).toBe('Build: Deploy failed The number is 4711.');
    await scene.ada.sends({ prompt: 'What was the number?' });
    expect(textOf(await scene.labelled('Regenerate'))).toContain('4711');
  });

  it('is in the person’s language', async () => {
    const scene = await startSlackScene('socket');
    const { message } = scene.ada.says('The number is 4711.', scene.general);
    await scene.ben.picks(message, 'Ask about this');
    const view = await scene.until('the form', () => scene.ben.form);
    expect(view.content.title).toMatchObject({ text: '就此提问' });
    expect(noteOf(view.content)).toBe('ada：The number is 4711.');
    await scene.ben.sends({ prompt: '是多少？' });
    await scene.until('the answer', () => shows(scene.said(), '关于 ada 的消息'));
  });

  it('finds the text of what the bot itself said', async () => {
    const scene = await startSlackScene('socket');
    await scene.ada.types('/ask Say something about tides', scene.general);
    const answer = await scene.labelled('Regenerate');
    const form = await formOf(scene, answer, 'Ask about this');
    expect(noteOf(form).length).toBeGreaterThan(20);
    expect(noteOf(form)).toMatch(/^troupe: /);
  });
});

describe('the buttons under an answer on Slack', () => {
  it('read it aloud, draw it, and take a vote', async () => {
    const scene = await startSlackScene('socket');
    await scene.ada.types('/ask repeat: Hi', scene.general);
    const answer = await scene.labelled('Regenerate');
    await scene.ben.presses(answer, 'Listen');
    await scene.until('the clip', () => scene.said().find(({ files }) => files.length > 0));
    await scene.ben.presses(answer, 'Draw it');
    const view = await scene.until('the form', () => scene.ben.form);
    expect(JSON.stringify(view.content)).toContain('Hi');
    await scene.ben.sends({});
    await scene.until('the image', () => scene.said().find(({ files }) => files.length > 0));
    // Slack’s own feedback buttons; what they show is up to Slack.
    await scene.ben.presses(answer, 'Good answer');
    await scene.until('the vote', async () => {
      await scene.ben.types('/troupe usage --by feedback', scene.general);
      return scene.ben.whispers.some(({ text }) => text.includes('👍 1'));
    });
    const others = scene.ben.whispers.filter(({ text }) => !/回答评价|收到/.test(text));
    expect(others).toEqual([]);
  });
});

it('Reply opens a form for everybody, and its question goes on in the thread below the answer', async () => {
  const scene = await startSlackScene('socket');
  await scene.ada.types('/ask The number is 4711', scene.general);
  const answer = await scene.labelled('Regenerate');
  await scene.ben.presses(answer, 'Reply');
  const view = await scene.until('the form', () => scene.ben.form);
  expect(view.content.title).toMatchObject({ text: '回复' });
  await scene.ben.sends({ prompt: 'What was the number?' });
  const second = await scene.labelled('重新生成');
  expect(second.threadTs).toBe(answer.threadTs ?? answer.ts);
  expect(textOf(second)).toContain('4711');
  expect(scene.said().some((said) => header(said).includes('What was the number?'))).toBe(true);
});

it('Delete takes all messages of a long answer and its file; for its requester alone', async () => {
  const scene = await startSlackScene('socket');
  await scene.ada.types('/ask Write 50000 characters', scene.general);
  const last = await scene.labelled('Regenerate');
  await scene.until('the file', () => scene.said().some(({ files }) => files.length > 0));
  expect(scene.said().length).toBeGreaterThan(2);
  await scene.ben.presses(last, 'Delete');
  await scene.until('the refusal', () => scene.ben.whispers.length > 0);
  expect(scene.said()).toContain(last);
  await scene.ada.presses(last, 'Delete');
  await scene.until('nothing is left', () => scene.said().length === 0);
});

function shows(said: readonly Message[], words: string): Message | undefined {
  return said.find((message) => textOf(message).includes(words) || header(message).includes(words));
}
