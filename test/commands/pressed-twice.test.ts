import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlatformError, type PreparedRequest } from '../../src/port/index.ts';
import { ann, personCalled, Stage, type Standing } from './support/stage.ts';

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
const bob = personCalled('bob');

/** The newest message with this button, and how it's pressed. */
function buttonOf(label: string): { on: Standing; press: (who?: typeof ann) => Promise<PreparedRequest> } {
  const has = (button: { label: string }) => button.label === label;
  const on = stage.standing.findLast(({ message }) => message.buttons?.some(has));
  const id = on?.message.buttons?.find(has)?.id;
  if (!on || id === undefined) throw new Error(`no button ${label}`);
  return { on, press: (who = ann) => stage.pressId(id, on, who) };
}

const toldAlone = () =>
  stage.standing.filter(({ message, seenBy }) => seenBy === 'requester' && message.text === onItsWay.text);

describe('the same press, while what it gave is under way', () => {
  it('makes no second video, however quickly it comes; others get their own, and so does a later press', async () => {
    await stage.give('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    await stage.rendersEnded();
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
    await stage.give('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    await stage.rendersEnded();
    const { press } = buttonOf('Same seed again');
    await press();
    expect(stage.bot.renders.outstanding).toBe(1);
    const standing = stage.standing.length;
    expect(await press()).toMatchObject(onItsWay);
    expect(stage.standing).toHaveLength(standing);
  });

  it('is to be fetched once its video waits for its requester, and buys another one after that', async () => {
    stage = await Stage.open({ sandbox: { renderTime: 20 } });
    const states = async () =>
      (await stage.database.selectFrom('renders').select('state').execute()).map(({ state }) => state);
    await stage.give('video', { prompt: 'a cat surfing', resolution: '480p', duration: 4 });
    await stage.rendersEnded();
    const { press } = buttonOf('Same seed again');
    const before = stage.standing.length;
    await press();
    await stage.until(async () => (await states()).includes('waiting'));
    // Its announcement is deleted, and its requester takes no direct messages.
    const messages = stage.standing.slice(before).map(({ id }) => id);
    await stage.bot.dispatcher.deleted({ platform: 'console', messages, events: [] });
    stage.refuses = () => new PlatformError('no-permission');
    await stage.until(async () => (await states()).includes('ready'));
    await stage.clock.advance(60_000);
    stage.refuses = () => undefined;
    const bought = (await stage.ledger()).length;
    expect(await press()).toMatchObject(isReady);
    await stage.give('renders');
    await stage.press('Show 1');
    expect(await states()).toEqual(['delivered', 'delivered']);
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
    const given = stage.give('ask', { prompt: 'Write 2000 characters about green [[stall]]' });
    await stage.until(() => (stage.standing[0]?.message.text?.length ?? 0) > 30);
    await stage.press('Stop');
    await given;
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
