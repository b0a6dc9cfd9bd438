import { expect, it } from 'vitest';
import { createJobs, deleteEndedJobs, emptyOptions } from '../../src/store/index.ts';
import { openMigrated } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

it.each(databases)(
  'what a person’s commands were given is forgotten, but not what was private, on $name',
  async ({ fresh }) => {
    const database = await openMigrated(await fresh());
    const jobs = createJobs(database);
    const address = { platform: 'discord', workspace: 'W', channel: 'C' } as const;
    const ada = { id: 'U', name: 'ada', locale: 'en', administrator: false, moderator: false } as const;
    const add = async (id: string, options: object, person = 'U') => {
      const requester = { ...ada, id: person };
      await jobs.add({ id, command: 'ask', options: { ...options }, address, requester, createdAt: 0 }, id);
      if (id !== 'running') await jobs.end(id, 'done');
    };
    await add('private', { prompt: 'x', private: true });
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
    expect(await jobs.find('running')).toMatchObject({ requester: { id: 'U' } });
    await database.destroy();
  },
);
