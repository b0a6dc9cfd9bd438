import { describe, expect, it } from 'vitest';
import type { MessageAddress, Removal } from '../../src/port/index.ts';
import { storedRemovals, sweep } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';

const day = 86_400_000;
const at = { platform: 'discord', workspace: 'g', channel: 'c' } as const;
const one: MessageAddress = { ...at, message: 'one' };

async function begin() {
  const database = await databaseOfTest();
  const stored = storedRemovals(database);
  const all = async () => {
    const found: Removal[] = [];
    for await (const page of stored.of('discord')) found.push(...page);
    return found;
  };
  return { database, stored, all };
}

describe('messages that are to be removed or closed', () => {
  it('show the newest text, and none once they’re to be removed', async () => {
    const { stored, all } = await begin();
    await stored.add([{ message: one, shows: { text: 'first' } }]);
    const second = { message: one, shows: { text: 'second' } };
    await stored.add([second]);
    expect(await all()).toEqual([second]);
    await stored.add([{ message: one }, { message: one }]);
    await stored.done(second);
    await stored.add([second]);
    expect(await all()).toEqual([{ message: one }]);
    await stored.done({ message: one });
    expect(await all()).toEqual([]);
  });

  it('are told apart by the tokens that reach them, and are nothing without an id', async () => {
    const { stored, all } = await begin();
    const hidden = ['a', 'b'].map((token) => ({
      message: { ...at, message: '@original', platformData: { token } },
    }));
    await stored.add([...hidden, { message: { ...at, message: '' } }]);
    expect(await all()).toHaveLength(2);
    await stored.done(hidden[0]!);
    expect(await all()).toEqual([hidden[1]]);
  });

  it('are found by the job whose question is closed, unless they’re to be removed', async () => {
    const { stored } = await begin();
    const closing: Removal = { message: one, shows: { text: 'Confirmed.' }, job: 'job' };
    await stored.add([closing]);
    expect(await stored.ofQuestion('job')).toEqual([closing]);
    expect(await stored.ofQuestion('other')).toEqual([]);
    expect(await stored.isLeft(closing)).toBe(true);
    await stored.add([{ message: one }]);
    expect(await stored.ofQuestion('job')).toEqual([]);
    expect(await stored.isLeft(closing)).toBe(false);
  });

  it('are forgotten where nobody could do it in 90 days', async () => {
    const { database, stored, all } = await begin();
    await stored.add([{ message: one }]);
    await sweep(database, 10 * day);
    await stored.add([{ message: { ...at, message: 'two' } }]);
    await sweep(database, 99 * day);
    expect(await all()).toHaveLength(2);
    await sweep(database, 101 * day);
    expect((await all()).map(({ message }) => message.message)).toEqual(['two']);
  });
});
