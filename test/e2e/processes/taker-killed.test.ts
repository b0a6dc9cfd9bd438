import { afterEach, describe, expect, it } from 'vitest';
import { Bots } from './support/bots.ts';

describe('several processes of a bot', () => {
  let bots: Bots | undefined;

  afterEach(async () => {
    await bots?.close();
    bots = undefined;
  });

  it('go on when the process that had just taken over is killed, too', async () => {
    bots = await Bots.start({ count: 3, platforms: ['slack'], making: 4_000, noticeSoon: true });
    const place = bots.place('slack');
    const film = { command: 'video' as const, prompt: 'a film that takes long' };
    const question = { command: 'ask' as const, prompt: 'tell me a story of 200 words' };
    place.give(film);
    const { query } = bots;
    const made = () => query.call(bots, `select 1 from renders where state = 'waiting'`);
    await bots.until('the film is ordered', async () => (await made()).length === 1);
    place.give(question);
    const running = `select process from jobs where state = 'running' and command = 'ask'`;
    const inHand = async () => (await query.call(bots, running)) as { process: string }[];
    await bots.until('it is answered', async () => (await inHand()).length === 1);
    const first = await bots.holder(running);
    await bots.kill(first);
    // It can't tell anybody before it has read what the first one wrote.
    await bots.locked('live_answers', async () => {
      await bots?.until('another has it', async () =>
        (await inHand()).some(({ process }) => process !== first.process),
      );
      await bots?.kill(await bots.holder(running));
    });
    expect(bots.living).toHaveLength(1);
    await bots.until('everything is over', async () => (await bots?.isQuiet()) ?? true);
    expect(place.fate(question).told).toBe(1);
    expect(place.fate(film)).toMatchObject({ delivered: 1, told: 0, uncertain: 0 });
    expect(bots.service.made.get(film.prompt)).toBe(1);
  });
});
