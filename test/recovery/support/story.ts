import { Life } from './life.ts';
import type { Asking, Said } from './place.ts';
import type { Death } from './play.ts';
import { isIdle, leftovers, underWay } from './under-way.ts';
import type { Process, World } from './world.ts';

/** Somebody in a story, and what's around them. */
export interface Scenery {
  readonly asking: Asking;
  readonly world: World;
  /** In what's asked, to tell it from everything else. */
  readonly mark: string;
  /** What's wrong with what's seen meanwhile, in words. */
  readonly faults: string[];
}

/** What a process dies during, and what people do before and after that. */
export interface Story {
  readonly way: string;
  /** What's over before. */
  readonly before?: (scenery: Scenery) => Promise<void>;
  readonly during: (scenery: Scenery, process: Process) => unknown;
  /** After which of its steps a process may die; any by default. */
  readonly steps?: RegExp;
  /** Who's asked dies at the end of `during`: it's who goes on after that whose every step is tried. */
  readonly isLeft?: true;
  /** What's on record by the time the last process starts. */
  readonly meanwhile?: (scenery: Scenery) => Promise<void>;
  /** What people do as soon as the last process lives. */
  readonly atStart?: (scenery: Scenery) => unknown;
  /** What they do once everything has come to rest. */
  readonly after?: (scenery: Scenery, survivor: Process) => Promise<void>;
  /** What's wrong with what they're left with, in words. */
  readonly faults: (left: Left) => readonly string[];
}

/** What people are left with. */
export interface Left {
  readonly posted: readonly Said[];
  /** Credits that the service has charged for, for what was under way. */
  readonly spent: number;
  /** The states of the commands. */
  readonly states: readonly string[];
}

/** How a story ended. */
export interface StoryEnd {
  readonly survivor: Process;
  /** What the first process did, and those after it. */
  readonly steps: readonly (readonly string[])[];
  readonly faults: readonly string[];
}

/** How long what's asked may take to arrive, in milliseconds. */
const arrival = 5_000;
/** How long a process lives at most to which its platform doesn't answer, in milliseconds. */
const outage = 60_000;

let stories = 0;

/** Plays a story; `receiving`, which is asked, dies after so many of its steps, and then others die. */
export async function playStory(
  world: World,
  receiving: Process,
  story: Story,
  after: number,
  then: readonly Death[] = [],
): Promise<StoryEnd> {
  const asking = await world.place.asking(story.way, 'en');
  const scenery: Scenery = { asking, world, mark: `story${++stories}x`, faults: [] };
  const isOver = async () => (await asking.hanging()).length === 0 && (await isIdle(world));
  await story.before?.(scenery);
  await world.calm();
  const spentBefore = await world.spent();
  const { life } = receiving;
  const from = life.steps.length;
  life.diesAfter(after, story.steps);
  life.run(() => story.during(scenery, receiving));
  const arrived = timer(world, arrival);
  await world.until('its end', async () => life.isDead || (arrived.isOver() && (await isOver())));
  life.die();
  const steps = [life.steps.slice(from)];
  for (const { after: death, away = false } of then) {
    const next = new Life();
    next.isAway = away;
    if (death !== undefined) next.diesAfter(death);
    await world.start(next, false);
    const passed = timer(world, outage);
    await world.until(
      'the next death',
      async () => next.isDead || passed.isOver() || (!away && (await isOver())),
    );
    next.die();
    steps.push(next.steps);
  }
  await story.meanwhile?.(scenery);
  const survivor = await world.start(new Life(), true);
  await story.atStart?.(scenery);
  const rest = async () => {
    await world.until('the end', async () => (await isOver()) && (await removals(world)).length === 0);
    await world.calm();
  };
  const unending: string[] = [];
  try {
    await rest();
    await story.after?.(scenery, survivor);
    await rest();
  } catch (error) {
    const left = { hanging: await asking.hanging(), ...(await underWay(world)) };
    unending.push(`${(error as Error).message}: ${JSON.stringify(left)}`);
  }
  steps.push(survivor.life.steps);
  const posted = await asking.posted();
  const left = {
    posted,
    // The service counts in millionths.
    spent: Math.round(((await world.spent()) - spentBefore) * 1e6) / 1e6,
    states: await statesOf(scenery),
  };
  const told = [
    ...unending,
    ...scenery.faults,
    ...story.faults(left),
    ...(await leftovers(world)),
    ...(await removals(world)),
  ];
  return { survivor, steps, faults: told.map((fault) => `${fault}: ${JSON.stringify(posted)}`) };
}

/** After which of its steps a process dies: by their number from 1, after every so many, or after any. */
export type Deaths = 'any' | readonly number[] | { readonly apart: number };

/**
 * Plays a story once for each death; `twiceApart`: also with the platform away for who goes on after that, and with another
 * death of theirs every so many steps. Returns what was wrong, and who lives in the end.
 */
export async function tellAll(
  world: World,
  receiving: Process,
  story: Story,
  deaths: Deaths,
  twiceApart?: number,
): Promise<{ readonly survivor: Process; readonly faults: readonly string[]; readonly deaths: number }> {
  let survivor = receiving;
  const faults: string[] = [];
  const play = async (...dying: readonly Death[]): Promise<StoryEnd> => {
    const [{ after = Number.POSITIVE_INFINITY } = {}, ...then] = story.isLeft ? [{}, ...dying] : dying;
    const end = await playStory(world, survivor, story, after, then);
    ({ survivor } = end);
    faults.push(...end.faults.map((fault) => `${JSON.stringify(dying)}: ${fault}`));
    return end;
  };
  const stepsOf = ({ steps }: StoryEnd) => steps[story.isLeft ? 1 : 0]?.length ?? 0;
  const apart = deaths !== 'any' && 'apart' in deaths ? deaths.apart : 1;
  const numbersOf = (steps: number) =>
    Array.from({ length: Math.floor(steps / apart) }, (_, index) => (index + 1) * apart);
  const isListed = deaths !== 'any' && !('apart' in deaths);
  const numbers = isListed ? deaths : numbersOf(stepsOf(await play()));
  for (const after of numbers) {
    const { steps } = await play({ after });
    if (twiceApart === undefined) continue;
    await play({ after }, { away: true });
    const left = steps.at(-1)?.length ?? 0;
    // From another one each time, so that in the end each has been tried.
    for (let then = 1 + (after % twiceApart); then <= left; then += twiceApart)
      await play({ after }, { after: then });
  }
  return { survivor, faults, deaths: numbers.length };
}

/** So much time passes, in milliseconds. */
export async function passes(world: World, milliseconds: number): Promise<void> {
  const passed = timer(world, milliseconds);
  await world.until('a while', async () => passed.isOver());
}

function timer({ clock }: World, milliseconds: number): { isOver(): boolean } {
  let isOver = false;
  clock.after(milliseconds, () => {
    isOver = true;
  });
  return { isOver: () => isOver };
}

/** Those that it knows: a platform may send again what earlier stories didn't take. */
async function statesOf({ world, mark }: Scenery): Promise<readonly string[]> {
  const jobs = world.database.selectFrom('jobs').select('state').where('options', 'like', `%${mark}%`);
  return (await jobs.execute()).map(({ state }) => state);
}

async function removals({ database }: World): Promise<readonly string[]> {
  const rows = await database.selectFrom('removals').select('shows').execute();
  return rows.map(({ shows }) => `what becomes of a message is left to be done: ${shows}`);
}
