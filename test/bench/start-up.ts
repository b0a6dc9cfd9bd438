/**
 * How long the bot takes from the start of its process to its word that it is ready, with nothing configured and
 * on a new database. Under 1.5 s is the aim on a machine of two processors that does nothing else.
 */
import { startFreshBot } from './support/bot.ts';
import { describeRuns } from './support/median.ts';

const runs: number[] = [];
for (let run = 0; run < 5; run++) {
  const bot = await startFreshBot();
  runs.push(bot.milliseconds);
  await bot.stop();
}
console.log(`process start to ready: ${describeRuns(runs)}`);
