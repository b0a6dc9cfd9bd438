import Keyv from 'keyv';
import { beforeEach, describe, expect, it } from 'vitest';
import { Operators } from '../../../src/app/policy/operators.ts';
import type { Operator } from '../../../src/port/index.ts';
import { here } from '../../commands/support/stage.ts';
import { FakeClock } from '../../fakes/clock.ts';

const owner = (platform: Operator['platform'], person: string): Operator => ({
  platform,
  workspace: '',
  person,
});
const ann = owner('console', 'ann');

let clock: FakeClock;
let operators: Operators;
/** What a platform answers; an error where it can't be asked. */
let answer: readonly Operator[] | Error;
let asked: number;

beforeEach(() => {
  clock = new FakeClock();
  asked = 0;
  answer = [ann];
  operators = new Operators({ chosen: [], notes: new Keyv(), clock });
  operators.add('console', async () => {
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  });
});

describe('those whom a platform names', () => {
  it('are asked for once an hour, and known without asking from then on', async () => {
    expect(operators.includes({ id: 'ann' }, here)).toBe(false);
    expect(await operators.on('console')).toEqual([ann]);
    await clock.advance(3_599_999);
    expect(await Promise.all(operators.groups())).toEqual([[ann]]);
    expect(asked).toBe(1);
    answer = [owner('console', 'bob')];
    await clock.advance(1);
    expect(await operators.on('console')).toEqual(answer);
    expect([operators.includes({ id: 'ann' }, here), operators.includes({ id: 'bob' }, here)]).toEqual([
      false,
      true,
    ]);
  });

  it('are those of the latest answer while the platform is away, which is asked once a minute then', async () => {
    await operators.on('console');
    answer = new Error('away');
    await clock.advance(3_600_000);
    for (let times = 0; times < 3; times++) expect(await operators.on('console')).toEqual([ann]);
    expect(asked).toBe(2);
    expect(operators.includes({ id: 'ann' }, here)).toBe(true);
    answer = [];
    await clock.advance(60_000);
    expect(await operators.on('console')).toEqual([]);
  });

  it('are unknown where the platform never answered, which is asked every time', async () => {
    answer = new Error('away');
    for (let times = 0; times < 2; times++) await expect(operators.on('console')).rejects.toThrow('away');
    answer = [ann];
    expect(await operators.on('console')).toEqual([ann]);
  });

  it('are known of one platform whatever becomes of another', async () => {
    operators.add('discord', async () => {
      throw new Error('away');
    });
    expect(await operators.on('console')).toEqual([ann]);
    const [first, second] = await Promise.allSettled(operators.groups());
    expect([first, second]).toMatchObject([{ value: [ann] }, { status: 'rejected' }]);
  });
});

describe('those whom OPERATORS names', () => {
  it('are the only ones, each on their own platform', async () => {
    const chosen = [owner('console', 'ops'), owner('slack', 'ops2')];
    operators = new Operators({ chosen, notes: new Keyv(), clock });
    operators.add('console', async () => [ann]);
    expect(await Promise.all(operators.groups())).toEqual([chosen]);
    expect(await operators.on('console')).toEqual([chosen[0]]);
    expect(await operators.on('discord')).toEqual([]);
    expect([operators.includes({ id: 'ops' }, here), operators.includes({ id: 'ann' }, here)]).toEqual([
      true,
      false,
    ]);
  });
});
