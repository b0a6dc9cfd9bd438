import { describe, expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { BotToStop } from './bot-to-stop.ts';

const say = words('en');

describe('a bot that gets a stop signal', () => {
  it('finishes its current answer, and refuses new requests with a message', async () => {
    const stopped = await BotToStop.start();
    const { place, process: bot } = stopped;
    await stopped.tells(600);
    const ended = bot.stop();
    await bot.said('shutting down');
    place.give({ command: 'ask', prompt: 'one more' });
    await place.until('a word for who comes late', () => place.texts().includes(say.shuttingDown));
    expect(await ended).toBe(0);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).not.toContain(say.endings.interrupted);
  });

  it('ends an answer that would take too long as interrupted, with a Continue button, and exits within 20 s', async () => {
    const stopped = await BotToStop.start();
    const { place, process: bot } = stopped;
    await stopped.tells(20_000);
    expect(await bot.stop()).toBe(0);
    expect(place.hanging()).toEqual([]);
    expect(place.texts().join('\n')).toContain(say.endings.interrupted);
    const message = [...place.discord.world.messages.values()].find(({ content }) =>
      content.includes(say.endings.interrupted),
    );
    expect(JSON.stringify(message?.components)).toContain(`"label":"${say.continue}"`);

    await stopped.restart();
    expect(place.hanging()).toEqual([]);
  });
});
