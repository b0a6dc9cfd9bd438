import { expect, test } from 'vitest';
import { allowing } from '../../../fakes/commands.ts';
import { takeAway } from '../../../fakes/database.ts';
import { saysWith, type Stage, startStage } from '../support/stage.ts';

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
    let back = async () => {};
    stage = await startStage({
      rules: async (...asked) => {
        // What is looked up after that fails.
        back = await takeAway(stage.database, 'keyv');
        return allowing(...asked);
      },
    });
    const { ada } = stage;
    if (how === 'typed') await ada.types('/ask private:true hello', ada.directMessages);
    else ada.says('ask private:true hello', ada.directMessages);
    await stage.quiet();
    await back();
    expect(await stopsAtOnce()).toBe(true);
  },
);

test('a process that stops waits for no form that came again, since Slack missed its acknowledgement', async () => {
  let effects = 0;
  stage = await startStage({
    scripts: { settings: saysWith('answers', 'Answers') },
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
