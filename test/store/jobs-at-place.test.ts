import { expect, it } from 'vitest';
import { createJobs, openDatabase } from '../../src/store/index.ts';
import { databases } from '../fakes/postgres/index.ts';

const requester = { id: 'U', name: 'ada', locale: 'en', administrator: false, moderator: false } as const;

it.each(databases)(
  'what’s under way is found by its thread, channel and workspace, on $name',
  async ({ fresh }) => {
    const database = await openDatabase(await fresh());
    const jobs = createJobs(database);
    const places = {
      'in the channel': { workspace: 'W', channel: 'C' },
      'in its thread': { workspace: 'W', channel: 'C', thread: 'T' },
      'in another channel': { workspace: 'W', channel: 'D' },
      'in another workspace': { workspace: 'X', channel: 'C', thread: 'T' },
      'that has ended': { workspace: 'W', channel: 'C' },
    };
    for (const [id, place] of Object.entries(places)) {
      const address = { platform: 'discord', ...place } as const;
      await jobs.add({ id, command: 'ask', options: {}, address, requester, createdAt: 0 }, `event ${id}`);
    }
    await jobs.end('that has ended', 'done');
    const at = async (...place: Parameters<typeof jobs.at>) =>
      (await jobs.at(...place)).map(({ job }) => job.id).toSorted();
    expect(await at('discord', { workspace: 'W', channel: 'C', thread: 'T' })).toEqual(['in its thread']);
    expect(await at('discord', { workspace: 'W', channel: 'C' })).toEqual([
      'in its thread',
      'in the channel',
    ]);
    expect(await at('discord', { workspace: 'W' })).toEqual([
      'in another channel',
      'in its thread',
      'in the channel',
    ]);
    expect(await at('slack', { workspace: 'W' })).toEqual([]);
    await database.destroy();
  },
);
