import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bots, takenOverWithin } from './support/bots.ts';
import { answering, Scene } from './support/scene.ts';

let bots: Bots;
let scene: Scene;

beforeAll(async () => {
  bots = await Bots.start({ count: 2, making: 1_500, pace: 6 });
  scene = new Scene(bots);
});
afterAll(() => bots?.close());

it('a process that is stopped hands over at once: what is said on Discord meanwhile is answered, once, and nobody is told of an interruption', async () => {
  const { discord } = bots;
  const { world, gateway } = discord;
  const [guild] = world.guilds.values();
  const channel = [...world.channels.values()].find(({ name }) => name === 'general');
  if (!guild || !channel) throw new Error('nobody is there');
  const said: string[] = [];
  const mention = () => {
    const person = discord.addPerson(guild, `deploy${said.length}`);
    said.push(person.mentions(channel, 'a story of ten words').id);
  };
  const replies = (id: string) =>
    discord
      .messagesIn(channel)
      .filter(({ replyTo, authorId }) => replyTo === id && authorId === world.bot.id);
  const logIns = gateway.identifyCount;
  const [former] = bots.living;
  if (!former) throw new Error('there is no process');
  const given = await scene.everything();
  // It waits 15 seconds for what it's doing, in which a busy machine might not even begin all of it.
  await scene.underWay(given);
  const stopped = bots.stop(former);
  let hasEnded = false;
  void stopped.finally(() => {
    hasEnded = true;
  });
  for (; !hasEnded; await setTimeout(400)) mention();
  expect(await stopped).toBe(0);
  mention();
  await bots.until('all are answered', () => said.every((id) => replies(id).length > 0));
  await bots.until('everything is over', () => scene.isOver(given));
  expect(said.map((id) => replies(id).length)).toEqual(said.map(() => 1));
  expect(gateway.identifyCount).toBe(logIns);
  scene.judge(given);
  scene.judgeUninterrupted(given);
  expect(discord.journal.violations).toEqual([]);
});

it('what a killed process had in hand is over within 15 seconds, once, by the other', async () => {
  await bots.add();
  const given = await scene.everything();
  await bots.killHolder(answering);
  await bots.until('everything is over', () => scene.isOver(given), takenOverWithin);
  scene.judge(given);
  const [uncertain] = await bots.query<{ count: string }>(
    `select count(*) from ledger where state = 'uncertain' and kind = 'chat'`,
  );
  expect(Number(uncertain?.count)).toBeGreaterThan(0);
});
