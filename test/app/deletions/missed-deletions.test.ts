import { expect, it } from 'vitest';
import { createDeletions } from '../../../src/app/deletions/create-deletions.ts';
import { MissedDeletions } from '../../../src/app/deletions/recent-deletions.ts';
import type { Job } from '../../../src/port/index.ts';
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
  expect(['second', 'other'].map((job) => missed.concerns(job))).toEqual([true, false]);
  database.isAway = false;
  const known = missed.ofJob('second');
  await clock.advance(10_000);
  await known;
  expect(taken).toEqual(['first', 'second']);
  expect(missed.concerns('second')).toBe(false);
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

it('that an answer is deleted is known before the database takes it, and what stands of it goes afterwards', async () => {
  const { clock, missed, database } = begin();
  const whileThere = async <T>(value: T) => {
    if (database.isAway) throw away;
    return value;
  };
  const removed: unknown[] = [];
  const { deletions, noticedDeletions } = createDeletions({
    missed,
    recent: { note: () => whileThere(undefined), hasOneOf: async () => false },
    answers: {
      growingIn: () => ['job'],
      jobsWith: () => whileThere([]),
      messagesOf: () => whileThere([{ platform: 'console', workspace: 'w', channel: 'c', message: 'm' }]),
    },
    jobs: { named: () => whileThere([]), find: () => whileThere(undefined) },
    answersInProgress: { stopHere: () => {} },
    removals: { remove: async (messages: unknown[]) => void removed.push(...messages) },
  } as unknown as Parameters<typeof createDeletions>[0]);
  const job = { id: 'job', command: 'ask', options: {} } as unknown as Job;
  await noticedDeletions.noticed({ platform: 'console', messages: ['m'] });
  expect(await deletions.of(job)).toBe('answer');
  await expect(deletions.of({ ...job, command: 'speak' })).rejects.toBe(away);
  const taken = deletions.takeAway(job);
  expect(removed).toEqual([]);
  database.isAway = false;
  await clock.advance(10_000);
  await taken;
  expect(removed).toHaveLength(1);
});
