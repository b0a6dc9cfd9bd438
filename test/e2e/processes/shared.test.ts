import { afterEach, describe, expect, it } from 'vitest';
import { imageCredits } from '../../../src/service-rules/prices.ts';
import type { SlackPlace } from '../../crash/slack-place.ts';
import { Bots } from './support/bots.ts';

describe('several processes of a bot', () => {
  let bots: Bots | undefined;

  afterEach(async () => {
    await bots?.close();
    bots = undefined;
  });

  it('answer each event once, whichever of them it reaches, and keep one budget together', async () => {
    bots = await Bots.start({
      count: 2,
      platforms: ['slack'],
      settings: { TOTAL_DAILY_CREDITS: String(4 * imageCredits + 10) },
    });
    const { slack } = bots.place('slack') as SlackPlace;
    // Every event comes over each of the four connections.
    const send = slack.sockets.send.bind(slack.sockets);
    slack.sockets.send = (...event) => {
      for (let count = 0; count < 3; count++) void send(...event);
      return send(...event);
    };
    const place = bots.place('slack');
    const wishes = Array.from({ length: 10 }, (_, index) => {
      const wish = { command: 'imagine' as const, prompt: `picture ${index}`, about: `person${index}` };
      place.give(wish);
      return wish;
    });
    const fates = () => wishes.map((wish) => place.fate(wish));
    await bots.until('all have ended', () => fates().every(({ delivered, told }) => delivered + told > 0));
    await bots.until('nothing is under way', () => bots?.isQuiet() ?? true);
    expect(fates().every(({ delivered, told, uncertain }) => delivered + told + uncertain === 1)).toBe(true);
    expect(fates().filter(({ delivered }) => delivered === 1)).toHaveLength(4);
    const [ledger] = await bots.query<{ count: string; spent: string }>(
      `select count(*), sum(high) / 1000000 as spent from ledger where state = 'spent'`,
    );
    expect(ledger).toMatchObject({
      count: '4',
      spent: expect.stringMatching(new RegExp(`^${4 * imageCredits}\\b`)),
    });
    expect([...bots.service.made.values()].every((times) => times === 1)).toBe(true);
  });
});
