import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { words } from '../../../../src/words/index.ts';
import { takeAway } from '../../../fakes/database.ts';
import { echo } from '../support/commands.ts';
import { startStage } from '../support/stage.ts';

it.each(['en', 'zh-CN'] as const)(
  'who asks while nothing can be recorded is told so, and it works again afterwards (%s)',
  async (locale) => {
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const channel = await visitor.channel();
    const ask = () => visitor.command(channel, 'echo', { words: 'hello' }, { locale });
    const back = await takeAway(stage.database, 'jobs');
    const told = await ask();
    expect(told.kind).toBe('refused');
    expect(JSON.stringify(told)).toContain(words(locale).errors.database);
    await back();
    expect(await ask()).toEqual({ kind: 'accepted' });
  },
);

it('who asks while the database does not answer is told so in time, and nothing is begun late', async () => {
  const stage = await startStage({ commands: [echo] });
  const visitor = await stage.visit();
  const channel = await visitor.channel();
  const other = new DatabaseSync(join(dirname(stage.filesFolder), 'troupe.db'));
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  const told = await visitor.command(channel, 'echo', { words: 'hello' });
  expect(told.kind).toBe('refused');
  expect(JSON.stringify(told)).toContain(words('en').errors.database);
  other.exec('rollback');
  expect(await visitor.command(channel, 'echo', { words: 'once more' })).toEqual({ kind: 'accepted' });
  await visitor.until(channel, (messages) => messages.some(({ author }) => author === 'bot'));
  // Nothing of the first is begun, and it isn't shown as a question that waits for its answer.
  const jobs = await stage.database.selectFrom('jobs').select('state').execute();
  expect(jobs.filter(({ state }) => state !== 'failed')).toHaveLength(1);
  expect(JSON.stringify(await visitor.messages(channel))).not.toContain('hello');
});
