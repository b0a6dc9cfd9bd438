import { expect, test } from 'vitest';
import type { Job, Reply } from '../../../../src/port/index.ts';
import { createJobs } from '../../../../src/store/index.ts';
import { clip } from '../../../fakes/outgoing-files.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { forgetAnswers, interrupted, recover, unended } from '../../recover.ts';
import { bringLate } from '../support/delivering.ts';
import { askButtons, type Script, type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

const never = 1e9;
const commands = ['ask', 'imagine', 'speak'].map((name) => unended(name, () => {}));
const script =
  (answer: (reply: Reply, jobId: string) => unknown): Script =>
  async ({ job, reply }) => {
    await answer(reply, job.id);
    await new Promise(() => {});
  };
const says = (text: string) => script((reply) => reply.say({ text }));
const grows = (text: string) =>
  script((reply, id) => void reply.stream({ buttons: askButtons(id) }).append(text));

/** Gives a command; the process dies after Slack took what `method` brings, before its answer comes. */
async function died(name: string, answer: Script, give: () => void, method = 'chat.postMessage') {
  stage = await startStage({ scripts: { [name]: answer } });
  stage.slack.api.faults.plan(method, { kind: 'delay', ms: never });
  give();
  await stage.until(() => stage.slack.api.faults.outstanding === 0);
  await stage.quiet();
  await stage.restart();
  return (await createJobs(stage.database).unfinished())[0] as Job;
}
const recovered = () => stage.done(recover(stage.database, stage.platform.adapter, commands));

test('an announcement that Slack took as the process died makes way for the word about the interruption', async () => {
  await died('imagine', says('a cat\nDrawing…'), () => void stage.ada.types('/imagine a cat', stage.general));
  expect(stage.texts(stage.general).join()).toContain('Drawing…');
  await recovered();
  const [text = '', ...more] = stage.texts(stage.general);
  expect(more).toEqual([]);
  expect(text).toContain(interrupted('a cat'));
  expect(text).not.toContain('Drawing…');
  expect(text).toContain('*ada* · `/imagine`');
  expect(text.endsWith('Try again')).toBe(true);
  expect(stage.ada.whispers).toEqual([]);
});

test.each([
  ['a command', () => void stage.ada.types('/ask a cat', stage.general)],
  ['a mention', () => void stage.ada.says(`${stage.ada.bot} a cat`, stage.general)],
])(
  'the beginning of a live answer to %s that Slack took as the process died stays, with the word below it',
  async (_, give) => {
    await died('ask', grows('Once upon a time.'), give);
    await recovered();
    await stage.quiet();
    const [text = '', ...more] = stage.texts(stage.general);
    expect(more).toEqual([]);
    expect(text).toMatch(/Once upon a time\.\s+⚠️/u);
    expect(text).toContain(interrupted('a cat'));
    expect(text).not.toContain('Stop');
    expect(stage.ada.whispers).toEqual([]);
  },
);

test('what Slack gives back in another form stays as people read it, with the word below it', async () => {
  const long = `**Once** upon a time. ${'And so on. '.repeat(100)}The end.`;
  await died('ask', grows(long), () => void stage.ada.says(`${stage.ada.bot} a cat`, stage.general));
  stage.slack.world.readings.markdownGivenBack = 'refused';
  await recovered();
  await stage.quiet();
  const [beginning = '', word = '', ...more] = stage.texts(stage.general);
  expect(more).toEqual([]);
  expect(beginning).toContain('The end.');
  expect(beginning).not.toContain('Stop');
  expect(word).toContain(interrupted('a cat'));
  expect(word).not.toContain('Once');
});

test('where Slack took nothing the requester is told, and nothing else is posted', async () => {
  stage = await startStage({ scripts: { imagine: script(() => {}) } });
  await stage.ada.types('/imagine a cat', stage.general);
  await stage.restart();
  await recovered();
  expect(stage.texts(stage.general)).toEqual([]);
  expect(stage.ada.whispers.map(({ text }) => text)).toEqual([expect.stringContaining('interrupted')]);
});

test('a clip that Slack took as the process died comes once', async () => {
  const message = () => ({ text: '> hello', files: [clip] });
  const job = await died(
    'speak',
    script((reply) => reply.say(message())),
    () => void stage.ada.types('/speak hello', stage.general),
    'files.completeUploadExternal',
  );
  await bringLate(stage, job, { message: message() });
  const withFiles = stage.posts(stage.general).filter(({ files }) => files.length > 0);
  expect(withFiles.map(shown)).toHaveLength(1);
  expect(stage.posts(stage.general)).toHaveLength(1);
});

test('the word waits until what a former process left is ended, which could undo it else', async () => {
  stage = await startStage({ scripts: { ask: grows('Once upon a time.') } });
  const { general, slack } = stage;
  void stage.ada.types('/ask a cat', general);
  await stage.until(() => stage.posts(general).length > 0);
  await stage.kill();
  await forgetAnswers(stage.database);
  // What ends it reads the message before the notice is posted, and writes after.
  slack.api.faults.plan('conversations.history', { kind: 'delay', ms: 20_000 }, 1);
  await stage.startBot();
  await recovered();
  await stage.pass(60_000);
  expect(stage.texts(general).join()).toContain(interrupted('a cat'));
  expect(stage.texts(general).join()).not.toContain('Stop');
});
