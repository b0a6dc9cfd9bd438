import { beforeEach, describe, expect, it } from 'vitest';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
const bob = personCalled('bob');
const minute = 60_000;

beforeEach(async () => {
  stage = await Stage.open({ settings: { budgets: { user: 0.1, channel: 0, workspace: 0, total: 0 } } });
});

const ask = (requester = ann, address = here) => stage.give('ask', { prompt: 'x' }, requester, address);
it.each([
  ['imagine', { prompt: 'x', count: '9' }, 'Nothing was sent and nothing was spent.', '也没有扣除积分。'],
  ['settings', { cooldown: 'long' }, 'Nothing was changed.', '没有任何更改。'],
  ['me', { private: 'maybe' }, 'Nothing was changed.', '没有任何更改。'],
  ['usage', { period: 'year' }, 'Allowed: today, week, month.', '允许：today、week、month。'],
] as const)('a wrong option of /%s says only what could have happened', async (command, options, en, zh) => {
  for (const [requester, end] of [
    [admin, en],
    [{ ...admin, locale: 'zh-CN' }, zh],
  ] as const) {
    const given = await stage.give(command, options, requester);
    const text = given.kind === 'refused' ? given.text : stage.text;
    expect(text.slice(-end.length)).toBe(end);
  }
});

describe.each([
  ['what is off', { off: 'ask' }, 'rules'],
  ['what is kept to others', { users_ask: 'carl2' }, 'rules'],
  ['a budget', undefined, 'budget'],
] as const)('a refusal for %s', (_, settings, reason) => {
  const first = { kind: 'refused', text: expect.any(String), reason };
  const repeated = { ...first, repeated: true };

  beforeEach(async () => {
    if (settings) await stage.give('settings', settings, admin);
  });

  it('is marked as repeated for the same person in the same place, for some minutes', async () => {
    expect(await ask()).toEqual(first);
    expect(await ask()).toEqual(repeated);
    expect(await ask(bob)).toEqual(first);
    const thread = { ...here, thread: 't' };
    expect(await ask(ann, thread)).toEqual(first);
    expect(await ask(ann, thread)).toEqual(repeated);
    await stage.clock.advance(5 * minute + 1);
    expect(await ask()).toEqual(first);
  });
});
