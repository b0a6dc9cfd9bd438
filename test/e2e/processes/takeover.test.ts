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

it('a process that is stopped hands over at once, and nobody is told of an interruption', async () => {
  const given = await scene.everything();
  // It waits 15 seconds for what it's doing, in which a busy machine might not even begin all of it.
  await scene.underWay(given);
  const [former] = bots.living;
  if (!former) throw new Error('there is no process');
  expect(await bots.stop(former)).toBe(0);
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);
  scene.judgeUninterrupted(given);
});

it('what a killed process had in hand is over within 15 seconds, once, by the other', async () => {
  await bots.add();
  const given = await scene.everything();
  await bots.kill(await bots.holder(answering));
  await bots.until('everything is over', () => scene.isOver(given), takenOverWithin);
  scene.judge(given);
  const [uncertain] = await bots.query<{ count: string }>(
    `select count(*) from ledger where state = 'uncertain' and kind = 'chat'`,
  );
  expect(Number(uncertain?.count)).toBeGreaterThan(0);
});
