import { parseArgs } from 'node:util';
import { chaos, type Day, type DayReport } from './chaos.ts';
import { randomDays } from './random-days.ts';
import { troubles } from './troubles.ts';

// `npm run test:chaos`, or `npm run test:chaos -- --only 'slack is down' --seed 4`, or `-- --only random`.
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** Part of a trouble's name, or `random` for the mixtures alone. */
    only: { type: 'string' },
    commands: { type: 'string', default: '8' },
  },
});
const { only } = values;
const mixtures = 'random';
const seed = Number(values.seed);
const commands = Number(values.commands);
const alone: Day[] = troubles
  .filter(({ name }) => only !== mixtures && (only === undefined || name.includes(only)))
  .map((trouble) => ({ name: trouble.name, troubles: [trouble], commands }));

let failed = alone.length > 0 && (await tell(alone, seed));
if (only === undefined || only === mixtures) {
  for (const random of [seed, seed + 1, seed + 2]) {
    const days = randomDays(random, 3, commands);
    failed = (await tell(days, random)) || failed;
  }
}
process.exit(failed ? 1 : 0);

async function tell(days: readonly Day[], daysSeed: number): Promise<boolean> {
  const reports = await chaos({
    days,
    seed: daysSeed,
    onDay: (report) => process.stdout.write(lines(report)),
  });
  return reports.some(({ faults }) => faults.length > 0);
}

function lines({ name, taken, notTaken, delivered, told, uncertain, faults }: DayReport): string {
  const figures = `${taken} taken, ${notTaken} not taken, ${delivered} delivered, ${told} told, ${uncertain} in doubt`;
  return [`${name}: ${figures}, ${faults.length} faults`, ...faults.map((fault) => `  ${fault}`), ''].join(
    '\n',
  );
}
