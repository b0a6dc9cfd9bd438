import { parseArgs } from 'node:util';
import { crash, type CrashReport } from './crash.ts';
import { createDiscordPlace } from './discord-place.ts';
import { createSlackPlace } from './slack-place.ts';

// `npm run test:crash`, or `npm run test:crash -- --rounds 20 --platform slack --seed 7`, or one round again:
// `-- --platform slack --seed 7 --from 149 --rounds 149`. `--gently` stops the bot as an operator would. `--processes 3`
// makes it so many on a PostgreSQL, of which one is killed each time.
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    /** Begins no round of a platform after so many minutes. */
    minutes: { type: 'string', default: 'Infinity' },
    platform: { type: 'string', default: 'discord,slack' },
    seed: { type: 'string', default: '1' },
    gently: { type: 'boolean', default: false },
    processes: { type: 'string' },
  },
});

const places = { discord: createDiscordPlace, slack: () => createSlackPlace({ asksDirectly: true }) };

for (const name of values.platform.split(',')) {
  const create = places[name as keyof typeof places];
  if (!create) throw new Error(`--platform: allowed are ${Object.keys(places).join(', ')}`);
  const report = await crash({
    place: await create(),
    rounds: Number(values.rounds),
    from: Number(values.from),
    limit: Number(values.minutes) * 60_000,
    seed: Number(values.seed),
    gently: values.gently,
    ...(values.processes !== undefined && {
      database: 'postgres' as const,
      processes: Number(values.processes),
    }),
    onFault: (fault) => process.stderr.write(`${fault}\n`),
    onRound: (round, step) =>
      process.stderr.write(`${name} ${round}: ${values.gently ? 'stopped' : 'killed'} ${step}\n`),
  });
  process.stdout.write(`${table(name, report)}\n`);
  if (report.faults.length > 0) process.exitCode = 1;
}
process.exit();

function table(name: string, report: CrashReport): string {
  const { faults, logs, ...figures } = report;
  return [
    name,
    ...Object.entries(figures).map(([figure, count]) => `  ${figure.padEnd(18)} ${count}`),
    `  ${'faults'.padEnd(18)} ${faults.length}`,
    ...faults.map((fault) => `    ${fault}`),
    ...logs,
  ].join('\n');
}
