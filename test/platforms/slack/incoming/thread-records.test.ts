import { expect, test } from 'vitest';
import { ThreadRecords } from '../../../../src/platforms/slack/incoming/thread-records.ts';
import { openKeyv } from '../../../../src/store/index.ts';
import { openMigrated } from '../../../fakes/database.ts';

const day = 86_400_000;

async function begin() {
  const database = await openMigrated();
  const time = { now: 0 };
  const store = openKeyv(database, 'slack-threads', () => time.now);
  const ids = ['G1', 'C1'];
  const records = new ThreadRecords(store, (channel) => (ids.includes(channel) ? ids : [channel]));
  const note = (channel: string, ts: string, text: string) =>
    records.note('T1', channel, '1.0', { ts, text });
  const texts = async () => (await records.of('G1', '1.0')).map(({ text }) => text);
  return { records, note, texts, time };
}

test('messages of a thread that came under several ids of its channel are changed and forgotten like all', async () => {
  const { records, note, texts } = await begin();
  await note('C1', '3.0', 'one');
  await note('G1', '2.0', 'two');
  await note('G2', '2.0', 'elsewhere');
  expect((await texts()).toSorted()).toEqual(['one', 'two']);
  await records.change('T1', 'G1', '1.0', { ts: '3.0', text: 'another' });
  expect((await texts()).toSorted()).toEqual(['another', 'two']);
  expect(await records.remove('G1', '1.0', '3.0')).toBe(true);
  expect(await texts()).toEqual(['two']);
});

test('a message that isn’t kept any more isn’t kept again where it’s changed', async () => {
  const { records, note, texts, time } = await begin();
  await note('G1', '2.0', 'one');
  time.now = 7 * day;
  await records.change('T1', 'G1', '1.0', { ts: '2.0', text: 'another' });
  expect(await texts()).toEqual([]);
});
