import { describe, expect, it } from 'vitest';
import type { WireMessage } from '../../../../src/platforms/console/api/wire.ts';
import { ChannelMessages } from '../../../../src/platforms/console/page/channel-messages.ts';

function message(id: number, revision = id, more: Partial<WireMessage> = {}): WireMessage {
  return {
    id,
    revision,
    place: 'p',
    author: 'bot',
    at: id,
    body: [`r${revision}`],
    files: [],
    buttons: [],
    ...more,
  };
}

const ids = (held: ChannelMessages) => held.all.map(({ id }) => id);

describe('the messages that a page holds', () => {
  it('stand in the order of their ids, whenever they come', () => {
    const held = new ChannelMessages();
    held.addPage({ messages: [message(5), message(9)], more: true });
    expect(held.apply(message(7))).toBe(true);
    expect(held.apply(message(12))).toBe(true);
    held.addPage({ messages: [message(1), message(3)], more: false });
    expect(ids(held)).toEqual([1, 3, 5, 7, 9, 12]);
    expect(held.find(7)?.id).toBe(7);
    expect(held.find(8)).toBeUndefined();
  });

  it('never go back to an older state', () => {
    const held = new ChannelMessages();
    held.addPage({ messages: [message(1, 8)], more: false });
    expect(held.apply(message(1, 4))).toBe(false);
    expect(held.find(1)?.revision).toBe(8);
  });

  it('do not come back once they were removed', () => {
    const held = new ChannelMessages();
    expect(held.apply({ id: 2, place: 'p', revision: 9, gone: true })).toBe(false);
    held.addPage({ messages: [message(1), message(2)], more: false });
    expect(ids(held)).toEqual([1]);
    expect(held.apply({ id: 1, place: 'p', revision: 10, gone: true })).toBe(true);
    expect(ids(held)).toEqual([]);
  });

  it('have no gap: older messages are only added when loaded', () => {
    const held = new ChannelMessages();
    expect(held.apply(message(3))).toBe(false);
    held.addPage({ messages: [message(5), message(6)], more: true });
    expect(held.apply(message(2, 20))).toBe(false);
    held.keepNewest(1);
    expect([ids(held), held.more, held.oldest]).toEqual([[6], true, 6]);
  });

  it('grow while they are growing, and not after', () => {
    const held = new ChannelMessages();
    held.addPage({ messages: [message(1, 1, { isDraft: true })], more: false });
    const growth = { id: 1, place: 'p', body: ['more'], buttons: [] };
    expect(held.applyDraft(growth)).toBe(true);
    expect(held.find(1)?.body).toEqual(['more']);
    held.apply(message(1, 5));
    expect(held.applyDraft(growth)).toBe(false);
    expect(held.applyDraft({ ...growth, id: 99 })).toBe(false);
  });
});
