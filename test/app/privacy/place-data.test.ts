import { expect, it } from 'vitest';
import { BotTurns } from '../../../src/app/policy/limits.ts';
import { PlaceData } from '../../../src/app/privacy/place-data.ts';
import { alone } from '../../../src/coordination/index.ts';
import { PlaceSettings } from '../../../src/place-settings/index.ts';
import type { Address, Place } from '../../../src/port/index.ts';
import { createJobs, openKeyv, storedRemovals } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { databases } from '../../fakes/postgres/index.ts';
import { ledgerRow, personCalled } from '../../fakes/records.ts';

const day = 86_400_000;
const addressIn = (workspace: string): Address => ({
  platform: 'discord',
  workspace,
  channel: `C${workspace}`,
});
const ada = personCalled('U', { administrator: true, moderator: true });

async function begin(url: string) {
  const clock = new FakeClock(10 * day);
  const now = () => clock.now();
  const database = await databaseOfTest(url, clock);
  const jobs = createJobs(database);
  const conversations = openKeyv(database, 'conversation', now);
  const botTurns = new BotTurns({ database, keyv: openKeyv(database, 'bot-turns', now), clock });
  const placeSettings = new PlaceSettings(database, {} as never, now);
  const isIn = new Map<string, boolean>();
  let meanwhile = async () => {};
  let [forgotten, diesAt] = [0, 0];
  const places = new PlaceData({
    database,
    keyv: openKeyv(database, 'places', now),
    platforms: () => ({
      adapter: { forgetAbove: async () => {} },
      async isIn(workspace) {
        const known = isIn.get(workspace);
        if (known === undefined) throw new Error('away');
        return known;
      },
    }),
    conversations: {
      forgetQuotes: async () => {
        forgotten += 1;
        if (forgotten === diesAt) throw new Error('died');
        return [];
      },
      forgetUnder: (prefix) => conversations.deleteStartingWith(`id ${prefix}`),
    },
    jobs,
    renders: { cancel: async () => false },
    answers: { messagesOf: async () => [] },
    answerVersions: { forgetWritten: async () => {} },
    imageVersions: { forget: async () => {} },
    firstContacts: { forgetPlace: async () => {} },
    botTurns,
    budgetAlerts: { forget: () => meanwhile() },
    reports: { forgetPlace: async () => {} },
    audit: { forget: async () => {} },
    locks: alone().locks,
    clock,
    log: { info: () => {} },
  });
  /** What two commands leave, of which one waits to be posted, and what's chosen. */
  const fill = async (workspace: string) => {
    const address = addressIn(workspace);
    for (const id of [`done in ${workspace}`, `waits in ${workspace}`]) {
      const job = { id, command: 'speak', options: { text: 'x' }, address, requester: ada };
      await jobs.add({ ...job, createdAt: now() }, id);
      await jobs.end(id, 'done');
    }
    const delivery = { job_id: `waits in ${workspace}`, message: '{}', created_at: now(), held: 1 };
    await database.insertInto('deliveries').values(delivery).execute();
    await storedRemovals(database).add([{ message: { ...address, message: '1' } }]);
    await placeSettings.choose(address, 'channel', { persona: 'x' }, ada);
    await placeSettings.choose(address, 'operator', { off_by_operator: true } as never, ada);
    await placeSettings.choosePersonally(address, 'U', { model: undefined });
    await conversations.set(`id discord/${workspace}/C`, 'x');
    await botTurns.take('E', address);
  };
  /** Which servers anything is kept of. */
  const kept = async () => {
    const tables = ['jobs', 'deliveries', 'removals', 'place_settings', 'setting_changes', 'keyv'] as const;
    const rows = await Promise.all(tables.map((table) => database.selectFrom(table).selectAll().execute()));
    return ['1', '2', '3'].filter((one) =>
      new RegExp(`\\bC${one}\\b|discord/${one}/`).test(JSON.stringify(rows)),
    );
  };
  const later = async (hours: number) => {
    await clock.advance(hours * 3_600_000);
    await places.erase().catch(() => {});
  };
  const amidErasing = (work: () => Promise<void>) => {
    meanwhile = work;
  };
  const dieAfter = (commands: number) => {
    [forgotten, diesAt] = [0, commands + 1];
  };
  return { dieAfter, clock, jobs, database, places, isIn, fill, kept, later, amidErasing };
}

