import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { Channels } from '../../../../src/platforms/console/store/channels.ts';
import { endsWithTest } from '../../../at-end.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { databases } from '../../../fakes/postgres/index.ts';

describe.each(databases)('channels on $name', ({ fresh }) => {
  it('have a first one, however many processes start at once', async () => {
    const database = await openMigrated(await fresh());
    endsWithTest(() => database.destroy());
    const processes = Array.from({ length: 4 }, () => new Channels(database, systemClock));
    await Promise.all(processes.map((channels) => channels.ensureChannel()));
    expect(await processes[0]?.channels()).toMatchObject([{ name: 'general' }]);
  });
});
