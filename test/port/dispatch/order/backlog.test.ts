import { expect, it } from 'vitest';
import { Backlog, type BacklogSlot, mostWaiting } from '../../../../src/port/dispatch/order/backlog.ts';
import type { Caller } from '../../../../src/port/index.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const ask = { name: 'ask', queues: true } as const;
const by = (id: string, channel = 'c'): Caller => ({
  address: { platform: 'console', workspace: 'w', channel },
  requester: { id, name: id, locale: 'en', administrator: false, moderator: false },
});
const sentence = (most: number) => `at most ${most}`;

it('takes one that is carried out and some that wait, of each person in each place', () => {
  const backlog = new Backlog(new FakeClock());
  const rooms: BacklogSlot[] = [];
  const enter = (asker: Caller) => backlog.enter(ask, asker, sentence);
  for (let count = 0; count <= mostWaiting; count++) {
    const room = enter(by('ann'));
    if ('kind' in room) throw new Error('refused');
    rooms.push(room);
  }
  expect(enter(by('ann'))).toEqual({ kind: 'refused', text: 'at most 3' });
  expect(enter(by('ann'))).toEqual({ kind: 'refused', text: 'at most 3', repeated: true });
  expect(enter(by('bob'))).toHaveProperty('leave');
  expect(enter(by('ann', 'other'))).toHaveProperty('leave');
  rooms[0]?.leave();
  rooms[0]?.leave();
  expect(enter(by('ann'))).toHaveProperty('leave');
  expect(enter(by('ann'))).toEqual({ kind: 'refused', text: 'at most 3' });
  expect(backlog.enter({ name: 'help' }, by('ann'), sentence)).toHaveProperty('leave');
});

it('forgets what never began, keeps what is being carried out, and takes no memory when nobody asks', async () => {
  const clock = new FakeClock();
  const backlog = new Backlog(clock);
  const running = backlog.enter(ask, by('ann'), sentence);
  backlog.enter(ask, by('bob'), sentence);
  if ('kind' in running) throw new Error('refused');
  running.begin();
  await clock.advance(60_000);
  expect(backlog.size).toBe(1);
  running.leave();
  expect(backlog.size).toBe(0);
  expect(clock.pending).toBe(0);
});
