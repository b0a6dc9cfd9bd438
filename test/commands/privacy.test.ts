import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../src/port/index.ts';
import { sweep } from '../../src/store/index.ts';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;

const bob = personCalled('bob');
const elsewhere = { ...here, channel: 'another' };
const ask = (prompt: string, requester = ann, address = here) =>
  stage.give('ask', { prompt }, requester, address);

/** What `/privacy` exports for a person. */
async function exported(requester = ann): Promise<Record<string, unknown[]>> {
  await stage.give('privacy', {}, requester);
  await stage.press('Export my data', requester);
  expect(stage.latest.seenBy).toBe('requester');
  const [file] = stage.latest.message.files ?? [];
  if (!file) throw new Error('no file');
  return JSON.parse(Buffer.from(await bytesOf(file)).toString());
}

/** Presses Delete my data, and the same in the question. */
async function deletes(requester = ann): Promise<void> {
  await stage.give('privacy', {}, requester);
  await stage.press('Delete my data', requester);
  expect(stage.text).toContain('You can’t undo this.');
  await stage.press('Delete my data', requester);
  expect(stage.text).toMatch(/^Deleted\./);
}

/** All that the database holds, as text. */
async function everything(): Promise<string> {
  const { database } = stage;
  const tables = (await database.introspection.getTables()).map(({ name }) => name);
  const rows = await Promise.all(
    tables.map((table) =>
      database
        .selectFrom(table as 'jobs')
        .selectAll()
        .execute(),
    ),
  );
  return JSON.stringify(rows);
}

/** Counts the queries of a kind about a table. */
function counting(
  kind: string,
  table: string,
): { readonly plugin: KyselyPlugin; readonly count: () => number } {
  let counted = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === kind && JSON.stringify(node).includes(`"${table}"`)) counted++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { plugin, count: () => counted };
}

describe('/privacy', () => {
  it('says what is kept and for how long, and links the operator’s pages', async () => {
    stage = await Stage.open({
      settings: {
        historyDays: 120,
        policies: { privacy: 'https://example.org/privacy', terms: 'https://example.org/terms' },
      },
    });
    await stage.give('privacy');
    expect(stage.latest.seenBy).toBe('requester');
    expect(stage.text).toContain('until nobody has gone on with them for 120 days');
    expect(stage.text).toContain('what you gave them, for 120 days');
    expect(stage.text).toContain(
      '[Privacy policy](https://example.org/privacy) · [Terms of service](https://example.org/terms)',
    );
  });

  it('speaks of a day where that’s all', async () => {
    stage = await Stage.open({ settings: { historyDays: 1 } });
    await stage.give('privacy');
    expect(stage.text).toContain('until nobody has gone on with them for a day.');
  });

  it('exports what a person gave, got and spent, and nothing of others', async () => {
    stage = await Stage.open();
    await ask('Is the moon of cheese');
    await stage.press('👍');
    await stage.clock.advance(1_000);
    await ask('A secret of Bob’s', bob);
    await stage.give('me', { image_size: '3k' });
    await stage.clock.advance(1_000);
    await stage.make('imagine', { prompt: 'a kite' });
    const data = await exported();
    expect(data).toMatchObject({
      person: { platform: 'console', id: 'ann', name: 'ann' },
      defaults: { image_size: '3k' },
      commands: [
        {
          command: 'ask',
          where: { workspace: 'w', channel: 'c' },
          options: { prompt: 'Is the moon of cheese' },
        },
        { command: 'me' },
        { command: 'imagine', options: { prompt: 'a kite' } },
        { command: 'privacy' },
      ],
      spending: [
        { kind: 'chat', state: 'spent' },
        { kind: 'image', credits: { low: 22, high: 22 } },
      ],
      votes: [{ vote: 'good' }],
    });
    expect(data.commands?.[0]).toHaveProperty('answer');
    expect(JSON.stringify(data)).not.toMatch(/secret|bob/i);
  });

  it('exports no message of others that was quoted: its author may have deleted it since', async () => {
    stage = await Stage.open();
    const quoted = { context: '```bob, which this replies to\nThe safe opens with 1234\n```' };
    await stage.control({ answers: ['So it is.'] });
    await stage.give('ask', { prompt: 'Is that so' }, ann, here, quoted);
    expect(await everything()).toContain('1234');
    const data = JSON.stringify(await exported());
    expect(data).toContain('Is that so');
    expect(data).not.toContain('1234');
  });

  it('exports everything, however much there is', async () => {
    stage = await Stage.open();
    for (let count = 0; count < 205; count++) await stage.give('voices');
    expect((await exported()).commands).toHaveLength(206);
  }, 60_000);

  it('says so where it’s more than one file holds, which would take all memory', async () => {
    stage = await Stage.open();
    for (let count = 0; count < 14; count++) await stage.give('voices');
    const options = JSON.stringify({ text: 'x'.repeat(10 * 2 ** 20) });
    await stage.database.updateTable('jobs').set({ options }).execute();
    await stage.give('privacy');
    await stage.press('Export my data');
    expect(stage.latest.message.files ?? []).toEqual([]);
    expect(stage.text).toContain('more than fits into one file');
  });

  it('reads what’s kept of a person once at a time, however often they press', async () => {
    const { plugin, count } = counting('SelectQueryNode', 'feedback');
    stage = await Stage.open({ plugin });
    await ask('Is the moon of CHEDDAR');
    await stage.give('privacy');
    const page = stage.latest;
    await Promise.all(Array.from({ length: 10 }, () => stage.pressOn(page, 'Export my data')));
    expect(stage.standing.filter(({ message }) => message.files?.length)).toHaveLength(10);
    expect(count()).toBeLessThanOrEqual(2);
  });
});

