import { expect, it } from 'vitest';
import { chaos } from './chaos.ts';
import { troubles } from './troubles.ts';

/** The short form of `npm run test:chaos`: half a minute in which each side is in trouble at once. */
const chosen = [
  'the service is down',
  'discord is down',
  'slack drops its sockets every 2 s',
  'the disk of the log is full',
];

it(
  'a bad day leaves every command with one outcome, paid for and posted once',
  { timeout: 300_000 },
  async () => {
    const day = {
      name: 'a bad day',
      troubles: troubles
        .filter(({ name }) => chosen.includes(name))
        .map((trouble) => ({ ...trouble, milliseconds: 30_000 })),
      commands: 4,
    };
    expect(day.troubles).toHaveLength(chosen.length);
    const reports = await chaos({ days: [day], seed: 1 });
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    expect(reports[1]?.taken).toBeGreaterThan(0);
    expect(reports[0]?.delivered).toBeGreaterThan(0);
  },
);
