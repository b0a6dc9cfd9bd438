import { expect, it } from 'vitest';
import { MissedDeletions } from '../../../src/app/deletions/missed-deletions.ts';
import { FakeClock } from '../../fakes/clock.ts';

const away = Object.assign(new Error('away'), { code: 'ERR_POSTGRES_AWAY' });

function begin() {
  const clock = new FakeClock(0);
  const warnings: string[] = [];
  const missed = new MissedDeletions({ clock, log: { warn: (_, message) => void warnings.push(message) } });
  const database = { isAway: true };
  const taken: string[] = [];
  const add = (job: string) =>
    missed.add({
      take: async () => {
        if (database.isAway) throw away;
        taken.push(job);
      },
      jobs: [job],
    });
  return { clock, warnings, missed, database, taken, add };
}

it('deletions that the database doesn’t take are taken in their order when it’s back', async () => {
  const { clock, warnings, missed, database, taken, add } = begin();
  for (const job of ['first', 'second']) add(job);
  await clock.advance(300_000);
  expect(taken).toEqual([]);
  expect(warnings).toHaveLength(1);
  database.isAway = false;
  const known = missed.ofJob('second');
  await clock.advance(10_000);
  await known;
  expect(taken).toEqual(['first', 'second']);
  add('third');
  await missed.ofJob('third');
  expect(taken).toEqual(['first', 'second', 'third']);
});

it('the oldest of more than a thousand deletions that wait isn’t waited for any more', async () => {
  const { clock, warnings, missed, database, taken, add } = begin();
  for (let job = 0; job <= 1_000; job++) add(String(job));
  await missed.ofJob('0');
  expect(warnings).toContain('too many deletions wait for the database; the oldest is ignored');
  database.isAway = false;
  await clock.advance(10_000);
  expect(taken).toHaveLength(1_000);
  expect(taken).not.toContain('0');
});

it('one that can’t be taken holds up no other', async () => {
  const { missed, database, taken, add } = begin();
  database.isAway = false;
  missed.add({ take: () => Promise.reject(new TypeError('no such thing')), jobs: [] });
  add('other');
  await missed.ofJob('other');
  expect(taken).toEqual(['other']);
});

it('nobody waits for them once the process ends', async () => {
  const { missed, taken, add } = begin();
  add('job');
  const known = missed.ofJob('job');
  await missed.close();
  await known;
  add('late');
  await missed.ofJob('late');
  expect(taken).toEqual([]);
});
