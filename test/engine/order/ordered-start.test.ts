import { describe, expect, it } from 'vitest';
import { OrderedStart } from '../../../src/engine/admission.ts';
import { FakeClock, settle } from '../../fakes/clock.ts';

describe('the order of arrival', () => {
  const setting = () => {
    const clock = new FakeClock();
    const order: string[] = [];
    const arrivals = new OrderedStart(clock);
    const begin = async (name: string, arrival: { begin(): Promise<void> }) => {
      await arrival.begin();
      order.push(name);
    };
    return { clock, order, arrivals, begin };
  };

  it('is kept where a later one is ready first', async () => {
    const { order, arrivals, begin } = setting();
    const [first, second, third] = ['c', 'c', 'c'].map((place) => arrivals.takeTurn(place));
    const later = [begin('third', third!), begin('second', second!)];
    await settle();
    expect(order).toEqual([]);
    await Promise.all([begin('first', first!), ...later]);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('is each place of its own', async () => {
    const { order, arrivals, begin } = setting();
    arrivals.takeTurn('one');
    await begin('elsewhere', arrivals.takeTurn('other'));
    expect(order).toEqual(['elsewhere']);
  });

  it('is kept when somebody in between leaves', async () => {
    const { order, arrivals, begin } = setting();
    const [first, second, third] = ['c', 'c', 'c'].map((place) => arrivals.takeTurn(place));
    second!.leave();
    const later = begin('third', third!);
    await settle();
    expect(order).toEqual([]);
    await Promise.all([begin('first', first!), later]);
    expect(order).toEqual(['first', 'third']);
  });

  it('is not held up by one who leaves, nor for long by one who never begins', async () => {
    const { clock, order, arrivals, begin } = setting();
    const gone = arrivals.takeTurn('c');
    arrivals.takeTurn('c');
    const waiting = begin('last', arrivals.takeTurn('c'));
    gone.leave();
    await clock.advance(4_000);
    expect(order).toEqual([]);
    await clock.advance(1_000);
    await waiting;
    expect(order).toEqual(['last']);
    expect(clock.pending).toBe(0);
  });

  it('is that in which they are recorded, but one that is not recorded is not waited for for long', async () => {
    const { clock, order, arrivals } = setting();
    const record = (name: string, turn: { record<T>(work: () => Promise<T>): Promise<T> }) =>
      turn.record(async () => void order.push(name));
    const [first, second, refused, last] = ['c', 'c', 'c', 'c'].map((place) => arrivals.takeTurn(place));
    const later = [record('last', last!), record('second', second!)];
    refused!.leave();
    await settle();
    expect(order).toEqual([]);
    await record('first', first!);
    await Promise.all(later);
    expect(order).toEqual(['first', 'second', 'last']);
    for (const turn of [first!, second!, last!]) turn.leave();
    arrivals.takeTurn('c');
    const waiting = record('after all', arrivals.takeTurn('c'));
    await clock.advance(999);
    expect(order).not.toContain('after all');
    await clock.advance(1);
    await waiting;
    expect(order).toContain('after all');
  });
});
