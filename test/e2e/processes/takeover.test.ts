import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bots, takenOverWithin } from './support/bots.ts';
import { answering, Scene } from './support/scene.ts';

let bots: Bots;

beforeAll(async () => {
  bots = await Bots.start({ count: 2, pace: 6 });
});
afterAll(() => bots?.close());

it('what a killed process had in hand is over within 15 seconds, once, by the other', async () => {
  const scene = new Scene(bots);
  const given = await scene.everything();
  await bots.kill(await bots.holder(answering));
  await bots.until('everything is over', () => scene.isOver(given), takenOverWithin);
  scene.judge(given);
  const [uncertain] = await bots.query<{ count: string }>(
    `select count(*) from ledger where state = 'uncertain' and kind = 'chat'`,
  );
  expect(Number(uncertain?.count)).toBeGreaterThan(0);
});
