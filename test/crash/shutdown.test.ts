import { expect, it } from 'vitest';
import { words } from '../../src/words/index.ts';
import { BotToStop } from './bot-to-stop.ts';

const say = words('en');

it('a bot that gets a stop signal finishes its current answer, refuses new requests with a message, ends an answer that would take too long as interrupted, with a Continue button, and exits within 20 s', async () => {
  const stopped = await BotToStop.start();
  const { place, process: bot } = stopped;
  place.give({ command: 'ask', by: 'bob', prompt: 'tell me a story of 600 words [[stall]]' });
  await stopped.tells(600);
  await place.until(
    'the beginning of both',
    () => place.posted().filter(({ buttons }) => buttons.includes(say.stop)).length === 2,
  );
  const ended = bot.stop();
  await bot.said('shutting down');
  place.give({ command: 'ask', prompt: 'one more' });
  await place.until('a word for who comes late', () => place.texts().includes(say.shuttingDown));
  expect(await ended).toBe(0);
  expect(place.hanging()).toEqual([]);
  const interrupted = [...place.discord.world.messages.values()].filter(({ content }) =>
    content.includes(say.endings.interrupted),
  );
  expect(interrupted).toHaveLength(1);
  expect(JSON.stringify(interrupted[0]?.components)).toContain(`"label":"${say.continue}"`);

  await stopped.restart();
  expect(place.hanging()).toEqual([]);
});
