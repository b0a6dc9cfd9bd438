import { describe, expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { BotToStop } from './bot-to-stop.ts';

const say = words('en');

describe('a bot that gets a stop signal', () => {
  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    // A terminal that's closed.
    ['SIGHUP', 'SIGTERM'],
  ] as const)('goes on stopping where %s is followed by %s', async (first, second) => {
    const stopped = await BotToStop.start();
    const { place, process: bot } = stopped;
    await stopped.tells(600);
    const ended = bot.end();
    bot.signal(first);
    await bot.said('shutting down');
    bot.signal(second);
    expect(await ended).toBe(0);
    expect(bot.log).toContain('still shutting down');
    expect(bot.log.match(/"shutting down"/g)).toHaveLength(1);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it('ends at once at the third signal', async () => {
    const stopped = await BotToStop.start();
    const { place, process: bot } = stopped;
    await stopped.tells(20_000);
    const ended = bot.end();
    bot.signal('SIGINT');
    await bot.said('shutting down');
    bot.signal('SIGINT');
    await bot.said('still shutting down; one more signal exits at once');
    bot.signal('SIGINT');
    expect(await ended).toBe(1);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it.each([
    ['start', 'SIGTERM'],
    ['end', 'SIGTERM'],
    ['end', 'SIGTERM SIGINT'],
  ])('at the %s of its start (%s) leaves its renders as certain as they were', async (at, signals) => {
    await (await BotToStop.start()).keepsRender(at, signals);
  });
});
