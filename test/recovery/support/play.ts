import type { Locale } from '../../../src/port/index.ts';
import { words as say } from '../../../src/words/index.ts';
import { type AnswerFate, judgeAnswer, questionOf } from '../../crash/answers.ts';
import type { Posted } from '../../crash/place.ts';
import { Life } from './life.ts';
import { leftovers, underWay } from './under-way.ts';
import type { Process, World } from './world.ts';

/** How a process that goes on with an answer comes to its end. */
export interface Death {
  /** It dies right after so many of its steps. */
  readonly after?: number;
  /** Its platform answers nothing while it lives. */
  readonly away?: boolean;
}

/** Somebody asks, and process after process dies. */
export interface Scene {
  readonly way: string;
  readonly locale: Locale;
  /** The process that answers dies in the middle, or right after so many steps since it was asked. */
  readonly first: 'in the middle' | number;
  /** How those after it die; the last one lives. */
  readonly then: readonly Death[];
}

/** What people are left with. */
export interface End {
  readonly fate: AnswerFate;
  /** What's wrong, in words. */
  readonly faults: readonly string[];
  /** What stands there, without what differs from scene to scene. */
  readonly posted: readonly Posted[];
  /** What the process that answered did, and what the first one after it did. */
  readonly steps: readonly (readonly string[])[];
}

/** Words of the answer. */
const words = 80;

let scenes = 0;

/** Plays a scene; `receiving` is the process that is asked. */
export async function play(
  world: World,
  receiving: Process,
  { way, locale, first, then }: Scene,
): Promise<{ readonly end: End; readonly survivor: Process }> {
  const mark = `s${String(++scenes).padStart(5, '0')}n`;
  const asked = questionOf(`scene ${mark}`, mark, words);
  const asking = await world.place.asking(way, locale);
  const { life } = receiving;
  const before = life.steps.length;
  if (first !== 'in the middle') life.diesAfter(first);
  asking.ask(asked.prompt);
  const isRead = async () => (await asking.posted()).some(({ text }) => text.includes(`${mark}n3x`));
  const isInTheMiddle = async () => asking.isBegun?.() ?? isRead();
  const isOver = async () => (await asking.hanging()).length === 0 && (await isIdle(world));
  // Before it's on record nothing is under way either; afterwards it stays there.
  let taken = false;
  const isTaken = async () => (taken ||= await isOnRecord(world, mark));
  if (first === 'in the middle') {
    await world.until('its beginning', isInTheMiddle);
    await world.calm();
  } else await world.until('its end', async () => life.isDead || ((await isTaken()) && (await isOver())));
  life.die();
  const steps = [life.steps.slice(before)];
  for (const { after, away = false } of then) {
    const next = new Life();
    next.isAway = away;
    if (after !== undefined) next.diesAfter(after);
    await world.start(next, false);
    if (away) await passes(world, next, 60_000);
    else await world.until('the next death', async () => next.isDead || (await isOver()));
    next.die();
    steps.push(next.steps);
  }
  const survivor = await world.start(new Life(), true);
  await world.until(`the end of ${JSON.stringify({ way, first, then })}`, isOver).catch(async (error) => {
    const left = { hanging: await asking.hanging(), ...(await underWay(world)), steps: survivor.life.steps };
    throw new Error(`${(error as Error).message}: ${JSON.stringify(left)}`);
  });
  await world.calm();
  steps.push(survivor.life.steps);
  const posted = await asking.posted();
  const wish = { command: 'ask', ...asked, by: locale === 'zh-CN' ? 'wei' : 'ada' } as const;
  const { fate, faults } = judgeAnswer(wish, posted);
  const { continue: goOn, tryAgain } = say(locale);
  const told = posted.filter(({ buttons }) =>
    buttons.some((label) => [goOn, tryAgain].includes(label)),
  ).length;
  const twice =
    told > (asking.isSaidAgain ? 1 + then.length : 1) ? [`it's said ${told} times that it was cut off`] : [];
  const plain = posted.map(({ text, buttons }) => ({ text: text.replaceAll(mark, 'n'), buttons }));
  return {
    end: { fate, faults: [...faults, ...twice, ...(await leftovers(world))], posted: plain, steps },
    survivor,
  };
}

/** So much time passes while it lives, or it dies. */
async function passes(world: World, life: Life, milliseconds: number): Promise<void> {
  let isOver = false;
  world.clock.after(milliseconds, () => {
    isOver = true;
  });
  await world.until('a while', () => life.isDead || isOver);
}

async function isOnRecord({ database }: World, mark: string): Promise<boolean> {
  const jobs = database.selectFrom('jobs').select('id').where('options', 'like', `%${mark}%`);
  return (await jobs.execute()).length > 0;
}

async function isIdle(world: World): Promise<boolean> {
  const { running, delivering } = await underWay(world);
  return running.length + delivering.length === 0;
}
