import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bots } from './support/bots.ts';

let bots: Bots;

beforeAll(async () => {
  bots = await Bots.start({ count: 2, making: 1_500, pace: 6 });
});
afterAll(() => bots?.close());

it('what is said on Discord while processes are replaced one after the other is answered, once', async () => {
  const { discord } = bots;
  const { world, gateway } = discord;
  const [guild] = world.guilds.values();
  const channel = [...world.channels.values()].find(({ name }) => name === 'general');
  if (!guild || !channel) throw new Error('nobody is there');
  const said: string[] = [];
  const mention = () => {
    const user = world.addUser(`deploy${said.length}`);
    world.addMember(guild, user);
    said.push(discord.person(user).writes(channel, `<@${world.bot.id}> a story of ten words`).id);
  };
  const replies = (id: string) =>
    discord
      .messagesIn(channel)
      .filter(({ replyTo, authorId }) => replyTo === id && authorId === world.bot.id);
  const isOver = () => said.every((id) => replies(id).length > 0);
  const logIns = gateway.identifyCount;
  for (let round = 0; round < 2; round++) {
    const [former] = bots.living;
    if (!former) throw new Error('there is no process');
    await bots.add();
    const stopped = bots.stop(former);
    let hasEnded = false;
    void stopped.finally(() => {
      hasEnded = true;
    });
    for (; !hasEnded; await setTimeout(200)) mention();
    expect(await stopped).toBe(0);
  }
  mention();
  await bots.until('all are answered', isOver);
  await bots.until('all is over', () => bots.isQuiet());
  expect(said.map((id) => replies(id).length)).toEqual(said.map(() => 1));
  expect(gateway.identifyCount).toBe(logIns);
  expect(discord.journal.violations).toEqual([]);
});
