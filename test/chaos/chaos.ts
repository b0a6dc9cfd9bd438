import { DatabaseSync } from 'node:sqlite';
import type { CrashPlace, Wish } from '../crash/place.ts';
import { seededRandom } from '../crash/random.ts';
import type { Look } from './inside.ts';
import { ledgerFaultsIn } from './ledger.ts';
import type { Trouble } from './troubles.ts';
import { ChaosWorld } from './world.ts';

/** Time passes so many times as fast for the bot. */
const scale = 6;
/** After the trouble has ended all must be over within so long of the bot's time, in milliseconds. */
const patience = 15 * 60_000;
/** What comes twice comes late: so long after the last day everything that was given is looked at again. */
const late = 60_000;
/** For so long nothing is asked of the bot between two days. */
const rest = 10_000;
/** What the bot couldn't write down while the trouble lasted, it tries again within so long, in milliseconds. */
const writtenWithin = 90_000;
/** Memory and handles above what they were after the first day that count as not given back. */
const tolerated = { heap: 24 * 1024 ** 2, handles: 12 };

export interface Day {
  readonly name: string;
  readonly troubles: readonly Trouble[];
  /** Commands given on each platform. */
  readonly commands: number;
}

export interface ChaosOptions {
  readonly days: readonly Day[];
  readonly seed: number;
  readonly onDay?: (report: DayReport) => void;
}

/** How a day ended. What is wrong is in `faults`, in words. */
export interface DayReport {
  readonly name: string;
  /** Given and acknowledged. */
  readonly taken: number;
  /** The platform itself told the person that the bot did not respond. */
  readonly notTaken: number;
  readonly delivered: number;
  /** Ended with a sentence that says why not. */
  readonly told: number;
  readonly uncertain: number;
  readonly faults: readonly string[];
}

interface Given {
  readonly place: CrashPlace;
  readonly wish: Wish;
}

/** Lives through bad days, one after the other with the same bot, and looks at what people are left with. */
export async function chaos({ days, seed, onDay }: ChaosOptions): Promise<readonly DayReport[]> {
  const random = seededRandom(seed);
  const world = await ChaosWorld.start(scale);
  const reports: DayReport[] = [];
  const soFar: Given[] = [];
  const known = new Set<string>();
  let before: Look | undefined;
  try {
    for (const [index, day] of [{ name: 'a good day', troubles: [], commands: 8 }, ...days].entries()) {
      const isLast = index === days.length;
      const report = await live(world, day, index, random, soFar, isLast ? late : rest);
      const look = await world.inside<Look>({ do: 'look' });
      before ??= look;
      const all = [...report.faults, ...(isLast ? notGivenBack(before, look) : [])];
      const faults = all.filter((fault) => !known.has(fault));
      for (const fault of faults) known.add(fault);
      reports.push({ ...report, faults });
      onDay?.({ ...report, faults });
    }
    return reports;
  } finally {
    await world.close();
  }
}

/** `soFar`: what was given on the days before, too: none of it may come again. */
async function live(
  world: ChaosWorld,
  day: Day,
  index: number,
  random: () => number,
  soFar: Given[],
  quiet: number,
): Promise<DayReport> {
  const given: Given[] = [];
  const deathsBefore = world.deaths.length;
  const ends: (() => Promise<void>)[] = [];
  const longest = Math.max(20_000, ...day.troubles.map(({ milliseconds }) => milliseconds));
  // A few commands are under way when the trouble begins, the others come while it lasts.
  await give(world, wishesOf(index, 'early', Math.ceil(day.commands / 4), random), 3_000, given, random);
  for (const trouble of day.troubles) {
    ends.push(await trouble.begin(world));
    await world.pass(random() * 5_000);
  }
  await give(world, wishesOf(index, 'amid', day.commands, random), longest, given, random);
  for (const end of ends) await end();
  await world.revive();
  await settled(world, given);
  await world.pass(quiet);
  await written(world);
  soFar.push(...given);
  const faults = [
    ...soFar.flatMap((one) => faultsOf(world, one)),
    ...world.newlyHanging(),
    ...ledgerFaultsIn(world.databaseFile, await world.service.meter()),
    ...world.deaths.slice(deathsBefore).map((death) => `the process ended by itself: ${death}`),
  ];
  if (faults.length > 0) faults.push(...onRecord(world.databaseFile, index), world.log);
  const count = (test: (one: Given) => boolean) => given.filter(test).length;
  const notTaken = count(({ place, wish }) => place.notTaken(wish));
  return {
    name: day.name,
    taken: given.length - notTaken,
    notTaken,
    delivered: count(({ place, wish }) => place.fate(wish).delivered > 0),
    told: count(({ place, wish }) => place.fate(wish).told > 0),
    uncertain: count(({ place, wish }) => place.fate(wish).uncertain > 0),
    faults,
  };
}

