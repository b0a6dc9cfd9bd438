import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Pacer, Pacers, type Pacing, type Urgency } from '../../src/reply/index.ts';
import { FakeClock, settle } from '../fakes/clock.ts';

const rate = { limit: 5, window: 5_000 };
let clock: FakeClock;
let start: number;

beforeEach(() => {
  clock = new FakeClock();
  start = clock.now();
});

/** Asks for slots and notes who got one, and how long after the start. */
function asking(pacer: Pacing) {
  const given: [name: string, after: number][] = [];
  const ask = (name: string, urgent = false) =>
    void pacer
      .slot({ urgency: urgent ? 'first' : 'growth' })
      .then(() => given.push([name, clock.now() - start]));
  return { given, ask };
}

describe('Pacer', () => {
  it('gives the first slot at once and the others evenly', async () => {
    const { given, ask } = asking(new Pacer(clock, rate));
    for (const name of ['a', 'b', 'c']) ask(name);
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['b', 1_000],
      ['c', 2_000],
    ]);
  });

  it('serves who came first, but urgent ones before', async () => {
    const { given, ask } = asking(new Pacer(clock, rate));
    ask('a');
    ask('b');
    ask('c');
    await clock.advance(500);
    ask('first words', true);
    ask('other first words', true);
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['first words', 500],
      ['other first words', 500],
      ['b', 1_500],
      ['c', 2_500],
    ]);
  });

  it('lets urgent ones use the whole budget at once, and not more', async () => {
    const { given, ask } = asking(new Pacer(clock, rate));
    for (let count = 0; count < 7; count++) ask(`${count}`, true);
    await clock.advance(10_000);
    expect(given.map(([, after]) => after)).toEqual([0, 0, 0, 0, 0, 5_000, 5_000]);
  });

  it('serves first words before ends, ends before growth, and what’s optional only from what is left over', async () => {
    const pacer = new Pacer(clock, rate);
    const given: [name: string, after: number][] = [];
    const ask = (urgency: Urgency, signal?: AbortSignal) =>
      pacer.slot({ urgency, signal }).then(
        () => void given.push([urgency, clock.now() - start]),
        () => void given.push([`${urgency} given up`, clock.now() - start]),
      );
    for (let used = 0; used < 5; used++) await pacer.slot({ urgency: 'final' });
    const hint = new AbortController();
    void ask('optional', hint.signal);
    void ask('growth');
    void ask('final');
    void ask('first');
    await clock.advance(4_000);
    expect([given, pacer.takeLeftOver()]).toEqual([[], false]);
    await clock.advance(2_000);
    expect(given).toEqual([
      ['first', 5_000],
      ['final', 5_000],
      ['growth', 6_000],
    ]);
    hint.abort();
    await clock.advance(60_000);
    expect(given[3]).toEqual(['optional given up', 6_000]);
    expect(Array.from({ length: 5 }, () => pacer.takeLeftOver())).toEqual([true, true, true, false, false]);
    await Promise.all([ask('final'), ask('final')]);
    expect(given.slice(4).map(([, after]) => after)).toEqual([66_000, 66_000]);
  });

  it('leaves some of the platform’s own count to what isn’t optional', () => {
    const pacer = new Pacer(clock, rate);
    pacer.learn({ limit: 5, remaining: 3, resetAfter: 4_000 });
    expect([pacer.takeLeftOver(), pacer.takeLeftOver()]).toEqual([true, false]);
  });

  it('keeps slots for the ends of what grows, until they are given back', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    const releases = [pacer.reserve(), pacer.reserve()];
    for (let count = 0; count < 4; count++) ask(`growth ${count}`);
    await clock.advance(4_000);
    expect(given.map(([name]) => name)).toEqual(['growth 0', 'growth 1', 'growth 2']);
    for (const release of releases) release();
    releases[0]?.();
    ask('end 0', true);
    ask('end 1', true);
    await clock.advance(0);
    expect(given.slice(3)).toEqual([
      ['end 0', 4_000],
      ['end 1', 4_000],
    ]);
    await clock.advance(2_000);
    expect(given[5]).toEqual(['growth 3', 5_000]);
  });

  it('lets something grow, however many ends slots are kept for', async () => {
    const pacer = new Pacer(clock, rate);
    for (let count = 0; count < 50; count++) pacer.reserve();
    const { given, ask } = asking(pacer);
    for (let count = 0; count < 2; count++) ask(`${count}`);
    await clock.advance(5_000);
    expect(given.map(([, after]) => after)).toEqual([0, 5_000]);
  });

  it('lets what has gathered most grow first', async () => {
    const pacer = new Pacer(clock, { limit: 10, window: 10_000 });
    const given: number[] = [];
    const sizes = [10, 20, 30, 40];
    await pacer.slot();
    for (const index of sizes.keys())
      void pacer.slot({ gathered: () => sizes[index] ?? 0 }).then(() => void given.push(index));
    await clock.advance(1_000);
    sizes[0] = 50;
    await clock.advance(3_000);
    expect(given).toEqual([3, 0, 2, 1]);
  });

  it('lets what has gathered little grow, too, before half a window has passed twice', async () => {
    const pacer = new Pacer(clock, { limit: 50, window: 60_000 });
    const grow = async () => {
      for (;;) {
        const since = clock.now();
        await pacer.slot({ gathered: () => clock.now() - since });
      }
    };
    for (let count = 0; count < 19; count++) void grow();
    await clock.advance(5_000);
    let isShown = false;
    void pacer.slot({ gathered: () => 60 }).then(() => (isShown = true));
    await clock.advance(59_000);
    expect(isShown).toBe(true);
  });

  it('never gives more than the limit in any window', async () => {
    const urgency = fc.constantFrom<Urgency>('first', 'final', 'growth', 'optional');
    const asks = fc.array(fc.tuple(fc.nat(3_000), urgency), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        asks,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 100, max: 6_000 }),
        async (turns, limit, window) => {
          const pacer = new Pacer(clock, { limit, window });
          const given: [name: string, after: number][] = [];
          start = clock.now();
          for (const [pause, urgency] of turns) {
            void pacer.slot({ urgency }).then(() => given.push(['one', clock.now() - start]));
            await clock.advance(pause);
          }
          while (await clock.runNext());
          expect(given).toHaveLength(turns.length);
          for (const [index, [, after]] of given.entries()) {
            const next = given[index + limit];
            if (next) expect(next[1] - after).toBeGreaterThanOrEqual(window);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('waits until the platform counts anew where nothing remains', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    pacer.learn({ limit: 5, remaining: 0, resetAfter: 3_200 });
    ask('a');
    ask('b');
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 3_200],
      ['b', 4_200],
    ]);
  });

  it('takes no more than remains, though others have used the bucket', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    pacer.learn({ limit: 5, remaining: 2, resetAfter: 4_000 });
    for (const name of ['a', 'b', 'c']) ask(name, true);
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 4_000],
    ]);
  });

  it('is not misled by answers that overtake each other', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    pacer.learn({ remaining: 1, resetAfter: 4_000 });
    pacer.learn({ remaining: 3, resetAfter: 4_000 });
    for (const name of ['a', 'b']) ask(name, true);
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['b', 4_000],
    ]);
  });

  it('learns limit and window from the answer to a first request', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    ask('a');
    await settle();
    pacer.learn({ limit: 2, remaining: 1, resetAfter: 600 });
    ask('b');
    ask('c');
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['b', 300],
      ['c', 600],
    ]);
  });

  it('does not believe nonsense', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    pacer.learn({ limit: Number.NaN, remaining: Number.NaN, resetAfter: Number.NaN });
    pacer.learn({ limit: 0, remaining: 4, resetAfter: 0 });
    ask('a');
    ask('b');
    await clock.advance(10_000);
    expect(given).toEqual([
      ['a', 0],
      ['b', 1_000],
    ]);
  });

  it('pauses everyone, urgent ones too, and never for less than was said', async () => {
    const pacer = new Pacer(clock, rate);
    const { given, ask } = asking(pacer);
    pacer.pause(2_000);
    pacer.pause(500);
    ask('a');
    ask('first words', true);
    await clock.advance(10_000);
    expect(given).toEqual([
      ['first words', 2_000],
      ['a', 3_000],
    ]);
  });

  it.each([-3_600_000, 3_600_000])('keeps its pace when the clock is set by %i ms', async (step) => {
    const pacer = new Pacer(clock, rate);
    const given: string[] = [];
    const ask = (name: string) => void pacer.slot().then(() => given.push(name));
    pacer.pause(500);
    for (const name of ['a', 'b', 'c']) ask(name);
    await clock.advance(600);
    clock.step(step);
    await clock.advance(899);
    expect(given).toEqual(['a']);
    await clock.advance(1_001);
    expect(given).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [{ limit: 0, window: 1_000 }, 'limit is 0; allowed: 1 or more'],
    [{ limit: 1, window: 0 }, 'window is 0; allowed: more than 0 ms'],
  ])('refuses %o', (wrong, message) => {
    expect(() => new Pacer(clock, wrong)).toThrow(new RangeError(message));
  });
});

