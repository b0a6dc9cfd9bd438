import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RenderStore, TakenOverError } from '../../src/renders/render-store.ts';
import { type Database, PostgresError, Processes } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { patience } from '../patience.ts';
import { addRender } from './support/postgres.ts';

const elsewhere = { platform: 'discord', workspace: 'w', channel: 'c', message: 'elsewhere' } as const;

describe.each(databases)('renders on $name', ({ fresh }) => {
  let database: Database;
  let cutOff: RenderStore;
  let taker: RenderStore;

  beforeEach(async () => {
    database = await databaseOfTest(await fresh());
    [cutOff, taker] = [
      new RenderStore(database, () => 1, 'cut off'),
      new RenderStore(database, () => 1, 'taker'),
    ];
    await addRender(database, { id: 'a', process: 'taker', state: 'ready' });
  });

  it('are not changed any more by a process that has none of the job in hand', async () => {
    const before = await taker.find('a');
    const fault = { code: 'result-gone' } as const;
    for (const change of [
      () => cutOff.change('a', { state: 'failed', fault }),
      () => cutOff.changeOfJob(['a'], { state: 'failed', fault }, 'a'),
      () => cutOff.deliver(['a'], elsewhere, 'a'),
      () => cutOff.move('a', elsewhere, 'a'),
    ])
      await expect(change()).rejects.toThrow(TakenOverError);
    await cutOff.takeBack('a');
    await new Processes(database).begin('cut off', new Map());
    expect(await cutOff.beginSubmitting('a')).toBe(false);
    expect(await taker.find('a')).toEqual(before);
  });

  it('are changed by the one that has it in hand, however often', async () => {
    await taker.move('a', elsewhere, 'a');
    for (let times = 0; times < 2; times++) await taker.deliver(['a'], elsewhere, 'a');
    expect(await taker.find('a')).toMatchObject({
      state: 'delivered',
      message: elsewhere,
      delivered: elsewhere,
    });
  });

  it('whose result somebody fetched stay delivered where it was first', async () => {
    await cutOff.deliver(['a'], elsewhere);
    await taker.deliver(['a'], { ...elsewhere, message: 'later' });
    expect(await taker.find('a')).toMatchObject({ state: 'delivered', delivered: elsewhere });
  });

  it('are read without their requests, which have megabytes of images in rows of former versions', async () => {
    const read: object[] = [];
    const watched = database.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        read.push(...result.rows);
        return result;
      },
    });
    const store = new RenderStore(watched, () => 1, 'taker');
    const request = JSON.stringify({ prompt: 'a cat', reference_images: ['data:image/png;base64,AAAA'] });
    await database.updateTable('renders').set({ kind: 'image', request }).execute();
    const all = await Promise.all([
      store.find('a'),
      store.ofJob('a').then(([render]) => render),
      store.openAt(elsewhere).then(([render]) => render),
      store.openOf(elsewhere, 'ann', 1).then(([render]) => render),
    ]);
    expect(all.map((render) => render?.id)).toEqual(['a', 'a', 'a', 'a']);
    expect(JSON.stringify(read)).not.toContain('data:');
    expect(await store.requestOf('a')).toBe(request);
    await database.updateTable('renders').set({ kind: 'video', request: '{"seed":7}' }).execute();
    expect(await store.find('a')).toMatchObject({ kind: 'video', seed: 7 });
  });

  it('take times of any length', async () => {
    await taker.change('a', { waited: 2_458.456, unanswered: 0.2 });
    expect(await taker.find('a')).toMatchObject({ waited: 2_458, unanswered: 0 });
  });
});

it('that may be on record although their person was told otherwise are known until they are undone', async () => {
  const database = await databaseOfTest();
  const undo = Promise.withResolvers<void>();
  const statements = new Map<object, string>();
  // The answers to the insert are lost, and the database takes its time with the delete.
  const unreliable = database.withPlugin({
    transformQuery: ({ node, queryId }) => {
      statements.set(queryId, node.kind);
      return node;
    },
    transformResult: async ({ queryId, result }) => {
      const kind = statements.get(queryId);
      if (kind === 'InsertQueryNode')
        throw new PostgresError(Object.assign(new Error('lost'), { code: '08006' }));
      if (kind === 'DeleteQueryNode') await undo.promise;
      return result;
    },
  });
  await addRender(database, { id: 'job', process: 'p' });
  const store = new RenderStore(unreliable, () => 1, 'p');
  const message = { platform: 'discord', workspace: 'w', channel: 'c', message: 'm' } as const;
  const about = {
    job: 'job',
    parts: 2,
    kind: 'image',
    request: '{}',
    conversationId: 'x',
    createdAt: 1,
  } as const;
  const added = store.add([{ ...about, part: 2, message } as never]);
  await expect(added).rejects.toThrow('lost');
  expect(store.isUndoing('job.2')).toBe(true);
  undo.resolve();
  await vi.waitUntil(() => !store.isUndoing('job.2'), patience);
});
