import { beforeEach, expect, test } from 'vitest';
import type { Message } from '../../../../src/port/index.ts';
import { createLiveAnswers } from '../../../../src/store/index.ts';
import { shown } from '../../../fakes/slack/index.ts';
import { type Delivering, startDelivering } from '../support/delivering.ts';
import type { Stage } from '../support/stage.ts';

const never = 1e9;
const text = Array.from({ length: 9_000 }, (_, index) => `tides${index}`).join(' ');
const note = 'The budget is used up.';
const buttons = [{ id: 'ask.remove:job1', label: 'Delete' }];
const numbers = (words: string) => (words.match(/tides\d+/g) ?? []).map((word) => Number(word.slice(5)));

let delivering: Delivering;
let stage: Stage;
beforeEach(async () => {
  delivering = await startDelivering();
  stage = delivering.stage;
});

/** What stands in the channel, and what's on record of it. */
async function seen() {
  const posts = stage.posts(stage.general);
  const messages = await createLiveAnswers(stage.database).messagesOf('job1');
  const files = posts.flatMap((post) => post.files.map((id) => stage.workspace.files.get(id)));
  return { posts, files, recorded: messages.map(({ message }) => message).toSorted() };
}
const give = (message: Message) => delivering.goOn(stage.ada, stage.general, message);

test('a long text that comes late is six messages and a file with its whole, all of them on record', async () => {
  stage.slack.api.faults.plan('chat.postMessage', { kind: 'status', status: 503, when: 'before' }, 40);
  await give({ text: `${text}\n\n${note}`, note, buttons });
  await stage.until(() => stage.slack.api.faults.outstanding === 0, 60 * 60_000);
  await delivering.delivered();
  const { posts, files, recorded } = await seen();
  expect(posts).toHaveLength(7);
  expect(files.map((file) => Buffer.from(file?.bytes ?? []).toString())).toEqual([`${text}\n\n${note}`]);
  const parts = posts.slice(0, 6).map(shown);
  expect(numbers(parts.join(' '))).toEqual(Array.from(numbers(parts.join(' ')), (_, index) => index));
  expect(parts.at(-1)).toContain(note);
  expect(parts.map((part) => part.includes('Delete'))).toEqual([false, false, false, false, false, true]);
  expect(recorded).toEqual(posts.map(({ ts }) => ts).toSorted());
});

test.each([
  ['', { text }],
  [', all of it around its note', { text: `${text}\n\n${note}`, note }],
])('the rest of a long text comes as messages where files are refused%s', async (_, message) => {
  stage.slack.api.faults.plan('files.getUploadURLExternal', { kind: 'error', code: 'access_denied' }, 100);
  await give({ ...message, buttons });
  await delivering.delivered();
  const { posts, recorded } = await seen();
  expect(numbers(posts.map(shown).join(' '))).toEqual(Array.from({ length: 9_000 }, (_, index) => index));
  expect(recorded).toEqual(posts.map(({ ts }) => ts).toSorted());
});

test.each([1, 3, 6])(
  'a text whose process dies once Slack took message %i of it is read once, all of it on record',
  async (count) => {
    let posts = 0;
    stage.slack.api.faults.plan('chat.postMessage', { kind: 'delay', ms: never }, 1, () => ++posts === count);
    await give({ text: text.slice(0, 60_000), buttons });
    await stage.until(() => stage.slack.api.faults.outstanding === 0);
    await stage.quiet();
    expect(stage.posts(stage.general)).toHaveLength(count);
    expect((await seen()).recorded).toHaveLength(count - 1);
    await delivering.restart();
    await delivering.delivered();
    const after = await seen();
    expect(after.posts.filter(({ files }) => files.length === 0)).toHaveLength(6);
    expect(new Set(after.posts.map(shown)).size).toBe(after.posts.length);
    expect(after.recorded).toEqual(after.posts.map(({ ts }) => ts).toSorted());
  },
);