describe('Pacers', () => {
  it('share a bucket among all who ask for its key, and keep buckets apart', async () => {
    const pacers = new Pacers(clock, { limit: 1, window: 1_000 });
    const one = asking(pacers.for('one'));
    const same = asking(pacers.for('one'));
    const other = asking(pacers.for('other'));
    one.ask('a');
    same.ask('b');
    other.ask('c');
    await clock.advance(5_000);
    expect([one.given, same.given, other.given]).toEqual([[['a', 0]], [['b', 1_000]], [['c', 0]]]);
  });

  it.each([-3_600_000, 3_600_000])(
    'tell how long a bucket is used up, the clock set by %i ms',
    async (step) => {
      const pacers = new Pacers(clock, { limit: 2, window: 10_000 });
      for (let taken = 0; taken < 2; taken++) await pacers.for('a').slot({ urgency: 'first' });
      clock.step(step);
      expect(pacers.delayOf('a')).toBe(10_000);
      await clock.advance(4_000);
      expect(pacers.delayOf('a')).toBe(6_000);
      expect(pacers.delayOf('b')).toBe(0);
    },
  );

  it('forget a bucket when its window has passed and nobody waits', async () => {
    const pacers = new Pacers(clock, rate);
    for (let channel = 0; channel < 1_000; channel++) await pacers.for(`channel ${channel}`).slot();
    expect(pacers.size).toBe(1_000);
    await clock.advance(2 * rate.window);
    expect(pacers.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('do not forget a bucket in use, a pause or what the platform has said', async () => {
    const pacers = new Pacers(clock, rate);
    pacers.for('paused').pause(60_000);
    pacers.for('used up').learn({ limit: 5, remaining: 0, resetAfter: 60_000 });
    const { given, ask } = asking(pacers.for('paused'));
    await clock.advance(30_000);
    expect(pacers.size).toBe(2);
    ask('a');
    await clock.advance(60_000);
    expect(given).toEqual([['a', 60_000]]);
    expect(pacers.size).toBe(0);
  });

  it('serve whoever kept the pacing of a forgotten bucket, in one bucket with the others', async () => {
    const pacers = new Pacers(clock, { limit: 1, window: 1_000 });
    const kept = pacers.for('one');
    await kept.slot();
    await clock.advance(10_000);
    start = clock.now();
    const early = asking(kept);
    const late = asking(pacers.for('one'));
    early.ask('a');
    late.ask('b');
    await clock.advance(5_000);
    expect([early.given, late.given]).toEqual([[['a', 0]], [['b', 1_000]]]);
  });
});