it('what was said is kept for ninety days at most, also where nobody goes on, and for thirty after the last of it', async () => {
  stage = await Stage.open();
  const days = (count: number) => stage.clock.advance(count * 24 * 3_600_000);
  const left = async () => {
    await sweep(stage.database, stage.clock.now());
    await stage.bot.erase();
    return everything();
  };
  await stage.control({ answers: Array.from({ length: 5 }, () => 'So it is.') });
  await ask('Is the moon of CHEDDAR');
  for (let count = 0; count < 4; count++) {
    await days(20);
    await ask(`Bob’s question ${count}`, bob);
  }
  await days(9);
  expect(await left()).toContain('CHEDDAR');
  await days(2);
  expect(await left()).not.toContain('CHEDDAR');
  await days(18);
  expect(await left()).toContain('exchanges');
  await days(2);
  expect(await left()).not.toContain('exchanges');
});

it('what was said is kept for ninety days at most, also where others have had their part of it deleted since', async () => {
  stage = await Stage.open();
  const days = (count: number) => stage.clock.advance(count * 24 * 3_600_000);
  await stage.control({ answers: Array.from({ length: 3 }, () => 'So it is.') });
  await ask('Is the moon of CHEDDAR');
  for (let count = 0; count < 2; count++) {
    await days(20);
    await ask(`Bob’s question ${count}`, bob);
  }
  await days(25);
  await deletes(bob);
  await days(26);
  await sweep(stage.database, stage.clock.now());
  await stage.bot.erase();
  expect(await everything()).not.toContain('CHEDDAR');
});

