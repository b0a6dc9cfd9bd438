import { describe, expect, it } from 'vitest';
import { AnswerVersions } from '../../src/app/results/answer-versions.ts';
import { PlaceSettings, type SettingValues } from '../../src/place-settings/index.ts';
import { openKeyv } from '../../src/store/index.ts';
import { FakeClock } from '../fakes/clock.ts';
import { processesSharing } from '../fakes/coordination.ts';
import { databaseOfTest } from '../fakes/database.ts';
import { databases } from '../fakes/postgres/index.ts';

describe.each(databases)('versions of an answer in two processes on $name', ({ fresh }) => {
  async function bot() {
    const database = await databaseOfTest(await fresh());
    const clock = new FakeClock();
    const share = processesSharing(clock);
    const create = () =>
      new AnswerVersions({
        keyv: openKeyv(database, 'answer-versions', () => clock.now()),
        life: 1_000_000,
        locks: share().locks,
        adapters: () => undefined,
        placeSettings: new PlaceSettings(database, {} as SettingValues, () => clock.now()),
      });
    return [create(), create()] as const;
  }

  const message = { platform: 'console', workspace: 'w', channel: 'c', message: 'm' } as const;

  it('are written one at a time', async () => {
    const [one, other] = await bot();
    const both = await Promise.allSettled([one.begin(message), other.begin(message)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([await one.isUnderWay(message), await other.isUnderWay(message)]).toEqual([true, true]);
    await other.end(message);
    await one.begin(message);
  });

  it('are all kept', async () => {
    const [one, other] = await bot();
    const jobs = ['a', 'b', 'c', 'd', 'e', 'f'];
    const add = (job: string, index: number) =>
      (index % 2 ? one : other).add(message, { job, text: job, ending: { kind: 'done' } });
    await Promise.all(jobs.map(add));
    expect((await one.find(message))?.all.map(({ job }) => job).toSorted()).toEqual(jobs);
    expect(await other.textOf('d')).toBe('d');
  });
});
