import { beforeEach, expect, test } from 'vitest';
import type { Others } from '../../../../src/coordination/index.ts';
import { UnfinishedAnswerRecords } from '../../../../src/platforms/slack/reply/unfinished-answer-records.ts';
import type { Address } from '../../../../src/port/index.ts';
import { openKeyv, type Records } from '../../../../src/store/index.ts';
import { openMigrated } from '../../../fakes/database.ts';

const written: unknown[] = [];
let keyv: Records;
let records: UnfinishedAnswerRecords;
/** Processes that live. */
let living: string[];
let others: Others;
let create: (process: string) => UnfinishedAnswerRecords;
/** How many queries were made. */
let queries: number;

beforeEach(async () => {
  const database = (await openMigrated()).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      queries += 1;
      return result;
    },
  });
  keyv = openKeyv(database, 'slack');
  written.length = 0;
  const memory = {
    get: <T>(key: string) => keyv.get<T>(key),
    delete: (key: string) => keyv.delete(key),
    startingWith: <T>(prefix: string) => keyv.startingWith<T>(prefix),
    set: (key: string, value: unknown) => {
      written.push(value);
      return keyv.set(key, value);
    },
  };
  others = {
    watch: () => () => {},
    living: async () => new Set(living),
    present: async () => new Set(living),
    ended: async () => {},
  };
  create = (process) => new UnfinishedAnswerRecords(memory, { process, others });
  living = ['me'];
  records = create('me');
});

const answer = (stop: string, thread: string) => {
  const address: Address = { platform: 'slack', workspace: 'T1', channel: 'C1', thread };
  return { address, at: 1, key: `key of ${stop}`, stop };
};

test('an answer is on record from when it begins until it ends, with its streams', async () => {
  const [first, second] = [answer('a', '1.1'), answer('b', '1.1')];
  await Promise.all([records.begin(first), records.begin(second)]);
  await Promise.all([records.noteStream(first, '1.2'), records.noteStream(first, '1.3')]);
  living = [];
  const process = 'me';
  expect(await records.abandoned()).toEqual([
    { ...first, streams: ['1.2', '1.3'], process },
    { ...second, process },
  ]);
  await records.end(first);
  await records.noteStream(first, '1.4');
  expect(await records.abandoned()).toEqual([{ ...second, process }]);
});

test('an answer that a living process writes is left alone, and one of a dead process is taken once', async () => {
  living = ['me', 'other'];
  const [mine, theirs] = [answer('a', '1.1'), answer('b', '1.1')];
  await records.begin(mine);
  await create('other').begin(theirs);
  expect(await records.abandoned()).toEqual([]);
  living = ['me'];
  expect(await records.abandoned()).toEqual([{ ...theirs, process: 'other' }]);
  await records.begin(theirs);
  expect(await records.abandoned()).toEqual([]);
});

test('what a former version kept in one record is taken over once', async () => {
  expect(await records.abandoned()).toEqual([]);
  await keyv.set('unfinished answers', {});
  expect(await records.abandoned()).toEqual([]);
  const left = answer('a', '1.1');
  await keyv.set('unfinished answers', { a: left });
  expect(await records.abandoned()).toEqual([left]);
  await records.end(left);
  expect(await records.abandoned()).toEqual([]);
});

test('a thread has its own answers, and none of a thread whose number only begins alike', async () => {
  const [here, elsewhere] = [answer('a', '1.1'), answer('b', '1.11')];
  await Promise.all([records.begin(here), records.begin(elsewhere)]);
  expect(await records.inThread('T1', 'C1', '1.1')).toEqual([{ ...here, process: 'me' }]);
});

test('what one answer writes does not grow with how many others there are', async () => {
  const all = Array.from({ length: 50 }, (_, index) => answer(`stop${index}`, '1.1'));
  for (const one of all) await records.begin(one);
  expect(written).toEqual(all.map((one) => ({ ...one, process: 'me' })));
});

test('the answers of a workspace are read by one query, however many there are', async () => {
  const all = Array.from({ length: 50 }, (_, index) => answer(`stop${index}`, '1.1'));
  for (const one of all) await records.begin(one);
  for (const one of all) await records.noteStream(one, '1.2');
  queries = 0;
  expect(await create('other').streamsElsewhere('T1')).toBe(50);
  expect(queries).toBe(1);
});
