import { beforeEach, describe, expect, it } from 'vitest';
import { messageSource } from '../../src/conversation/index.ts';
import type { AnyValues } from '../../src/port/index.ts';
import { bob, deletionsOn, jobOf } from './support/deletions.ts';
import { ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const { deletes, readable, directly, canBeDeleted, deletesQuestions, untilRendering } = deletionsOn(
  () => stage,
);
const ofTheirs = { made_of: [messageSource('console', 'theirs')] };
const gone = 'The result is no longer available.';
const give = (command: string, options: Record<string, string>, made: AnyValues = ofTheirs) =>
  stage.give(command, options, bob, here, made);

describe('what’s made of a message that its author deletes', () => {
  it.each([
    ['for its requester alone', 'is being made', 'Hi [[slow 5]]', 1],
    ['not spoken', 'waits for its turn', 'Hi [[rate limit 40 once]]', 0],
  ] as const)('is %s if the clip %s', async (_, __, text, clips) => {
    const speaking = give('speak', { text });
    await stage.until(async () => {
      const [clip] = await stage.ledger();
      return clips > 0 ? Boolean(clip?.sent_at) : clip !== undefined;
    });
    await deletes(['theirs']);
    await speaking;
    await stage.deliveriesEnded();
    expect(readable().filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
    expect(directly(bob).flatMap(({ message }) => message.files ?? [])).toHaveLength(clips);
    if (clips > 0) await canBeDeleted(directly(bob), bob);
    else expect(stage.text).toContain(gone);
    expect(await stage.ledgerStates()).toEqual([clips > 0 ? 'spent' : 'failed']);
  });

  it.each(['imagine', 'video'])(
    'is made by /%s for its requester alone if that’s under way',
    async (command) => {
      await stage.control({ render_time: 20 });
      await give(command, { prompt: 'x' });
      await untilRendering();
      await deletes(['theirs']);
      await stage.rendersEnded();
      expect(readable().filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
      await canBeDeleted(directly(bob), bob);
    },
  );

  it.each([
    ['speak', { text: 'Hi' }],
    ['imagine', { prompt: 'x' }],
    ['video', { prompt: 'x' }],
  ])('isn’t made by /%s if its deletion came first, and nothing is spent', async (command, options) => {
    await deletes(['theirs']);
    await give(command, options);
    expect(stage.text).toContain(gone);
    expect(await stage.ledgerStates()).not.toContain('spent');
  });

  it('isn’t made again a month later', async () => {
    await give('imagine', { prompt: 'x' });
    await stage.rendersEnded();
    await deletes(['theirs'], { recent: [] });
    await stage.clock.advance(31 * 86_400_000);
    await stage.press('Again', ann);
    expect(stage.text).toContain(gone);
    expect(await stage.ledgerStates()).toEqual(['spent']);
  });
});

it('an image isn’t made of one that’s deleted, by an earlier version’s value either', async () => {
  await stage.make('imagine', { prompt: 'x' });
  const job = jobOf(stage.latest);
  await stage.press('Delete');
  for (const made of [{ image_of: job }, { made_of: [job] }]) {
    await give('imagine', { prompt: 'y' }, made);
    expect(stage.text).toContain(gone);
  }
  expect(await stage.ledgerStates()).toEqual(['spent']);
});

it('an image whose question was deleted, and then the image itself, is nobody’s to use any more', async () => {
  await stage.make('imagine', { prompt: 'x' });
  const [job, image] = [jobOf(stage.latest), stage.latest.id];
  await deletesQuestions(1);
  await deletes([image]);
  await stage.give('imagine', { prompt: 'y', private: true }, bob, here, { made_of: [job] });
  expect(stage.text).toContain(gone);
  expect(await stage.ledgerStates()).toEqual(['spent']);
});

it('nobody can type what a command is made from', async () => {
  const typed = await stage.give('speak', { text: 'Hi', made_of: 'console:theirs' });
  expect(typed).toMatchObject({ kind: 'refused', faults: [{ option: 'made_of', code: 'unknown-option' }] });
});
