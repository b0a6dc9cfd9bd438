import { describe, expect, it } from 'vitest';
import { ratesPerMinute } from '../../../src/service-rules/limits.ts';
import { Deadline } from '../../../src/service/http/transport.ts';
import { MemoryRateWindows, RateGate } from '../../../src/service/rate-gate/rate-gate.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { isLong } from '../../long-form.ts';

const minute = 60_000;

/** The chat turnstile of a key, and how long each of its callers has waited. */
class Key {
  readonly clock = new FakeClock();
  readonly waits = new Map<string, number[]>();
  readonly #closed = new AbortController().signal;
  readonly #turnstile: RateGate;

  constructor() {
    const { clock } = this;
    const windows = new MemoryRateWindows(clock);
    const limit = ratesPerMinute.chat;
    this.#turnstile = new RateGate({ group: 'chat', windows, clock, log: () => {}, limit, room: 600 });
  }

  /** Wants through at once; waits are counted by person where there is one. */
  enter(key: string, person?: string): void {
    const since = this.clock.now();
    const channel = person ?? key;
    const turn = { operation: 'chat', key, person, priority: 'interactive', again: false } as const;
    const deadline = new Deadline(this.clock, { cancelled: undefined, closed: this.#closed });
    const through = () => {
      const waits = this.waits.get(channel) ?? [];
      waits.push(this.clock.now() - since);
      this.waits.set(channel, waits);
    };
    // Whoever is turned away because the line is full has no wait to be counted.
    void this.#turnstile
      .enter(turn, deadline)
      .then(through, () => {})
      .finally(() => deadline.dispose());
  }

  /** Wants through so often a minute, in uneven steps that are always the same. */
  keepEntering(channel: string, perMinute: number, seed: number, until: number): void {
    const spacing = minute / perMinute;
    let state = seed;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return spacing * (0.5 + state / 2_147_483_647);
    };
    const enter = () => {
      if (this.clock.now() >= until) return;
      this.enter(channel);
      this.clock.after(next(), enter);
    };
    this.clock.after(next(), enter);
  }

  passed(channel: string): number {
    return this.waits.get(channel)?.length ?? 0;
  }
}

/** The 95th percentile of what 20 quiet channels wait in a quarter of an hour, in milliseconds. */
async function quietWait({ perMinute, noisy }: { perMinute: number; noisy: boolean }): Promise<number> {
  const key = new Key();
  const until = key.clock.now() + 15 * minute;
  for (let index = 0; index < 20; index++)
    key.keepEntering(`quiet${index}`, perMinute / 20, 1 + index, until);
  if (noisy) key.keepEntering('noisy', 300, 99, until);
  await key.clock.advance(60 * minute);
  const waits = [...key.waits].filter(([channel]) => channel !== 'noisy').flatMap(([, each]) => each);
  expect(waits.length).toBeGreaterThan(perMinute * 14);
  return waits.toSorted((one, other) => one - other)[Math.floor(waits.length * 0.95)] ?? 0;
}

describe('twenty quiet channels beside a noisy one that wants 300 requests a minute', () => {
  it.each(isLong ? [40, 60, 80] : [80])(
    'wait less than one turn of it while they want %i of the 120 together',
    async (perMinute) => {
      expect(await quietWait({ perMinute, noisy: false })).toBe(0);
      expect(await quietWait({ perMinute, noisy: true })).toBeLessThan(minute / ratesPerMinute.chat);
    },
  );

  it.each(isLong ? [125, 135, 150] : [125])(
    'wait at most twice as long where they alone want %i of the 120',
    async (perMinute) => {
      const alone = await quietWait({ perMinute, noisy: false });
      const beside = await quietWait({ perMinute, noisy: true });
      expect(alone).toBeGreaterThan(5_000);
      expect(beside).toBeLessThanOrEqual(alone * 2);
    },
  );
});

describe('a busy channel', () => {
  it('leaves room for whoever comes, though nobody was there before', async () => {
    const key = new Key();
    for (let count = 0; count < 500; count++) key.enter('busy');
    await key.clock.advance(1_000);
    expect(key.passed('busy')).toBe(90);
    for (let count = 0; count < 30; count++) key.enter(`new${count}`);
    await key.clock.advance(1);
    expect([...key.waits.keys()]).toHaveLength(31);
  });

  it('is served at its pace all the same, and in order', async () => {
    const key = new Key();
    for (let count = 0; count < 200; count++) key.enter('busy');
    await key.clock.advance(3 * minute);
    expect(key.passed('busy')).toBe(200);
    const waits = key.waits.get('busy') ?? [];
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
  });

  it('takes what the others leave where they are fewer', async () => {
    const key = new Key();
    const until = key.clock.now() + 6 * minute;
    key.keepEntering('busy', 300, 7, until);
    key.keepEntering('other', 20, 8, until);
    await key.clock.advance(6 * minute);
    expect(key.passed('busy')).toBeGreaterThan(5 * 55);
    expect(Math.max(...(key.waits.get('other') ?? []))).toBeLessThan(1_000);
  });

  it('shares evenly with others as busy', async () => {
    const key = new Key();
    const until = key.clock.now() + 10 * minute;
    const busy = ['a', 'b', 'c', 'd', 'e'];
    for (const [index, channel] of busy.entries()) key.keepEntering(channel, 60, 10 + index, until);
    await key.clock.advance(10 * minute);
    const passed = busy.map((channel) => key.passed(channel));
    expect(Math.min(...passed)).toBeGreaterThan(9 * 20);
    expect(Math.max(...passed) - Math.min(...passed)).toBeLessThan(20);
  });
});

describe('somebody who speaks in a hundred and thirty channels at once', () => {
  const hers = Array.from({ length: 130 }, (_, index) => `hers ${index}`);
  const flood = (key: Key, person: string) => hers.forEach((channel) => key.enter(channel, person));

  it('has no more than one channel has, and whoever comes is served at once', async () => {
    const key = new Key();
    flood(key, 'eve');
    await key.clock.advance(1_000);
    expect(key.passed('eve')).toBe(90);
    for (let count = 0; count < 5; count++) key.enter('b', 'bob');
    await key.clock.advance(1);
    expect(key.passed('bob')).toBe(5);
    await key.clock.advance(2 * minute);
    expect(key.passed('eve')).toBe(130);
  });

  it('has two shares with two accounts; somebody in one channel keeps one, and a crowd in another', async () => {
    const key = new Key();
    for (let round = 0; round < 5; round++) {
      flood(key, 'eve');
      flood(key, 'mallory');
      for (let count = 0; count < 10; count++) key.enter('b', 'bob');
      for (let count = 0; count < 40; count++) key.enter('crowded', `one of a crowd ${count}`);
      await key.clock.advance(minute);
    }
    const ofCrowd = [...key.waits.keys()].filter((person) => person.startsWith('one of'));
    const crowd = ofCrowd.reduce((sum, person) => sum + key.passed(person), 0);
    expect(key.passed('bob')).toBe(50);
    expect(Math.max(...(key.waits.get('bob') ?? []))).toBeLessThanOrEqual(2_000);
    expect(crowd).toBeGreaterThan(110);
    expect(Math.max(key.passed('eve'), key.passed('mallory'))).toBeLessThan(230);
  });
});
