import { beforeEach, expect, test } from 'vitest';
import { words } from '../../../../src/words/index.ts';
import { type Json, type Message, shown } from '../../../fakes/slack/index.ts';
import { type Answering, startAnswering } from '../support/delivering.ts';
import { askButtons, labelsOf, setting, type Stage } from '../support/stage.ts';

const minute = 60_000;
let answering: Answering;
let stage: Stage;
beforeEach(async () => {
  answering = await startAnswering();
  stage = answering.stage;
});

/** An answer to a mention that has begun in its channel. */
async function begun(): Promise<void> {
  stage.ada.says(`${stage.ada.bot} hi`, stage.general);
  const { live } = await answering.opened();
  live.append('First words');
  await stage.pass(5_000);
}

/** Its end; nothing of it is on its way any more afterwards. */
async function ends(text: string): Promise<void> {
  const answer = await answering.opened();
  answer.live.append(text);
  answering.end(answer);
  await stage.pass(10 * minute);
  await answering.delivering.delivered();
}

const direct = () => stage.posts(stage.ada.directMessages);
const archive = () => setting({ archived: true })(stage.general);
const lockThread = () => {
  const code = 'restricted_action_thread_locked';
  const inThread = ({ thread_ts }: Json) => thread_ts !== undefined;
  stage.slack.api.faults.plan('chat.update', { kind: 'error', code: 'cant_update_message' }, 1_000);
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'error', code }, 1_000, inThread);
  stage.slack.api.faults.plan('files.completeUploadExternal', { kind: 'error', code }, 1_000, inThread);
};

test.each([
  ['was archived', archive, 'gone'],
  ['locked its thread', lockThread, 'no-permission'],
] as const)(
  'an answer whose channel %s comes directly as it is written, with its buttons',
  async (_, shut, why) => {
    await begun();
    shut();
    await ends(' and the last.');
    const [answer, ...more] = direct();
    expect(more).toEqual([]);
    expect(answer && shown(answer)).toContain(words('en').sentDirectly(why));
    expect(answer && shown(answer)).toContain('First words and the last.');
    expect(answer?.files).toEqual([]);
    expect(answer && labelsOf(answer)).toEqual(['Regenerate']);
  },
);

test('one of some messages comes in those, the buttons under the last', async () => {
  await begun();
  archive();
  await ends(` ${'word '.repeat(4_000)}end.`);
  expect(direct().length).toBeGreaterThan(1);
  expect(direct().every(({ files }) => files.length === 0)).toBe(true);
  expect(direct().flatMap(labelsOf)).toEqual(['Regenerate']);
  expect(shown(direct().at(-1) as Message)).toContain('end.');
});

test('one that is too long for that comes as a file, with its buttons', async () => {
  await begun();
  archive();
  await ends(` ${'word '.repeat(12_000)}`);
  expect(direct().map(({ files }) => files.length)).toContain(1);
  expect(direct().map(shown).join()).toContain(words('en').sentDirectly('gone'));
  expect(direct().flatMap(labelsOf)).toEqual(['Regenerate']);
  expect(direct().length).toBeLessThanOrEqual(2);
});

test('a long one comes in messages all the same where no files are taken', async () => {
  await begun();
  archive();
  stage.workspace.uploadsDisabled = true;
  await ends(` ${'word '.repeat(12_000)}end.`);
  expect(shown(direct().at(-1) as Message)).toContain('end.');
  expect(direct().flatMap(labelsOf)).toEqual(['Regenerate']);
});

test.each([
  ['in messages', ' and the last.'],
  ['as a file', ` ${'word '.repeat(12_000)}`],
])(
  'one that came directly %s is not posted again where its process died over it and the channel is open again',
  async (_, text) => {
    const { general, ada } = stage;
    await begun();
    archive();
    await ends(text);
    const came = direct().length;
    await answering.delivering.restart(() => setting({ archived: false })(general));
    const { job, live } = await answering.opened();
    const whole = { text: live.text, buttons: askButtons(job.id)({ kind: 'done' }) };
    const before = stage.texts(general);
    await answering.delivering.deliveries.deliverFinished(job, whole, { messages: [], lastText: '' });
    await answering.delivering.delivered();
    expect(stage.posts(ada.directMessages)).toHaveLength(came);
    expect(stage.texts(general)).toEqual(before);
  },
);
