import { beforeEach, describe, expect, it } from 'vitest';
import { ann, personCalled, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

/** Reads what's posted here, and can't write. */
const bob = personCalled('bob', { readsOnly: true });
const seen = () => stage.standing.map(({ seenBy }) => seenBy);

describe('somebody who may only read a place', () => {
  it.each([
    ['Reply', { prompt: 'And the sea?' }],
    ['Draw it', { prompt: 'tides' }],
    ['Listen', undefined],
  ])('gets what *%s* makes alone, and can’t share it there', async (label, values) => {
    await stage.give('ask', { prompt: 'Explain tides' });
    const before = stage.standing.length;
    expect(await stage.press(label, bob, values)).toMatchObject({ kind: 'accepted', seenBy: 'requester' });
    await stage.rendersEnded();
    expect(seen().slice(before)).not.toContain('channel');
    expect(stage.standing.length).toBeGreaterThan(before);
    expect(await stage.press('Share here', bob)).toMatchObject({
      kind: 'refused',
      text: 'You can’t send messages here, so I can’t post this for you. Nothing was spent.',
    });
  });

  it.each([
    ['imagine', { prompt: 'a kite' }, 'Again'],
    ['ask', { prompt: 'Explain tides' }, 'Regenerate'],
  ])('changes no message by a new version: %s', async (command, options, label) => {
    await stage.make(command, options);
    const [shown] = stage.standing;
    const before = shown?.message;
    await stage.press(label, { ...ann, readsOnly: true });
    await stage.rendersEnded();
    expect(shown?.message).toEqual(before);
    expect(seen().slice(1)).not.toContain('channel');
    expect(stage.standing.length).toBeGreaterThan(1);
  });

  it('is told so where a command is for everybody', async () => {
    expect(await stage.give('reset', {}, bob)).toMatchObject({ kind: 'refused' });
  });
});
