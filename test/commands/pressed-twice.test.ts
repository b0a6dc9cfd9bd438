import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformError } from '../../src/port/index.ts';
import { bob, deletionsOn } from './support/deletions.ts';
import { ann, Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => void vi.restoreAllMocks());

const onItsWay = { kind: 'refused', text: 'That’s already on its way. Nothing more was spent.' };
const isReady = {
  kind: 'refused',
  text: 'That’s ready already: fetch it with `/renders`. Nothing more was spent.',
};
const { deletes, stopped } = deletionsOn(() => stage);

/** The newest message with this button, and how it's pressed. */
function buttonOf(label: string) {
  const on = stage.standing.findLast(({ message }) => message.buttons?.some((one) => one.label === label))!;
  const id = stage.buttonId(label, on);
  return { press: (who = ann) => stage.pressId(id, on, who) };
}

const toldAlone = () =>
  stage.standing.filter(({ message, seenBy }) => seenBy === 'requester' && message.text === onItsWay.text);

describe('the same press, while what it gave is under way', () => {
  it('makes no second video, however quickly it comes; others get their own, and so does a later press', async () => {
    await stage.make('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    const { press } = buttonOf('Same seed again');
    const bought = async () => (await stage.ledger()).length;
    const kinds = (await Promise.all([press(), press()])).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'refused').length + toldAlone().length).toBe(1);
    expect(await bought()).toBe(2);
    expect(await press(bob)).toMatchObject({ kind: 'accepted' });
    expect(await bought()).toBe(3);
    await stage.rendersEnded();
    await press();
    expect(await bought()).toBe(4);
  });

  it('is refused before anything is shown, as long as a video isn’t posted', async () => {
    await stage.make('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    const { press } = buttonOf('Same seed again');
    await press();
    expect(await stage.rendersUnderWay()).toBe(1);
    const standing = stage.standing.length;
    expect(await press()).toMatchObject(onItsWay);
    expect(stage.standing).toHaveLength(standing);
  });

  it('is to be fetched once its video waits for its requester, and buys another one after that', async () => {
    stage = await Stage.open({ sandbox: { renderTime: 20 } });
    await stage.make('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    const { press } = buttonOf('Same seed again');
    const before = stage.standing.length;
    await press();
    await stage.until(async () => (await stage.renderStates()).includes('waiting'));
    // Its announcement is deleted, and its requester takes no direct messages.
    await deletes(stage.standing.slice(before).map(({ id }) => id));
    stage.refuses = () => new PlatformError('no-permission');
    await stage.until(async () => (await stage.renderStates()).includes('ready'));
    await stage.clock.advance(60_000);
    stage.refuses = () => undefined;
    const bought = (await stage.ledger()).length;
    expect(await press()).toMatchObject(isReady);
    await stage.give('renders');
    await stage.press('Show 1');
    expect(await stage.renderStates()).toEqual(['delivered', 'delivered']);
    expect(await press()).toMatchObject({ kind: 'accepted' });
    expect((await stage.ledger()).length).toBe(bought + 1);
  });

  it.each([
    ['Regenerate', false],
    ['Listen', false],
    ['Regenerate', true],
  ])(
    'is to be fetched once what %s gave waits for its requester, and buys another one after that (restarted: %s)',
    async (label, isRestarted) => {
      stage = await Stage.open({ crashes: true });
      await stage.give('ask', { prompt: 'Tides', private: 'true' });
      const { press } = buttonOf(label);
      const bought = async () => (await stage.ledger()).length;
      stage.refuses = () => new PlatformError('no-permission');
      await press();
      await stage.deliveriesEnded();
      if (isRestarted) await stage.crash();
      await stage.deliveriesEnded();
      stage.refuses = () => undefined;
      // What's read once isn't read again within two minutes.
      const later = () => stage.clock.advance(150_000);
      await later();
      expect(await bought()).toBe(2);
      expect(await press()).toMatchObject(isReady);
      expect(await bought()).toBe(2);
      await stage.give('renders');
      await stage.press('Show 1');
      await later();
      expect(await press()).toMatchObject({ kind: 'accepted' });
      await stage.deliveriesEnded();
      expect(await bought()).toBe(3);
    },
  );

  it('writes one continuation, and another one once that has ended', async () => {
    await stopped();
    const sent = vi.spyOn(stage.service.chat, 'stream');
    const { press } = buttonOf('Continue');
    await Promise.all([press(), press()]);
    expect(sent).toHaveBeenCalledTimes(1);
    await press();
    expect(sent).toHaveBeenCalledTimes(2);
  });

  it('tries once again; where that fails, it can be tried again at once', async () => {
    const sent = vi.spyOn(stage.service.chat, 'stream').mockImplementationOnce(() => {
      throw new Error('broken');
    });
    await stage.give('ask', { prompt: 'Say something about tides' });
    const { press } = buttonOf('Try again');
    sent.mockImplementationOnce(() => {
      throw new Error('broken again');
    });
    await press();
    await Promise.all([press(), press()]);
    expect(sent).toHaveBeenCalledTimes(3);
  });
});

it('a press asks for its price anew, and only the newest question can be answered', async () => {
  stage = await Stage.open({ settings: { confirmOver: 10 } });
  await stage.give('imagine', { prompt: 'a lighthouse' });
  await stage.press('Yes, go ahead');
  await stage.rendersEnded();
  const { press } = buttonOf('Again');
  await press();
  const former = buttonOf('Yes, go ahead');
  await press();
  await stage.bot.endUnanswered();
  expect(stage.ended.filter((one) => one === 'imagine unanswered')).toHaveLength(1);
  expect(await former.press()).toMatchObject({ kind: 'refused' });
  await stage.press('Yes, go ahead');
  expect(await press()).toMatchObject(onItsWay);
  await stage.rendersEnded();
  expect((await stage.meter()).credits).toBe(44);
});
