import { beforeEach, describe, expect, it } from 'vitest';
import { refuse } from '../fakes/database.ts';
import { bob, deletionsOn, moderator } from './support/deletions.ts';
import { admin, ann, here, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});

const { readable, directly, canBeDeleted, remembered, answered, drawnSlowly } = deletionsOn(() => stage);

describe('Delete', () => {
  it.each([
    ['ask', { prompt: 'Tides' }],
    ['speak', { text: 'Hello' }],
    ['imagine', { prompt: 'x' }],
    ['video', { prompt: 'x' }],
  ])('stands under what /%s made, for its requester and moderators', async (command, options) => {
    for (const who of [ann, moderator]) {
      await stage.make(command, options);
      const result = stage.latest;
      expect(stage.buttons).toContain('Delete');
      expect(await stage.press('Delete', bob)).toMatchObject({ kind: 'refused' });
      expect(stage.removed).not.toContain(result.id);
      await stage.press('Delete', who);
      expect(stage.removed).toContain(result.id);
      expect(await stage.press('Delete', who)).toMatchObject({ kind: 'accepted' });
    }
  });

  it('takes all messages of an answer, those a video has in its thread and its channel too', async () => {
    const before = stage.standing.length;
    await stage.make('video', { prompt: 'x' });
    const ofVideo = stage.standing.slice(before).map(({ id }) => id);
    expect(ofVideo.length).toBeGreaterThan(2);
    await stage.press('Delete');
    expect(stage.removed.toSorted()).toEqual(ofVideo.toSorted());
    // The one with the button goes after the others, and a thread's root after what stands in it.
    expect(stage.removed.slice(-2)).toEqual([ofVideo.at(-1), ofVideo[0]]);
  });

  it('takes the notice that an image is there', async () => {
    await drawnSlowly();
    await stage.press('Delete');
    expect(readable()).toEqual([]);
  });

  it.each([
    ['is being made', 'Hi [[slow 5]]', 1],
    ['waits for its turn', 'Hi [[rate limit 40 once]]', 0],
  ] as const)('keeps a clip of the answer that %s from its channel', async (_, answer, clips) => {
    await stage.control({ answers: [answer] });
    const own = await answered();
    const listening = stage.press('Listen', bob);
    await stage.until(async () => {
      const [, clip] = await stage.ledger();
      return clips > 0 ? Boolean(clip?.sent_at) : clip !== undefined;
    });
    await stage.pressOn(own, 'Delete', moderator);
    await listening;
    await stage.deliveriesEnded();
    expect(readable().filter(({ seenBy }) => seenBy === 'channel')).toEqual([]);
    expect(directly(bob).flatMap(({ message }) => message.files ?? [])).toHaveLength(clips);
    if (clips > 0) await canBeDeleted(directly(bob), bob);
    expect(await stage.ledgerStates()).toEqual(['spent', clips > 0 ? 'spent' : 'failed']);
  });

  it('takes the messages on record, whatever the press names', async () => {
    const other = await answered('Something else', bob);
    const own = await answered();
    await stage.pressOn({ ...own, id: other.id }, 'Delete');
    expect(stage.removed).toEqual([own.id]);
  });

  it('works after a restart and after a month', async () => {
    stage = await Stage.open({ crashes: true });
    const own = await answered();
    await stage.clock.advance(31 * 86_400_000);
    await stage.crash();
    await stage.press('Delete');
    expect(stage.removed).toEqual([own.id]);
  });

  it('forgets what was asked and answered, and what others quoted of it', async () => {
    await answered('The secret is 4711');
    const own = stage.latest;
    await stage.give('ask', { prompt: 'And?' }, bob, here, {
      context:
        '```quoted your own message, which this replies to\n' +
        `${own.message.text?.slice(0, 90)} […]\n` +
        '```',
    });
    await answered('Something else', bob);
    expect(await remembered()).toEqual([
      'The secret is 4711',
      expect.stringMatching(/^And\?\n```quoted your own message/),
      'Something else',
    ]);
    await stage.pressOn(own, 'Delete');
    expect(await remembered()).toEqual(['And?', 'Something else']);
  });

  it('takes an answer’s other buttons out of use', async () => {
    const own = await answered();
    await stage.press('Delete');
    for (const label of ['Reply', 'Regenerate', 'Listen', 'Draw it', '👍'])
      expect(await stage.pressOn(own, label)).toEqual({
        kind: 'refused',
        text: 'This was deleted. Run the command again if you still need it.',
      });
  });

  it('takes it once the platform can be reached again, after a restart too', async () => {
    stage = await Stage.open({ crashes: true });
    const [first, second] = [await answered(), await answered()];
    stage.keepsMessages = 'unreachable';
    await stage.pressOn(first, 'Delete');
    await stage.crash();
    await stage.pressOn(second, 'Delete');
    expect(stage.removed).toEqual([]);
    stage.keepsMessages = undefined;
    await stage.until(() => stage.removed.length === 2);
    expect(readable()).toEqual([]);
  });

  it.each([
    ['doesn’t take all of it away', false],
    ['is away, and then doesn’t take it away', true],
  ])('says so where the platform %s', async (_, isAwayFirst) => {
    await answered();
    const { length } = stage.standing;
    stage.keepsMessages = isAwayFirst ? 'unreachable' : 'no-permission';
    await stage.press('Delete', admin);
    expect(stage.standing).toHaveLength(isAwayFirst ? length : length + 1);
    stage.keepsMessages = 'no-permission';
    await stage.until(() => stage.standing.length > length);
    expect(stage.latest).toMatchObject({ seenBy: 'requester' });
    expect(stage.text).toBe('I couldn’t delete all of it. Try again, or ask a moderator to delete the rest.');
    stage.keepsMessages = undefined;
    await stage.press('Delete', admin);
    expect(stage.removed).toHaveLength(1);
  });

  it('takes it though the database doesn’t record that at once', async () => {
    await answered();
    const takesAgain = await refuse(stage.database, 'insert on removals');
    stage.keepsMessages = 'unreachable';
    await stage.press('Delete', admin);
    await takesAgain();
    stage.keepsMessages = undefined;
    await stage.until(() => stage.removed.length === 1);
  });
});
