import { describe, expect, it } from 'vitest';
import { OperatorNotices } from '../../../src/app/policy/operators.ts';
import { PlatformError } from '../../../src/port/index.ts';
import { openKeyv } from '../../../src/store/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { databaseOfTest } from '../../fakes/database.ts';
import { databases } from '../../fakes/postgres/index.ts';

describe.each(databases)('on $name', ({ fresh }) => {
  it('trouble is told to an operator by one process of several, and by another if that one couldn’t', async () => {
    const database = await databaseOfTest(await fresh());
    const clock = new FakeClock();
    const notes = openKeyv(database, 'notes', () => clock.now());
    const told: string[] = [];
    let isAway = true;
    const adapter = {
      directMessages: async () => ({ platform: 'console', workspace: 'w', channel: 'd' }),
      post: async (_address: object, _message: object, key: string) => {
        if (isAway) throw new PlatformError('unreachable');
        told.push(key);
      },
    };
    const dependencies = {
      operators: { localeOf: async () => 'en' as const },
      adapters: () => adapter as never,
      notes,
      log: { warn: () => {} },
    };
    const notice = (key: string) => new OperatorNotices(dependencies, (say) => say.refused, key, 'refused');
    const owner = { platform: 'console', workspace: 'w', person: 'owner' } as const;
    const [one, other] = [notice('by one'), notice('by the other')];
    expect(await one.send([owner])).toBe(false);
    isAway = false;
    expect(await other.send([owner])).toBe(true);
    expect(await one.send([owner])).toBe(true);
    expect(told).toEqual(['key:by the other']);
    await clock.advance(3_600_000);
    expect(await notice('an hour later').send([owner])).toBe(true);
    expect(told).toHaveLength(2);
  });
});
