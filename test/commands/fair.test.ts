import { expect, it } from 'vitest';
import type { Address } from '../../src/port/index.ts';
import { ann, here, personCalled, Stage } from './support/stage.ts';

/** A server of Ann's own, with as many channels as she likes. */
const hers = (index: number): Address => ({
  platform: 'console',
  workspace: 'hers',
  channel: `hers ${index}`,
});

it('one person’s images in forty channels of her own don’t hold up another’s one', async () => {
  const stage = await Stage.open();
  const shownIn = ({ channel }: Address) =>
    stage.standing.some(({ address, message }) => address.channel === channel && message.files?.length);
  const places = Array.from({ length: 40 }, (_, index) => hers(index));
  const all = places.map((place, index) => stage.give('imagine', { prompt: `${index}` }, ann, place));
  await stage.until(() => places.filter(shownIn).length >= 20);
  const since = stage.clock.now();
  const his = stage.give('imagine', { prompt: 'one' }, personCalled('bob'), here);
  await stage.until(() => shownIn(here));
  expect(stage.clock.now() - since).toBeLessThan(15_000);
  await Promise.all([his, ...all]);
});
