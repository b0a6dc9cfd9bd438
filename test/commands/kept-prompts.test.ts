import { expect, it } from 'vitest';
import { sweep } from '../../src/store/index.ts';
import { deletionsOn } from './support/deletions.ts';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
const { deletesPlace, deletesQuestions } = deletionsOn(() => stage);

const bob = personCalled('bob');
const day = 86_400_000;
const ask = (prompt: string, requester = ann, address = here, more = {}) =>
  stage.give('ask', { prompt, ...more }, requester, address);
const prompts = async () => (await stage.ledger()).map(({ prompt }) => prompt);
const kept = async () => (await prompts()).filter((prompt) => prompt !== null);

/** The table that administrators get. */
async function csv(): Promise<string> {
  await stage.give('usage', {}, admin);
  await stage.press('As CSV', admin);
  return Buffer.from(await stage.file()).toString();
}

it('prompts are kept beside costs only where administrators choose it, and as long as they choose', async () => {
  stage = await Stage.open();
  await ask('A plate of BRIE');
  await stage.give('privacy');
  expect(stage.text).toContain('for what, without what you wrote.');
  await stage.give('settings', {}, admin);
  expect(stage.text).toContain('`keep_prompts`: off (default)');
  await stage.give('settings', { keep_prompts: '91', scope: 'workspace' }, admin);
  expect(stage.text).toContain('90');
  await stage.give('settings', { keep_prompts: '7', scope: 'workspace' }, admin);
  await stage.give('privacy');
  expect(stage.text).toContain('Administrators here chose that I keep what you ask for');
  expect(stage.text).toContain('for 7 days');
  await ask('A plate of CHEDDAR');
  await ask('A plate of FETA', ann, here, { private: true });
  await ask('A plate of TILSIT', { ...ann, direct: true }, { ...here, channel: 'direct' });
  await stage.give('speak', { text: 'Say GOUDA' });
  await stage.make('imagine', { prompt: '=A wheel of STILTON' }, bob);
  expect(await prompts()).toEqual([
    null,
    'A plate of CHEDDAR',
    null,
    null,
    'Say GOUDA',
    '=A wheel of STILTON',
  ]);
  const table = await csv();
  expect(table).toMatch(/,A plate of CHEDDAR\r\n/);
  // No formula in a spreadsheet.
  expect(table).toMatch(/,'=A wheel of STILTON\r\n/);
  expect(table).not.toMatch(/BRIE|FETA|TILSIT/);
  await stage.clock.advance(7 * day - 60_000);
  await sweep(stage.database, stage.clock.now());
  expect(await kept()).toHaveLength(3);
  await stage.clock.advance(120_000);
  await sweep(stage.database, stage.clock.now());
  expect(await kept()).toEqual([]);
  expect((await stage.ledger()).map(({ person, state }) => `${person} ${state}`)).toContain('bob spent');
});

it('a kept prompt goes with its question, and with its person’s data', async () => {
  stage = await Stage.open();
  await stage.give('settings', { keep_prompts: '7', scope: 'workspace' }, admin);
  await ask('A plate of CHEDDAR');
  await ask('A plate of FETA', bob);
  await ask('A plate of BRIE', bob);
  await stage.make('imagine', { prompt: 'Two wheels of STILTON', count: '2' }, bob);
  expect(await kept()).toHaveLength(5);
  await deletesQuestions(3, 5);
  await stage.until(async () => (await kept()).length <= 2);
  expect(await kept()).toEqual(['A plate of CHEDDAR', 'A plate of BRIE']);
  await stage.give('privacy', {}, bob);
  await stage.press('Delete my data', bob);
  await stage.press('Delete my data', bob);
  expect(await kept()).toEqual(['A plate of CHEDDAR']);
});

it.each(['channel', 'thread'])('kept prompts go with their %s', async (what) => {
  stage = await Stage.open();
  await stage.give('settings', { keep_prompts: '7', scope: 'workspace' }, admin);
  const place = { ...here, channel: 'c2', thread: 't' };
  await ask('A plate of CHEDDAR');
  await ask('A plate of FETA', bob, place);
  await stage.give('speak', { text: 'A plate of BRIE' }, bob, place);
  await stage.make('imagine', { prompt: 'Two wheels of STILTON', count: '2' }, bob, place);
  expect(await kept()).toHaveLength(5);
  await deletesPlace({ workspace: here.workspace, channel: 'c2', ...(what === 'thread' && { thread: 't' }) });
  expect(await kept()).toEqual(['A plate of CHEDDAR']);
});

it('of a prompt only the beginning is kept, and nothing of an answer that’s read aloud', async () => {
  stage = await Stage.open();
  await stage.give('settings', { keep_prompts: '7', scope: 'workspace' }, admin);
  await stage.control({ answers: ['A wheel of CHEDDAR'] });
  await ask(`\`\`\`${'好'.repeat(18_000)}`);
  await stage.press('Listen');
  await stage.until(async () => (await stage.ledger()).length === 2);
  const [beginning, ...more] = await prompts();
  expect(beginning).toMatch(/^```好{996}…$/);
  expect(more).toEqual([null]);
});
