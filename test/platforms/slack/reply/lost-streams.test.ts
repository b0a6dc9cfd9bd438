import { beforeEach, expect, test } from 'vitest';
import { type Answering, type OpenAnswer, startAnswering } from '../support/delivering.ts';
import type { Stage } from '../support/stage.ts';

const minute = 60_000;
let answering: Answering;
let stage: Stage;
beforeEach(async () => {
  answering = await startAnswering();
  stage = answering.stage;
});

/** An answer in direct messages. */
function begun(): Promise<OpenAnswer> {
  stage.ada.says('hi', stage.ada.directMessages);
  return answering.opened();
}

/** Slack goes away with the next call of a method, which it takes or doesn't. */
function goesAway(method: string, when: 'after' | 'before'): void {
  const { faults } = stage.slack.api;
  let isAway = false;
  faults.plan(method, { kind: 'cut', when }, 1, () => {
    isAway = true;
    return true;
  });
  faults.plan('*', { kind: 'status', status: 503, when: 'before' }, 100_000, () => isAway);
}

/** The answer ends. */
async function ends(opened: OpenAnswer, after = 20 * minute): Promise<void> {
  answering.end(opened);
  await stage.pass(after);
  stage.slack.api.faults.clear();
  await stage.pass(10 * minute);
  await answering.delivering.delivered();
}

const answer = () => stage.texts(stage.ada.directMessages).join('\n');
const times = (word: string) => answer().split(word).length - 1;

/** The answer's words come, with a pause in their middle. */
async function writes({ live }: OpenAnswer, inTheMiddle: () => Promise<void> = () => stage.pass(5_000)) {
  live.append('First words, of which some are here. ');
  await inTheMiddle();
  live.append('And **the last** of them.');
}

function expectReadOnce(): void {
  for (const word of ['First words', 'the last', 'Regenerate']) expect(times(word), word).toBe(1);
}

test.each([
  ['is taken', 'after'],
  ['is not taken', 'before'],
] as const)('the end of a stream that %s as Slack goes away for 20 minutes is read once', async (_, when) => {
  const it = await begun();
  await writes(it);
  goesAway('chat.stopStream', when);
  await ends(it);
  expectReadOnce();
});

test.each([
  ['is taken', 'after'],
  ['is not taken', 'before'],
] as const)(
  'the beginning of a stream that %s as Slack goes away for 20 minutes is read once',
  async (_, when) => {
    const it = await begun();
    goesAway('chat.startStream', when);
    await writes(it);
    await ends(it);
    expectReadOnce();
  },
);

test('a beginning that Slack has ended by itself meanwhile is read once, too', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  await writes(it, async () => {
    await stage.pass(5_000);
    for (const { stream } of stage.posts(stage.ada.directMessages)) if (stream) stream.state = 'dead';
  });
  await ends(it);
  expectReadOnce();
});

test('one that Slack has ended before it showed a word makes way for the whole', async () => {
  const it = await begun();
  it.live.append('**First');
  await stage.until(() => stage.posts(stage.ada.directMessages).length === 1);
  goesAway('chat.appendStream', 'before');
  it.live.append(' words** and');
  await stage.until(() => stage.slack.api.of('chat.appendStream').length > 0);
  it.live.append(' the last of them.');
  await ends(it);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
  expect(times('the last')).toBe(1);
});

test('a stream whose beginning is found while its answer still grows goes on as one', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  await writes(it, async () => {
    await stage.pass(20_000);
    stage.slack.api.faults.clear();
    await stage.pass(20_000);
  });
  await ends(it, 1_000);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
  expect(stage.slack.api.of('chat.startStream')).toHaveLength(1);
  expectReadOnce();
});

test('one that is found when its answer has ended makes way for the whole', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  await writes(it);
  await ends(it, 15_000);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
  expectReadOnce();
});
