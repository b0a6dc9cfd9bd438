import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job, LiveAnswer } from '../../../../src/port/index.ts';
import { type Delivering, startDelivering } from '../support/delivering.ts';
import { askButtons, type Stage } from '../support/stage.ts';

const minute = 60_000;
let delivering: Delivering;
let stage: Stage;
let asked: { job: Job; live: LiveAnswer } | undefined;
beforeEach(async () => {
  asked = undefined;
  delivering = await startDelivering({
    scripts: {
      ask: async ({ job, reply }) => {
        asked = { job, live: reply.stream({ buttons: askButtons(job.id) }) };
        await new Promise(() => {});
      },
    },
  });
  stage = delivering.stage;
});
afterEach(() => delivering.stop());

/** An answer that grows in direct messages; what is said of it once its stream stands there. */
async function begun(): Promise<{ job: Job; live: LiveAnswer }> {
  stage.ada.says('hi', stage.ada.directMessages);
  await stage.until(() => asked !== undefined);
  if (!asked) throw new Error('nothing was asked');
  return asked;
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
async function ends({ job, live }: { job: Job; live: LiveAnswer }, after = 20 * minute): Promise<void> {
  const message = { text: live.text, buttons: askButtons(job.id)({ kind: 'done' }) };
  void delivering.deliveries.bring(job, message, () => live.finish({ kind: 'done' }));
  await stage.pass(after);
  stage.slack.api.faults.clear();
  await stage.pass(10 * minute);
  await delivering.delivered();
}

const answer = () => stage.texts(stage.ada.directMessages).join('\n');
const times = (word: string) => answer().split(word).length - 1;

test.each([
  ['is taken', 'after'],
  ['is not taken', 'before'],
] as const)('the end of a stream that %s as Slack goes away for 20 minutes is read once', async (_, when) => {
  const it = await begun();
  it.live.append('First words, of which some are here. ');
  await stage.pass(5_000);
  it.live.append('And **the last** of them.');
  goesAway('chat.stopStream', when);
  await ends(it);
  expect(times('First words')).toBe(1);
  expect(times('the last')).toBe(1);
  expect(times('Regenerate')).toBe(1);
});

test.each([
  ['is taken', 'after'],
  ['is not taken', 'before'],
] as const)(
  'the beginning of a stream that %s as Slack goes away for 20 minutes is read once',
  async (_, when) => {
    const it = await begun();
    goesAway('chat.startStream', when);
    it.live.append('First words, of which some are here. ');
    await stage.pass(5_000);
    it.live.append('And **the last** of them.');
    await ends(it);
    expect(times('First words')).toBe(1);
    expect(times('the last')).toBe(1);
    expect(times('Regenerate')).toBe(1);
  },
);

test('a beginning that Slack has ended by itself meanwhile is read once, too', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  it.live.append('First words, of which some are here. ');
  await stage.pass(5_000);
  for (const { stream } of stage.posts(stage.ada.directMessages)) if (stream) stream.state = 'dead';
  it.live.append('And **the last** of them.');
  await ends(it);
  expect(times('First words')).toBe(1);
  expect(times('the last')).toBe(1);
});

test('a stream whose beginning is found while its answer still grows goes on as one', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  it.live.append('First words, of which some are here. ');
  await stage.pass(20_000);
  stage.slack.api.faults.clear();
  await stage.pass(20_000);
  it.live.append('And **the last** of them.');
  await ends(it, 1_000);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
  expect(stage.slack.api.of('chat.startStream')).toHaveLength(1);
  expect(times('the last')).toBe(1);
  expect(times('Regenerate')).toBe(1);
});

test('one that is found when its answer has ended makes way for the whole', async () => {
  const it = await begun();
  goesAway('chat.startStream', 'after');
  it.live.append('First words, of which some are here. ');
  await stage.pass(5_000);
  it.live.append('And **the last** of them.');
  await ends(it, 15_000);
  expect(stage.posts(stage.ada.directMessages)).toHaveLength(1);
  expect(times('First words')).toBe(1);
  expect(times('the last')).toBe(1);
  expect(times('Regenerate')).toBe(1);
});
