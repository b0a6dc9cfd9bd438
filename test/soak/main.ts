import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { heapSlope, soak } from './soak.ts';

// `npm run test:soak`, or `npm run test:soak -- --commands 5000 --seed 3`.
const { values } = parseArgs({
  options: {
    commands: { type: 'string', default: '50000' },
    faults: { type: 'string', default: '0.02' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '64' },
    /** A file for what the bot logs. */
    log: { type: 'string' },
  },
});
const commands = Number(values.commands);
const mebibyte = 1024 ** 2;
/** What may not be passed: bytes for 10,000 commands, milliseconds. */
const most = { slope: 1_000_000, delay: 50 };

const logFile = values.log === undefined ? undefined : createWriteStream(values.log);
const began = Date.now();
const report = await soak({
  commands,
  faults: Number(values.faults),
  seed: Number(values.seed),
  atOnce: Number(values['at-once']),
  scale: 5,
  ...(logFile && { onLine: (line: string) => void logFile.write(`${line}\n`) }),
  lookEvery: Math.max(100, Math.floor(commands / 40)),
  onLook: (given, { heap, resident, handles, delay99, ownDelay99, processor }) =>
    process.stdout.write(
      `${((Date.now() - began) / 1e3).toFixed(0)} s, ${given} commands: heap ${(heap / mebibyte).toFixed(1)} MiB, resident ${(resident / mebibyte).toFixed(0)} MiB, ` +
        `${handles} handles, event loop p99 ${delay99.toFixed(1)} ms (own ${ownDelay99.toFixed(1)} ms), ` +
        `processor ${(processor / 1e3).toFixed(0)} s\n`,
    ),
});
const slope = heapSlope(report.looks) * 10_000;
const settledLooks = report.looks.slice(Math.ceil(report.looks.length / 5));
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const delay = median(settledLooks.map(({ delay99 }) => delay99));
const ownDelay = median(settledLooks.map(({ ownDelay99 }) => ownDelay99));
const [early, late] = [settledLooks[0]?.handles ?? 0, settledLooks.at(-1)?.handles ?? 0];
const { looks, given, taken, missed, acknowledged99, done, failed, unfinished, ended, log } = report;
process.stdout.write(
  [
    `given ${given}, taken ${taken}, done ${done}, failed ${failed}, unfinished ${unfinished.length}`,
    `acknowledged: 99 of 100 within ${acknowledged99.toFixed(0)} ms`,
    ...missed.map((one) => `not acknowledged in time: ${one}`),
    `heap: ${(slope / 1e6).toFixed(2)} MB for 10,000 commands after warm-up`,
    `handles: ${early} after warm-up, ${late} at the end: ${JSON.stringify(looks.at(-1)?.kinds)}`,
    `event loop p99, median of the looks: ${delay.toFixed(1)} ms, without the time other processes took: ${ownDelay.toFixed(1)} ms`,
    '',
  ].join('\n'),
);
const faults = [
  ...(done + failed < taken ? [`${taken - done - failed} commands have no outcome`] : []),
  ...unfinished.map((one) => `not ended: ${one}`),
  ...(ended === undefined ? [] : [`the process ended by itself: ${ended}\n${log}`]),
  ...(slope > most.slope ? ['memory grows'] : []),
  ...(late > early + 12 ? ['handles are not given back'] : []),
  ...(delay > most.delay ? ['the event loop is held up'] : []),
];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exit(faults.length > 0 ? 1 : 0);
