import { expect, it } from 'vitest';
import { Backlog, type BacklogSlot, mostWaiting } from '../../../src/engine/admission.ts';
import type { Caller } from '../../../src/port/index.ts';
import { words } from '../../../src/words/index.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { here, personCalled } from '../../fakes/records.ts';

const ask = { name: 'ask', queues: true } as const;
const by = (id: string, channel = 'c'): Caller => ({
  address: { ...here, channel },
  requester: personCalled(id),
});
const text = words('en').tooManyWaiting(3);

it('takes one that is carried out and some that wait, of each person in each place', async () => {
  const backlog = new Backlog(new FakeClock());
  const rooms: BacklogSlot[] = [];
  const enter = (asker: Caller) => backlog.enter(ask, asker);
  for (let count = 0; count <= mostWaiting; count++) {
    const room = await enter(by('ann'));
    if ('kind' in room) throw new Error('refused');
    rooms.push(room);
  }
  expect(await enter(by('ann'))).toEqual({ kind: 'refused', text, reason: 'waiting' });
  expect(await enter(by('ann'))).toMatchObject({ kind: 'refused', text, repeated: true });
  expect(await enter(by('bob'))).toHaveProperty('leave');
  expect(await enter(by('ann', 'other'))).toHaveProperty('leave');
  rooms[0]?.leave();
  rooms[0]?.leave();
  expect(await enter(by('ann'))).toHaveProperty('leave');
  expect(await enter(by('ann'))).toEqual({ kind: 'refused', text, reason: 'waiting' });
  expect(await backlog.enter({ name: 'help' }, by('ann'))).toHaveProperty('leave');
});

it('forgets what never began, keeps what is being carried out, and takes no memory when nobody asks', async () => {
  const clock = new FakeClock();
  const backlog = new Backlog(clock);
  const running = await backlog.enter(ask, by('ann'));
  await backlog.enter(ask, by('bob'));
  if ('kind' in running) throw new Error('refused');
  running.begin();
  await clock.advance(60_000);
  expect(backlog.size).toBe(1);
  running.leave();
  expect(backlog.size).toBe(0);
  expect(clock.pending).toBe(0);
});

it('counts what other processes have taken', async () => {
  let elsewhere = mostWaiting;
  const backlog = new Backlog(new FakeClock(), async (person, place) =>
    person === 'ann' && place === 'console/w/c' ? elsewhere : 0,
  );
  expect(await backlog.enter(ask, by('ann'))).toHaveProperty('leave');
  expect(await backlog.enter(ask, by('ann'))).toMatchObject({ kind: 'refused', text });
  expect(await backlog.enter(ask, by('ann', 'other'))).toHaveProperty('leave');
  elsewhere = 0;
  expect(await backlog.enter(ask, by('ann'))).toHaveProperty('leave');
});
