import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Agenda } from '../../../src/renders/polling/agenda.ts';
import { FakeClock } from '../../fakes/clock.ts';

let clock: FakeClock;
let agenda: Agenda<string>;
let taken: { readonly item: string; readonly at: number }[];
let begin: number;

const takeAll = () => {
  for (let item = agenda.take(); item !== undefined; item = agenda.take())
    taken.push({ item, at: clock.now() - begin });
};

beforeEach(() => {
  clock = new FakeClock();
  begin = clock.now();
  taken = [];
  agenda = new Agenda(clock, takeAll);
});

describe('an agenda', () => {
  it('gives everything when it is due, the earliest first, whatever the order in which it was put', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(100_000), { maxLength: 60 }), async (waits) => {
        clock = new FakeClock();
        begin = clock.now();
        taken = [];
        agenda = new Agenda(clock, takeAll);
        for (const [index, wait] of waits.entries()) agenda.put(`${index}`, wait);
        takeAll();
        while (await clock.runNext());
        const due = waits.map((at, index) => ({ item: `${index}`, at })).sort((a, b) => a.at - b.at);
        expect(taken).toEqual(due);
      }),
      { numRuns: 60, seed: 11 },
    ));

  it('has one timer for all, and none when it is empty', async () => {
    for (let item = 0; item < 1_000; item++) agenda.put(`${item}`, 1_000 + item);
    expect(clock.pending).toBe(1);
    while (await clock.runNext());
    expect(taken).toHaveLength(1_000);
    expect(clock.pending).toBe(0);
  });

  it('keeps what nobody had room for, and gives it to who asks later', async () => {
    agenda = new Agenda(clock, () => {});
    agenda.put('first', 1_000);
    agenda.put('second', 1_000);
    await clock.advance(20_000);
    agenda.put('third', 500);
    expect([agenda.take(), agenda.take(), agenda.take()]).toEqual(['first', 'second', undefined]);
    await clock.advance(500);
    expect(agenda.take()).toBe('third');
  });

  it.each([-3_600_000, 3_600_000])(
    'is moved by no more than 15 s by a clock that is set by %i ms',
    async (step) => {
      agenda.put('render', 60_000);
      await clock.advance(1_000);
      clock.step(step);
      begin += step;
      agenda.put('other', 10);
      while (await clock.runNext());
      const render = taken.find(({ item }) => item === 'render');
      expect(Math.abs((render?.at ?? 0) - 60_000)).toBeLessThanOrEqual(15_000);
    },
  );

  it('forgets everything', async () => {
    agenda.put('render', 10);
    agenda.clear();
    expect(clock.pending).toBe(0);
    expect(agenda.take()).toBeUndefined();
  });
});