const commands = ['ask', 'imagine', 'ask', 'speak', 'video', 'ask'] as const;

function wishesOf(day: number, part: string, count: number, random: () => number): Wish[] {
  const first = Math.floor(random() * commands.length);
  return Array.from({ length: count }, (_, index) => {
    const command = commands[(first + index) % commands.length] ?? 'ask';
    const about = `chaos-${day}-${part}-${index}-${command}.`;
    if (command !== 'ask') return { command, prompt: about, about };
    const lastWords = `the end of ${about}`;
    const story = Array.from({ length: 80 }, (_, word) => `word${word}`).join(' ');
    return { command, prompt: `重复：${about} ${story} ${lastWords}`, about, lastWords };
  });
}

/** Gives the wishes on both platforms, spread over so long of the bot's time. */
async function give(
  world: ChaosWorld,
  wishes: readonly Wish[],
  milliseconds: number,
  given: Given[],
  random: () => number,
): Promise<void> {
  for (const wish of wishes) {
    for (const place of Object.values(world.places)) {
      const own = { ...wish };
      place.give(own);
      given.push({ place, wish: own });
    }
    await world.pass((milliseconds / wishes.length) * (0.5 + random()));
    await world.revive();
  }
}

async function settled(world: ChaosWorld, given: readonly Given[]): Promise<void> {
  const until = Date.now() + patience / world.scale;
  const isOver = () =>
    given.every(({ place, wish }) => place.notTaken(wish) || outcomes(place, wish) > 0) && !world.isHanging();
  while (!isOver() && Date.now() < until) await world.pass(500);
}

/** Until what was paid for is on record. */
async function written(world: ChaosWorld): Promise<void> {
  const until = Date.now() + writtenWithin / world.scale;
  const isWritten = async () => ledgerFaultsIn(world.databaseFile, await world.service.meter()).length === 0;
  while (!(await isWritten()) && Date.now() < until) await world.pass(500);
}

function outcomes(place: CrashPlace, wish: Wish): number {
  const { delivered, told, uncertain } = place.fate(wish);
  return delivered + told + uncertain;
}

function faultsOf(world: ChaosWorld, { place, wish }: Given): string[] {
  const { delivered, told, uncertain } = place.fate(wish);
  const about = `${place.name}: ${wish.about}`;
  const paid = world.service.made.get(wish.prompt) ?? 0;
  const faults: string[] = [];
  // Both platforms are given the same wish: what was made for either counts.
  if (paid > 2) faults.push(`${about} was made ${paid} times`);
  if (delivered > 1) faults.push(`${about} was posted ${delivered} times`);
  if (delivered + told + uncertain > 1 && delivered <= 1)
    faults.push(`${about} has several outcomes: ${JSON.stringify({ delivered, told, uncertain })}`);
  if (delivered + told + uncertain === 0 && !place.notTaken(wish)) faults.push(`${about} has no outcome`);
  return faults;
}

function notGivenBack(before: Look, after: Look): string[] {
  const faults: string[] = [];
  if (after.heap > before.heap + tolerated.heap)
    faults.push(`memory was not given back: ${before.heap} bytes before, ${after.heap} after`);
  if (after.handles > before.handles + tolerated.handles)
    faults.push(`handles were not given back: ${before.handles} before, ${after.handles} after`);
  return faults;
}

/** What is on record of a day's commands, for a look at its faults. */
function onRecord(databaseFile: string, day: number): readonly string[] {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  try {
    const rows = database
      .prepare(
        `select jobs.state, options, json_extract(jobs.address, '$.platform') as platform, renders.state as render
         from jobs left join renders on renders.id = jobs.id where options like ? order by jobs.created_at`,
      )
      .all(`%chaos-${day}-%`);
    return rows.map(({ state, options, platform, render }) => {
      const [about] = /chaos-[\w-]+/.exec(String(options)) ?? [];
      return `on record: ${platform} ${about} ${state}${render === null ? '' : `, render ${render}`}`;
    });
  } finally {
    database.close();
  }
}
