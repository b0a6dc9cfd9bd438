import { expect, it, vi } from 'vitest';
import { slackAddress } from '../../../src/platforms/slack/post/address.ts';
import { conversationKey } from '../../../src/port/index.ts';
import { openDatabase } from '../../../src/store/index.ts';
import { endsWithTest } from '../../at-end.ts';
import { freshPostgres } from '../../fakes/postgres/index.ts';
import type { Ephemeral, Message } from '../../fakes/slack/index.ts';
import { labelsOf, type SlackScene, startSlackScene, textOf } from '../support/slack-scene.ts';

// Real time passes here, and Slack takes a message a second: more than other tests need on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Two processes of the bot on one PostgreSQL; `scene.to` says which of them gets what Slack sends. */
async function begin(sandbox: Parameters<typeof startSlackScene>[1] = {}, environment = {}) {
  const url = await freshPostgres();
  const scene = await startSlackScene('http', sandbox, { DATABASE_URL: url, ...environment }, undefined, 2);
  const database = await openDatabase(url);
  endsWithTest(() => database.destroy());
  return { scene, database };
}

const done = (message: Message | undefined) => labelsOf(message).includes('Regenerate');
const wordsOf = ({ text, blocks }: Ephemeral) => `${text} ${JSON.stringify(blocks)}`;
const whisper = ({ ada, until }: SlackScene, words: string) =>
  until(words, () => ada.whispers.find((one) => wordsOf(one).includes(words)));
it('Stop at the other process ends the answer; Regenerate there writes it anew', async () => {
  const { scene } = await begin({ pace: 'human' });
  const { ada, general, said, until, labelled } = scene;
  await ada.types('/ask Write 20000 characters', general);
  const growing = await labelled('Stop');
  scene.to = 1;
  await ada.presses(growing, 'Stop');
  const stopped = await scene.saying('Stopped.');
  await until('the end', () => done(stopped));
  await ada.presses(stopped, 'Regenerate');
  const again = await until('the new answer', () => said().findLast((one) => labelsOf(one).includes('Stop')));
  scene.to = 0;
  await ada.presses(again, 'Stop');
  await until('its end', () => !said().some((one) => labelsOf(one).includes('Stop')));
});

it('a question is confirmed once, whichever process is told of it; what waits there is canceled here', async () => {
  const { scene } = await begin({}, { CONFIRM_OVER_CREDITS: '10' });
  const { ada, general, said, until } = scene;
  const asked = async (line: string) => {
    await ada.types(line, general);
    return until(line, () => ada.whispers.find((one) => wordsOf(one).includes('Yes, go ahead')));
  };
  const first = await asked('/imagine first [[rate limit 40 once]]');
  const both = [0, 1].map((to) => {
    scene.to = to;
    return ada.presses(first, 'Yes, go ahead');
  });
  await Promise.all(both);
  await scene.saying('first');
  scene.to = 0;
  const second = await asked('/imagine second');
  await ada.presses(second, 'Yes, go ahead');
  const waiting = await until('one that waits', () =>
    said().find((one) => textOf(one).includes('second') && labelsOf(one).includes('Cancel')),
  );
  scene.to = 1;
  await ada.presses(waiting, 'Cancel');
  await until('the end', () => textOf(waiting).includes('Canceled.'));
  expect(said().filter((one) => textOf(one).includes('first'))).toHaveLength(1);
});

it('settings that one process changes count in the other at once; /reset keeps its place between them', async () => {
  const { scene, database } = await begin();
  const { workspace, general, ada, until } = scene;
  const chief = scene.chief();
  await chief.types('/troupe settings --off ask', general);
  await until('the change', () => chief.whispers.length > 0);
  scene.to = 1;
  await ada.types('/ask hello', general);
  await whisper(scene, '/ask');
  expect(scene.said()).toEqual([]);

  // Something that ada gave the first process before, which hasn't begun there.
  const { id: process } = await database.selectFrom('processes').select('id').executeTakeFirstOrThrow();
  const place = conversationKey(slackAddress(workspace.id, general.id));
  const earlier = { job: 'earlier', number: 0, process, person: ada.user.id, place };
  await database.insertInto('turns').values(earlier).execute();
  const told = () => ada.whispers.some((one) => one.text.includes('only moderators'));
  await ada.types('/troupe reset', general);
  const waiting = await until('its place', () =>
    database.selectFrom('turns').selectAll().where('job', '<>', 'earlier').executeTakeFirst(),
  );
  expect(waiting).toMatchObject({ person: ada.user.id, place, conversation: null });
  expect(told()).toBe(false);
  await database.deleteFrom('turns').where('job', '=', 'earlier').execute();
  await until('the reset', told);
  expect(await database.selectFrom('turns').selectAll().execute()).toEqual([]);
});
