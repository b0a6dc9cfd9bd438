import { beforeEach, expect, it } from 'vitest';
import type { AnyValues, Job } from '../../src/port/index.ts';
import { createJobs } from '../../src/store/index.ts';
import { words } from '../../src/words/index.ts';
import { ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

/** What a bot of another version left on record. */
async function left(options: AnyValues, command = 'ask'): Promise<Job> {
  const job = { id: 'old', command, options, address: here, requester: ann, createdAt: stage.clock.now() };
  await createJobs(stage.database).add(job, 'its event');
  return job;
}
const pressed = async (action: string) => {
  await stage.give('help');
  return stage.pressId(action, stage.latest);
};
const unreadable = words('en').faults('ask', [{ option: 'ask', code: 'other-version' }]);

it.each([
  ['what a button gave', { prompt: 'Why?', continues: 7 }, unreadable],
  [
    'an option that is allowed no more',
    { prompt: 'Why?', model: 'svc-llm-0' },
    words('en').faults('ask', [
      { option: 'model', code: 'not-a-choice', given: 'svc-llm-0', allowed: 'svc-llm-1.5, svc-llm-1.5-pro' },
    ]),
  ],
])('a button tells of %s that this version can’t read, and spends nothing', async (_, options, text) => {
  await left(options);
  expect(await pressed('ask.again:old')).toMatchObject({ kind: 'refused', text });
  expect(await stage.ledger()).toEqual([]);
});

it('a button reads what another version recorded beside the options', async () => {
  await left({ prompt: 'Why?', context: 'a quote', unknown: 'to this version' });
  expect(await pressed('ask.again:old')).toMatchObject({ kind: 'accepted' });
  expect(await stage.ledger()).toHaveLength(1);
});

it('who asked for what this version can’t read is told, with no button to try it again', async () => {
  const job = await left({ prompt: 'Why?', continues: 7 });
  stage.bot.recovery.notifyAll([job]);
  await stage.bot.recovery.settled();
  expect(stage.text).toBe(unreadable);
  expect(stage.buttons).toEqual([]);
});
