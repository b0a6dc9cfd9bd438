import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { actionId } from '../../../../src/port/index.ts';
import { allowing } from '../../../fakes/commands.ts';
import { type Stage, startStage } from '../support/stage.ts';

let stage: Stage;

/** Whether a process that stops now has nothing to wait for, however long it may. */
async function stopsAtOnce(): Promise<boolean> {
  let hasStopped = false;
  void stage.dispatcher.stop(new Promise(() => {})).then(() => {
    hasStopped = true;
  });
  await stage.quiet();
  return hasStopped;
}

test.each(['typed', 'said'])(
  'a process that stops waits for nothing that was %s, accepted, and then not carried out because of an error',
  async (how) => {
    stage = await startStage({
      rules: async (...asked) => {
        // What is looked up after that fails.
        await sql.raw('alter table keyv rename to keyv_away').execute(stage.database);
        return allowing(...asked);
      },
    });
    const { ada } = stage;
    if (how === 'typed') await ada.types('/ask private:true hello', ada.directMessages);
    else ada.says('ask private:true hello', ada.directMessages);
    await stage.quiet();
    await sql.raw('alter table keyv_away rename to keyv').execute(stage.database);
    expect(await stopsAtOnce()).toBe(true);
  },
);

test('a process that stops waits for no form that came again, since Slack missed its acknowledgement', async () => {
  let effects = 0;
  stage = await startStage({
    scripts: {
      settings: async ({ job, reply }) => {
        const buttons = [{ id: actionId('settings', 'answers', job.id), label: 'Answers' }];
        await reply.say({ text: 'the settings', buttons });
      },
    },
    forms: {
      'settings.answers': () => ({ title: 'Answers', command: 'settings', fields: ['persona'], values: {} }),
    },
    presses: {
      'settings.answers': async () => {
        effects += 1;
      },
    },
  });
  const { chief, general } = stage;
  await chief.types('/troupe settings', general);
  await stage.until(() => chief.whispers.length > 0);
  const [page] = chief.whispers;
  if (!page) throw new Error('nothing was shown');
  await chief.presses(page, 'Answers');
  await stage.until(() => chief.form !== undefined);
  const sent = [chief.sends({ persona: 'a pirate' }), chief.sends({ persona: 'a pirate' })];
  await stage.done(Promise.all(sent));
  await stage.quiet();
  expect(effects).toBe(1);
  expect(await stopsAtOnce()).toBe(true);
});
