/**
 * What a second process adds: commands of Slack people over sockets, given to one process and to two on a PostgreSQL.
 * A process is one core's work, so its capacity is what a core can do: the commands a second that one second of its
 * processor time is enough for, asynchronous work of its own included. That's measured, and not how many are answered
 * a second in all, because here PostgreSQL, Slack and the service run on the same cores; and answers of a key are
 * limited to two a second, however many processes there are. Each process gets as many commands as the one alone, before
 * it's measured and while it is, and as many a second: the first hundreds take several times as long, until their code
 * is compiled. The aim: two processes carry 1.6 times as much as one.
 */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BotProcess } from '../crash/bot-process.ts';
import { CountingService } from '../crash/service.ts';
import { Postgres } from '../fakes/postgres/postgres.ts';
import type { GivenCommand } from './support/crowd.ts';
import type { ProcessorTime } from './support/processor-time.ts';
import { createSlackCrowd } from './support/slack-crowd.ts';

const processorTime = fileURLToPath(new URL('./support/processor-time.ts', import.meta.url));
const people = 200;

interface Load {
  readonly command: GivenCommand;
  /** Each process gets so many a second: a busier one takes less time for each. */
  readonly perSecond: number;
  /** Each process gets so many before it's measured, and while it is. */
  readonly before: number;
  readonly measured: number;
}
const loads: Readonly<Record<string, Load>> = {
  '/troupe help': { command: 'help', perSecond: 40, before: 600, measured: 1_200 },
  'a mention, answered': { command: 'ask', perSecond: 0.9, before: 40, measured: 60 },
};
/** For how long the processes are measured at rest, in seconds. */
const rest = 20;

const service = new CountingService(20);
const { url, key } = await service.start();

/** Milliseconds of processor time that a command takes in so many processes together; none may be lost. */
async function costs(count: number): Promise<ReadonlyMap<string, number>> {
  const database = await Postgres.start({ synchronous_commit: 'off' });
  const crowd = await createSlackCrowd('socket', people);
  const environment = {
    ...crowd.environment,
    SERVICE_BASE_URL: url,
    SERVICE_API_KEY: key,
    DATABASE_URL: database.url(),
    CONFIRM_OVER_CREDITS: '1000000',
    PORT: '0',
  };
  const options = ['--import', processorTime];
  const bots: BotProcess[] = [];
  try {
    for (let started = 0; started < count; started++) bots.push(await BotProcess.start(environment, options));
    const used = async () => {
      const times = await Promise.all(bots.map((bot) => bot.ask<ProcessorTime>({})));
      return times.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    };
    const give = ({ command, perSecond }: Load, each: number) =>
      crowd.give(command, perSecond * count, each / perSecond);
    for (const load of Object.values(loads)) await give(load, load.before);
    await setTimeout(5_000);
    const idleBegin = await used();
    await setTimeout(rest * 1_000);
    const idle = ((await used()) - idleBegin) / rest;
    const each = new Map<string, number>();
    for (const [name, load] of Object.entries(loads)) {
      const before = await used();
      const at = performance.now();
      const { waits, lost } = await give(load, load.measured);
      await setTimeout(5_000);
      const atRest = (idle * (performance.now() - at)) / 1_000;
      if (lost > 0) console.log(`${count} × ${name}: ${lost} were lost`);
      each.set(name, ((await used()) - before - atRest) / waits.length);
    }
    console.log(`${count} at rest: ${(idle / 10 / count).toFixed(2)} % of a core each`);
    return each;
  } finally {
    await Promise.all(bots.map((bot) => bot.kill()));
    await crowd.close();
    await database.close();
  }
}

const [one, two] = [await costs(1), await costs(2)];
for (const name of Object.keys(loads)) {
  const [alone = Number.NaN, each = Number.NaN] = [one.get(name), two.get(name)];
  const capacity = (milliseconds: number, count: number) => (count * 1_000) / milliseconds;
  const ratio = capacity(each, 2) / capacity(alone, 1);
  console.log(
    [
      name.padEnd(20),
      `one process ${capacity(alone, 1).toFixed(0)} a second (${alone.toFixed(2)} ms each)`,
      `two ${capacity(each, 2).toFixed(0)} a second (${each.toFixed(2)} ms each)`,
      `${ratio.toFixed(2)} times`,
    ].join(', '),
  );
}
await service.close();
process.exit();
