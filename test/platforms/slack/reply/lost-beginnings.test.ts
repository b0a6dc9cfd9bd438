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

/** An answer whose beginning Slack takes and doesn't answer; then Slack is away for so long. */
async function ends(away: number, text: string): Promise<void> {
  const { faults } = stage.slack.api;
  await stage.until(() => asked !== undefined);
  if (!asked) throw new Error('nothing was asked');
  const { job, live } = asked;
  faults.plan('chat.postMessage', { kind: 'cut', when: 'after' }, 1);
  live.append('First words');
  await stage.until(() => faults.outstanding === 0);
  faults.plan('*', { kind: 'status', status: 503, when: 'before' }, 100_000);
  live.append(text);
  const message = { text: live.text, buttons: askButtons(job.id)({ kind: 'done' }) };
  void delivering.deliveries.bring(job, message, () => live.finish({ kind: 'done' }));
  await stage.pass(away);
  faults.clear();
  await stage.pass(10 * minute);
  await delivering.delivered();
}

test.each([
  ['a mention', () => void stage.ada.says(`${stage.ada.bot} hi`, stage.general)],
  ['a command', () => void stage.ada.types('/ask hi', stage.general)],
])(
  'an answer to %s whose beginning was posted as Slack went away stands there once, whole',
  async (_, ask) => {
    ask();
    await ends(20 * minute, ' and the last.');
    const [answer = '', ...more] = stage.texts(stage.general);
    expect(more).toEqual([]);
    expect(answer).toContain('First words and the last.');
    expect(answer).toContain('Regenerate');
    expect(answer).not.toContain('Stop');
  },
);

test('one that goes on over several messages goes on below its beginning', async () => {
  stage.ada.says(`${stage.ada.bot} hi`, stage.general);
  await ends(20 * minute, `: ${'word '.repeat(3_000)}end.`);
  const texts = stage.texts(stage.general);
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.filter((text) => text.includes('First words'))).toHaveLength(1);
  expect(texts.at(-1)).toContain('end.');
  expect(texts.join()).not.toContain('Stop');
});
