import { beforeEach, describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  CreditError,
  KeyHealth,
  type KeyTrouble,
  type Operation,
  PermissionError,
  ServerError,
} from '../../src/service/index.ts';
import { FakeClock } from '../fakes/clock.ts';

const facts = (operation: Operation) => ({ operation, outcome: 'rejected', retryable: false }) as const;
const refusal = new AuthenticationError('401', facts('chat'));
const unpaid = new CreditError('402', facts('video'));

let clock: FakeClock;
let key: KeyHealth;
let told: (KeyTrouble['kind'] | undefined)[];

beforeEach(() => {
  clock = new FakeClock();
  key = new KeyHealth(clock);
  told = [];
  key.onChange = (trouble) => void told.push(trouble?.kind);
});

describe('the health of a key', () => {
  it('is good until an answer says otherwise, and other failures say nothing', () => {
    key.failed('chat', new ServerError('500', facts('chat')));
    key.failed('image', new PermissionError('403', facts('image')));
    key.failed('chat', new Error('a fault of ours'));
    expect(key.trouble).toBeUndefined();
    expect(key.blocks('image')).toBe(false);
    expect(told).toEqual([]);
  });

  it('is told once, stays until a call is answered, and blocks everything paid meanwhile', async () => {
    const since = clock.now();
    key.failed('chat', refusal);
    await clock.advance(3_600_000);
    key.failed('voices', refusal);
    expect(key.trouble).toEqual({ kind: 'refused', since });
    expect(key.blocks('video')).toBe(true);
    key.succeeded(false);
    expect(key.trouble).toBeUndefined();
    expect(key.blocks('video')).toBe(false);
    expect(told).toEqual(['refused', undefined]);
  });

  it('takes a key that may not list voices for refused', () => {
    key.failed('voices', new PermissionError('403', facts('voices')));
    expect(key.trouble?.kind).toBe('refused');
  });

  it('blocks for a while what could not be paid, and nothing else', async () => {
    key.failed('video', unpaid);
    expect(key.trouble?.kind).toBe('empty');
    expect([key.blocks('video'), key.blocks('chat')]).toEqual([true, false]);
    await clock.advance(120_000);
    expect(key.blocks('video')).toBe(false);
  });

  it('is mended by whatever is paid, not by what is free', () => {
    key.failed('video', unpaid);
    key.succeeded(false);
    expect(key.trouble?.kind).toBe('empty');
    key.succeeded(true);
    expect(key.trouble).toBeUndefined();
    expect(told).toEqual(['empty', undefined]);
  });

  it('stops calling an account empty that nobody has tried for a while', async () => {
    const since = clock.now();
    key.failed('video', unpaid);
    await clock.advance(200_000);
    key.failed('image', new CreditError('402', facts('image')));
    await clock.advance(200_000);
    expect(key.trouble).toEqual({ kind: 'empty', since });
    await clock.advance(100_000);
    expect(key.trouble).toBeUndefined();
    expect(told).toEqual(['empty']);
  });

  it('tells that an account can pay again however long ago it could not, once, and not for what is free', async () => {
    key.failed('video', unpaid);
    await clock.advance(3_600_000);
    key.succeeded(false);
    expect(told).toEqual(['empty']);
    key.succeeded(true);
    key.succeeded(true);
    expect(told).toEqual(['empty', undefined]);
    key.failed('video', unpaid);
    expect(told).toEqual(['empty', undefined, 'empty']);
  });
});
