import { it, onTestFinished } from 'vitest';
import { Bots } from './support/bots.ts';
import { Scene } from './support/scene.ts';

it('whose clip was ready when the database went hears of it, though the bot was stopped before that came back', async () => {
  const { promise: making, resolve } = Promise.withResolvers<void>();
  const bots = await Bots.start({ count: 1, platforms: ['discord'], making, tellSoon: true });
  onTestFinished(() => bots.close());
  const scene = new Scene(bots);
  const given = await scene.give(() => [{ command: 'speak', prompt: 'Clip 1.', about: 'sam' }]);
  await scene.underWay(given);
  const [bot] = bots.living;
  if (!bot) throw new Error('there is no process');
  await bots.database.kill();
  resolve();
  await bot.said('a result could not be posted yet');
  await bots.stop(bot);
  await bots.database.start();
  await bots.add();
  await bots.until('everything is over', () => scene.isOver(given));
  scene.judge(given);
});