it.each(databases)('what’s kept of servers goes with them, and of no others, on $name', async ({ fresh }) => {
  const { database, places, isIn, fill, kept, later } = await begin(await fresh());
  const are = (account: string, workspaces: readonly string[], isListed = (_: string) => true) =>
    places.are({ platform: 'discord', account, workspaces, isListed });
  for (const workspace of ['1', '2', '3']) await fill(workspace);
  await are('A', ['1', '2', '3']);
  // Another application, and another shard, list other servers.
  await are('B', ['9']);
  await are('A', ['1'], (workspace) => workspace !== '3');
  await later(23);
  expect(await kept()).toEqual(['1', '2', '3']);
  // While Discord doesn't say so, nothing goes.
  await later(48);
  expect(await kept()).toEqual(['1', '2', '3']);
  isIn.set('2', false);
  // A new list names no earlier time.
  await are('A', ['1'], (workspace) => workspace !== '3');
  await later(0);
  expect(await kept()).toEqual(['1', '3']);
  // Listed as missing, but there.
  await are('A', ['3']);
  isIn.set('1', true);
  await later(25);
  isIn.set('1', false);
  await later(0);
  expect(await kept()).toEqual(['1', '3']);
  const one: Place = { platform: 'discord', workspace: '1' };
  await places.left(one);
  await later(20);
  await places.joined(one, 'A');
  await places.isMissing(one);
  await later(5);
  expect(await kept()).toEqual(['1', '3']);
  await later(20);
  expect(await kept()).toEqual(['3']);
  // Nobody lifts what the operator chose by removing the bot.
  const choices = await database
    .selectFrom('place_settings')
    .select('workspace')
    .where('channel', '=', '!')
    .execute();
  expect(choices).toHaveLength(3);
});

it('what came a moment after the removal goes with the rest, and nothing once the bot is invited again', async () => {
  const { clock, jobs, database, places, isIn, fill, kept, later, amidErasing } =
    await begin('sqlite::memory:');
  const [one, two] = ['1', '2'].map((workspace): Place => ({ platform: 'discord', workspace }));
  await fill('1');
  await places.left(one!);
  isIn.set('1', false);
  // Another process carries out what it had received before.
  await clock.advance(5);
  const late = { id: 'late', command: 'ask', options: {}, address: addressIn('1'), requester: ada };
  await jobs.add({ ...late, createdAt: clock.now() }, 'late');
  await database
    .insertInto('ledger')
    .values(
      ledgerRow('L', {
        job: 'late',
        ...{ platform: 'discord', workspace: '1', channel: 'C1', state: 'reserved', created_at: clock.now() },
      }),
    )
    .execute();
  // It ends while the rest is being deleted.
  amidErasing(async () => {
    await jobs.end('late', 'done');
    await database.updateTable('ledger').set({ state: 'spent' }).execute();
  });
  await later(25);
  await later(1);
  expect(await kept()).toEqual([]);
  const spent = await database.selectFrom('ledger').select(['workspace', 'person']).execute();
  expect(spent).toEqual([{ workspace: '', person: '' }]);

  await fill('2');
  await places.left(two!);
  isIn.set('2', false);
  amidErasing(() => places.joined(two!, 'A'));
  await later(25);
  isIn.set('2', true);
  await later(25);
  expect(await kept()).toEqual(['2']);
});

it('a death in the middle of a large server leaves most of the work done', async () => {
  const { clock, jobs, database, places, isIn, later, dieAfter } = await begin('sqlite::memory:');
  const left = async () => (await database.selectFrom('jobs').select('id').execute()).length;
  for (let count = 0; count < 450; count++) {
    const job = { id: `job ${count}`, command: 'ask', options: {}, address: addressIn('1'), requester: ada };
    await jobs.add({ ...job, createdAt: clock.now() + count }, job.id);
    await jobs.end(job.id, 'done');
  }
  await places.left({ platform: 'discord', workspace: '1' });
  isIn.set('1', false);
  dieAfter(449);
  await later(25);
  expect(await left()).toBeLessThan(100);
  await later(1);
  expect(await left()).toBe(0);
});
