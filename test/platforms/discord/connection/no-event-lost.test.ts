import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endTest } from '../../../at-end.ts';
import { calm } from '../../../fakes/calm.ts';
import { type Process, Processes } from '../support/processes.ts';

/** What happens one after the other; a process is one of those that were started, a time is in milliseconds. */
type Step =
  | { readonly do: 'write'; readonly shard: number; readonly recordedIn: number }
  | { readonly do: 'start' }
  | {
      readonly do: 'stop' | 'kill' | 'freeze' | 'cut off' | 'mend' | 'take for dead';
      readonly process: number;
    }
  | { readonly do: 'wait'; readonly time: number };

const process = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      shard: fc.nat(1),
      recordedIn: fc.constantFrom(0, 5, 100, 700, 3_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.constantFrom(1, 60, 900, 4_000) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'start' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('stop', 'kill', 'freeze', 'cut off', 'mend', 'take for dead'),
      process,
    }),
  },
);

/** A session of which three processes in a row die isn't gone on with: its next event may be why. */
const mostKills = 2;

/** So long it may take in the end, in milliseconds. */
const longest = 60_000;

/** Two shards, and as many processes as the steps start; the first has both. */
async function play(steps: readonly Step[], formerSocket: 'works' | 'refused'): Promise<void> {
  const bot = await Processes.start(2, { formerSocket });
  const times = new Map<string, number>();
  bot.recordedIn = (text) => times.get(text);
  const processes: Process[] = [await bot.start()];
  const stopped = new Set<Process>();
  await bot.areOnRecord();
  let kills = 0;
  for (const step of steps) {
    if (step.do === 'write') {
      const text = `message ${times.size}`;
      times.set(text, step.recordedIn);
      bot.writes(text, step.shard);
    } else if (step.do === 'wait') await bot.clock.advance(step.time);
    else if (step.do === 'start') processes.push(await bot.start(undefined, false));
    else {
      const one = processes[step.process];
      if (!one || stopped.has(one)) continue;
      if (step.do === 'kill' && kills++ < mostKills) {
        stopped.add(one);
        one.dies();
      } else if (step.do === 'stop' && one.works) {
        stopped.add(one);
        void one.gateway.close();
      } else if (step.do === 'freeze') one.gets('frozen');
      else if (step.do === 'cut off') one.gets('cut off');
      else if (step.do === 'mend') one.gets();
      // Only those that don't renew their lease lose it.
      else if (step.do === 'take for dead' && !one.works) await one.isTakenForDead();
    }
  }
  // In the end somebody works, and what died is known to be dead.
  for (const one of processes) {
    if (!stopped.has(one)) one.gets();
    else if (!one.works) await one.isTakenForDead();
  }
  await bot.start(undefined, false);
  for (let time = 0; bot.answered.size < times.size && time < longest; time += 500) {
    await bot.clock.advance(500);
    await calm(bot.clock);
  }
  expect(bot.answered.size).toBe(times.size);
  const { gateway } = bot.discord;
  expect(gateway.identifyCount).toBe(2);
  expect(gateway.closeCodes.filter((code) => code !== 4000)).toEqual([]);
  expect(bot.discord.journal.violations).toEqual([]);
}

it.each(['refused', 'works'] as const)(
  'whichever process dies, hangs, stops or starts when, and in whatever order things are put on record: each event gets there, without another log-in (first socket: %s)',
  async (formerSocket) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        try {
          await play(steps, formerSocket);
        } finally {
          await endTest();
        }
      }),
      { numRuns: Number(globalThis.process.env.RUNS ?? 20) },
    );
  },
);
