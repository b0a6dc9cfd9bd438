import { describe, expect, it } from 'vitest';
import { DeliveryStore } from '../../src/deliveries/delivery-store.ts';
import { createJobs, Processes } from '../../src/store/index.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';
import { jobCalled } from '../fakes/records.ts';

describe.each(databases)('deliveries on $name', ({ fresh }) => {
  it('are not begun or changed by a process whose command another has taken over', async () => {
    const database = await databaseOfTest(await fresh());
    const files = { has: async () => false, remove: async () => {} } as never;
    const [cutOff, taker] = ['cut off', 'taker'].map(
      (process) => new DeliveryStore({ database, process, files, now: () => 0 }),
    );
    await new Processes(database).begin('taker', new Map());
    await createJobs(database, 'taker').add(jobCalled('job'), 'event');
    await cutOff?.keep('job', { message: { text: 'late' } });
    expect(await taker?.find('job')).toBeUndefined();
    await taker?.keep('job', { message: { text: 'an answer' } });
    await cutOff?.keep('job', { message: { text: 'late' } });
    await cutOff?.remove('job');
    expect(await taker?.find('job')).toMatchObject({ message: { text: 'an answer' } });
    // The command is over, and only its delivery was taken over.
    await database.updateTable('jobs').set({ process: 'a dead one', state: 'done' }).execute();
    await taker?.keep('job', { message: { text: 'an answer' }, isHeld: true });
    expect(await taker?.find('job')).toMatchObject({ isHeld: true });
  });
});
