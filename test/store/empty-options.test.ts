import { expect, it } from 'vitest';
import type { Address } from '../../src/port/index.ts';
import { createJobs, deleteEndedJobs, emptyOptions } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled, personCalled } from '../fakes/records.ts';

it.each(databases)(
  'what a person’s commands were given is forgotten, but not what was private, on $name',
  async ({ fresh }) => {
    const database = await databaseOfTest(await fresh());
    const jobs = createJobs(database);
    const address = { platform: 'discord', workspace: 'W', channel: 'C' } as const;
    const add = async (id: string, options: object, person = 'U', at: Address = address) => {
      const requester = personCalled(person, { ...(at.channel !== 'C' && { direct: true }) });
      await jobs.add(jobCalled(id, { options: { ...options }, requester, address: at }), id);
      if (id !== 'running') await jobs.end(id, 'done');
    };
    await add('private', { prompt: 'x', private: true }, 'U', { ...address, onlyFor: 'U' });
    await add('direct', {}, 'U', { platform: 'discord', workspace: 'DU', channel: 'DU', onlyFor: 'U' });
    await add('public', { prompt: '"private":true', private: false });
    await add('running', { prompt: 'x' });
    await add('of another', { prompt: 'x' }, 'V');
    await emptyOptions(database, { platform: 'discord', workspace: '', person: 'U' }, 0);
    const left = async (id: string) => {
      const { options, deleted } = (await jobs.find(id)) ?? {};
      return { options, deleted };
    };
    expect(await left('private')).toEqual({ options: { private: true }, deleted: 'data' });
    expect(await left('public')).toEqual({ options: {}, deleted: 'data' });
    expect(await left('running')).toEqual({ options: { prompt: 'x' } });
    expect(await left('of another')).toEqual({ options: { prompt: 'x' } });
    await deleteEndedJobs(database, 0, { platform: 'discord', workspace: '', person: 'U' });
    expect(await jobs.ofEvent('private')).toMatchObject({ state: 'done', job: { requester: { id: '' } } });
    // Who alone saw it is named by where that was, too.
    const rows = ['private', 'direct'].map(async (id) => (await jobs.find(id))?.address);
    expect(await Promise.all(rows)).toEqual([address, { platform: 'discord', workspace: '', channel: '' }]);
    expect(await jobs.find('running')).toMatchObject({ requester: { id: 'U' } });
  },
);