describe('Delete my data', () => {
  it('asks first, and leaves nothing of what a person wrote and chose; others’ stays', async () => {
    stage = await Stage.open();
    await ask('Is the moon of CHEDDAR');
    await ask('Bob says STILTON', bob, elsewhere);
    await stage.give('ask', { prompt: 'a secret of CHEDDAR', private: true }, ann, elsewhere);
    await stage.give('me', { image_size: '3k' });
    await stage.make('imagine', { prompt: 'a wheel of CHEDDAR' });
    await stage.give('privacy');
    await stage.press('Delete my data');
    expect(await everything()).toContain('CHEDDAR');
    await deletes();
    // A platform may tell of the same command once more for some minutes: that it was given is known so long.
    await stage.clock.advance(16 * 60_000);
    await stage.bot.erase();
    const left = await everything();
    // Nor is there a conversation of their own by its key.
    expect(left).not.toMatch(/CHEDDAR|image_size|@ann/);
    expect(left).toContain('STILTON');
    const { spending, commands, defaults } = await exported();
    expect(commands).toMatchObject([{ command: 'privacy' }]);
    expect(defaults).toEqual({});
    expect(spending).toHaveLength(3);
    await stage.clock.advance(24 * 3_600_000);
    await stage.bot.erase();
    expect((await exported()).spending).toEqual([]);
    expect(
      (await stage.ledger()).map(({ person, person_name, kind }) => `${person}${person_name} ${kind}`),
    ).toEqual([' chat', 'bobbob chat', ' chat', ' image']);
  });

  it('takes what was said before all that’s known of it was forgotten, where a conversation goes on', async () => {
    stage = await Stage.open();
    await stage.control({ answers: Array.from({ length: 6 }, () => 'So it is.') });
    await ask('Is the moon of CHEDDAR');
    for (let count = 0; count < 5; count++) {
      await stage.clock.advance(20 * 24 * 3_600_000);
      await ask(`Bob’s question ${count}`, bob);
    }
    await sweep(stage.database, stage.clock.now());
    await deletes();
    const left = await everything();
    expect(left).not.toContain('CHEDDAR');
    expect(left).toContain('question 1');
  });

  it('isn’t what the next question goes on with', async () => {
    stage = await Stage.open();
    await ask('Is the moon of CHEDDAR');
    await deletes();
    await ask('And the sun?');
    await ask('And the sun?', ann, elsewhere);
    const [, after, fresh] = (await stage.meter()).items;
    expect(after.tokens.input).toBe(fresh.tokens.input);
  });

  it('gives no budget, no cooldown and no report back', async () => {
    stage = await Stage.open({
      settings: { cooldown: 3_600, budgets: { user: 30, channel: 0, workspace: 0, total: 0 } },
    });
    await stage.make('imagine', { prompt: 'x' });
    await stage.give('report', { reason: 'bad' });
    await deletes();
    await stage.clock.advance(60_000);
    await stage.bot.erase();
    await stage.give('report', { reason: 'bad' });
    expect(stage.text).toContain('already');
    expect(await stage.give('imagine', { prompt: 'x' })).toMatchObject({ kind: 'refused' });
    expect(await ask('Hi')).toMatchObject({ kind: 'accepted' });
    await stage.clock.advance(3_600_000);
    expect(await stage.give('imagine', { prompt: 'x' })).toMatchObject({
      text: expect.stringContaining('daily budget of 30 credits'),
    });
    await stage.clock.advance(24 * 3_600_000);
    await stage.bot.erase();
    expect(await everything()).not.toContain('reports::by');
  });

  it('deletes what is under way once that has ended, and nothing that comes later', async () => {
    stage = await Stage.open({ sandbox: { renderTime: 60 } });
    await stage.give('imagine', { prompt: 'a wheel of CHEDDAR' });
    await deletes();
    expect(await everything()).toContain('CHEDDAR');
    await stage.rendersEnded();
    await ask('Bread and STILTON');
    await stage.clock.advance(20 * 60_000);
    await stage.bot.erase();
    expect(await everything()).not.toContain('CHEDDAR');
    expect(await everything()).toContain('STILTON');
  });

  it('leaves on record that a message was answered, without whose it was: an edit of it later asks nothing anew', async () => {
    stage = await Stage.open();
    await ask('Is the moon of CHEDDAR');
    await deletes();
    await stage.clock.advance(16 * 60_000);
    await stage.bot.erase();
    await stage.clock.advance(24 * 3_600_000);
    await stage.bot.erase();
    expect(await stage.bot.dispatcher.isHandled('event1', stage.clock.now())).toBe(true);
    expect(
      await stage.database.selectFrom('jobs').selectAll().where('event_id', '=', 'event1').execute(),
    ).toMatchObject([{ person: '', options: '{}', requester: expect.not.stringContaining('ann') }]);
  });

  it('leaves what a person chooses and votes afterwards', async () => {
    stage = await Stage.open();
    await stage.give('me', { image_size: '3k' });
    await deletes();
    await stage.clock.advance(1_000);
    await stage.give('me', { private: 'on' });
    await ask('Is the moon of cheese');
    await stage.press('👍');
    await stage.clock.advance(3_600_000);
    await stage.bot.erase();
    expect(await exported()).toMatchObject({ defaults: { private: true }, votes: [{ vote: 'good' }] });
  });

  it('leaves what its person is still asked about until they answer', async () => {
    stage = await Stage.open({ settings: { confirmOver: 20 } });
    await stage.give('imagine', { prompt: 'a wheel of CHEDDAR', private: true, count: 2 });
    await deletes();
    await stage.clock.advance(1_000);
    await stage.press('Yes, go ahead');
    await stage.rendersEnded();
    expect(stage.text).toContain('a wheel of CHEDDAR');
    expect(stage.latest.seenBy).toBe('requester');
    await stage.clock.advance(16 * 60_000);
    await stage.bot.erase();
    expect(await everything()).not.toContain('CHEDDAR');
    // What it cost goes with it, though it was spent after that.
    await stage.clock.advance(24 * 3_600_000);
    await stage.bot.erase();
    expect((await stage.ledger()).map(({ person }) => person)).toEqual(['', '']);
  });

  it('goes on where the process died in the middle of it', async () => {
    let isDying = false;
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (isDying && JSON.stringify(node).includes('personal_defaults')) throw new Error('died');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    stage = await Stage.open({ plugin });
    await ask('Is the moon of CHEDDAR');
    await stage.give('me', { image_size: '3k' });
    await stage.give('privacy');
    await stage.press('Delete my data');
    isDying = true;
    await stage.press('Delete my data');
    expect(stage.text).not.toMatch(/^Deleted/);
    isDying = false;
    await stage.clock.advance(16 * 60_000);
    await stage.bot.erase();
    expect(await everything()).not.toMatch(/CHEDDAR|image_size/);
  });

  it('is done once at a time, however often somebody presses', async () => {
    const { plugin, count } = counting('UpdateQueryNode', 'setting_changes');
    stage = await Stage.open({ plugin });
    await ask('Is the moon of CHEDDAR');
    await stage.give('privacy');
    await stage.press('Delete my data');
    const question = stage.latest;
    await Promise.all(Array.from({ length: 10 }, () => stage.pressOn(question, 'Delete my data')));
    expect(stage.standing.filter(({ message }) => message.text?.startsWith('Deleted.'))).toHaveLength(10);
    expect(count()).toBeLessThanOrEqual(2);
    await stage.clock.advance(16 * 60_000);
    await stage.bot.erase();
    expect(await everything()).not.toContain('CHEDDAR');
  });

  it('takes a person off the threads that they opened, where others go on', async () => {
    stage = await Stage.open();
    await stage.give('ask', { prompt: 'Say: green', thread: true });
    await stage.give('ask', { prompt: 'Say: red', thread: true }, bob);
    expect(await everything()).toContain('owner\\":\\"ann');
    await deletes();
    const left = await everything();
    expect(left).not.toContain('owner\\":\\"ann');
    expect(left).toContain('owner\\":\\"bob');
  });

  it('takes a person’s name off the settings that they changed', async () => {
    stage = await Stage.open();
    await stage.give('settings', { buttons: 'few' }, admin);
    await deletes(admin);
    await stage.give('settings', { page: 'history' }, admin);
    expect(stage.text).toContain('`buttons`');
    expect(stage.text).not.toContain('admin:');
  });
});
