import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RenderStore, TakenOverError } from '../../src/renders/render-store.ts';
import { type Database, openDatabase } from '../../src/store/index.ts';
import { databases } from '../fakes/postgres/index.ts';
import { addRender } from './support/postgres.ts';

const elsewhere = { platform: 'discord', workspace: 'w', channel: 'c', message: 'elsewhere' } as const;

describe.each(databases)('renders on $name', ({ fresh }) => {
  let database: Database;
  let cutOff: RenderStore;
  let taker: RenderStore;

  beforeEach(async () => {
    database = await openDatabase(await fresh());
    onTestFinished(() => database.destroy());
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

  it('take times of any length', async () => {
    await taker.change('a', { waited: 2_458.456, unanswered: 0.2 });
    expect(await taker.find('a')).toMatchObject({ waited: 2_458, unanswered: 0 });
  });
});
