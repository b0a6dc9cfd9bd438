import { beforeEach, expect, test } from 'vitest';
import { type Answering, startAnswering } from '../support/delivering.ts';
import type { Stage } from '../support/stage.ts';

const minute = 60_000;
let answering: Answering;
let stage: Stage;
beforeEach(async () => {
  answering = await startAnswering();
  stage = answering.stage;
});

/** An answer whose beginning Slack takes and doesn't answer; then Slack is away for so long. */
async function ends(away: number, text: string): Promise<void> {
  const { faults } = stage.slack.api;
  const answer = await answering.opened();
  const { live } = answer;
  faults.plan('chat.postMessage', { kind: 'cut', when: 'after' }, 1);
  live.append('First words');
  await stage.until(() => faults.outstanding === 0);
  faults.plan('*', { kind: 'status', status: 503, when: 'before' }, 100_000);
  live.append(text);
  answering.end(answer);
  await stage.pass(away);
  faults.clear();
  await stage.pass(10 * minute);
  await answering.delivering.delivered();
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
