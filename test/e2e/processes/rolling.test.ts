import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bots } from './support/bots.ts';
import { Scene } from './support/scene.ts';

let bots: Bots;
let scene: Scene;

beforeAll(async () => {
  bots = await Bots.start({ count: 2, making: 1_500 });
  scene = new Scene(bots);
});
afterAll(() => bots?.close());

it('both go on when the database is restarted in the middle, and neither takes the other for dead', async () => {
  const given = await scene.everything();
  await bots.database.kill();
  await bots.database.start();
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);
  const living = await bots.query<{ id: string }>('select id from processes where ended_at is null');
  expect(living.map(({ id }) => id).toSorted()).toEqual(bots.living.map((one) => one.process).toSorted());
});

it('one that is stopped hands over at once, and nobody is told of an interruption', async () => {
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
