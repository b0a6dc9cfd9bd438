import { describe, expect, it } from 'vitest';
import { conversationOf } from '../../src/app/job-context.ts';
import { type Address, conversationKey, type Person } from '../../src/port/index.ts';

const channel: Address = { platform: 'slack', workspace: 'T1', channel: 'C1' };
const thread: Address = { ...channel, thread: '17.1' };
const ada = { id: 'U/1@?' };
const bob = { id: 'U2' };

type Mode = 'channel' | 'thread' | 'person';

function keyOf(mode: Mode, address: Address, requester: Pick<Person, 'id' | 'direct'>, options = {}): string {
  return conversationOf({ address, requester, options, settings: { values: { conversation: mode } } });
}

describe('conversationOf', () => {
  it.each(['channel', 'thread'] as const)('with %s: everyone there shares what was always theirs', (mode) => {
    expect(keyOf(mode, channel, ada)).toBe(conversationKey(channel));
    expect(keyOf(mode, thread, bob)).toBe(conversationKey(thread));
  });

  it('with person: each has their own in a channel; a thread and direct messages have one', () => {
    const keys = [keyOf('person', channel, ada), keyOf('person', channel, bob), conversationKey(channel)];
    expect(new Set(keys).size).toBe(3);
    expect(keyOf('person', thread, ada)).toBe(conversationKey(thread));
    expect(keyOf('person', channel, { ...ada, direct: true })).toBe(conversationKey(channel));
  });

  it.each(['channel', 'thread', 'person'] as const)('with %s: what is private is nobody else’s', (mode) => {
    const hidden = { private: true };
    const keys = [channel, thread].flatMap((address) => [
      keyOf(mode, address, ada, hidden),
      keyOf(mode, address, bob, hidden),
      keyOf(mode, address, ada),
      keyOf(mode, address, { ...ada, direct: true }, hidden),
    ]);
    expect(keys[0]).toBe(keys[3]);
    expect(keys[4]).toBe(keys[7]);
    expect(new Set(keys).size).toBe(6);
    expect(keyOf(mode, channel, ada, { private: false })).toBe(keyOf(mode, channel, ada));
  });
});
