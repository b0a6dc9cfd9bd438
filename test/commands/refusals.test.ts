import { beforeEach, describe, expect, it } from 'vitest';
import { admin, ann, here, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
const bob = personCalled('bob');
const minute = 60_000;

beforeEach(async () => {
  stage = await Stage.open({ settings: { budgets: { user: 0.1, channel: 0, workspace: 0, total: 0 } } });
});

const ask = (requester = ann, address = here) => stage.give('ask', { prompt: 'x' }, requester, address);
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
