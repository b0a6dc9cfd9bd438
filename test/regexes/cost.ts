import { createContext, runInContext } from 'node:vm';
import { type Attack, attacksOn, textOf } from './attacks.ts';

/** Attacks that are tried together, each with a part: where all are fast, none needs a closer look. */
const together = 2_000;
/** What they may take together, in milliseconds: those of a linear pattern take a quarter of it at most. */
const mostTogether = 200;
/**
 * At a closer look short texts are tried first, each this much longer than the one before: so even an exponential
 * pattern takes too long for one of them before it takes longer than anybody would wait.
 */
const fewestPumps = 4;
const growth = 1.5;
/** What each of them may take, in milliseconds: a linear pattern takes a tenth of it at most. */
const most = 3;
/**
 * Lengths that are tried after those, in characters, at last what a prompt of the service may have. There a linear
 * pattern takes one or two milliseconds at most, a quadratic one a hundred and more.
 */
const part = 1_250;
const whole = 20_000;
/** What the whole may take, in milliseconds. */
export const limit = 15;
/** A part that takes longer than this, in milliseconds, is worth trying whole. */
const suspicious = 0.2;
/** The fastest of several runs is what a pattern costs, whatever else the machine does meanwhile. */
const runs = 7;
/** As many more where it takes too long, but not as long as a quadratic one: a machine may be busy for a while. */
const moreRuns = 100;
const quadratic = 100;

/** The attack that takes a pattern too long, and how long, in milliseconds; undefined where none does. */
export function costlyAttack(regex: RegExp): { readonly attack: Attack; readonly took: number } | undefined {
  const attacks = [...attacksOn(regex)];
  for (let begin = 0; begin < attacks.length; begin += together) {
    const some = attacks.slice(begin, begin + together);
    for (const attack of some.slice(harmlessOf(regex, some))) {
      const took = costOf(regex, attack);
      if (took > limit) return { attack, took };
    }
  }
  return undefined;
}

/** Where `task` runs: V8 ends what it's told to run there in time, even in the middle of a search. */
const limited = createContext({ task: () => {} });

/** For a part of how many of these attacks, from the first, a pattern is fast, and takes not too long together. */
function harmlessOf(regex: RegExp, attacks: readonly Attack[]): number {
  let harmless = 0;
  limited.task = () => {
    for (const attack of attacks) {
      if (fastest(regex, textOf(attack, part), suspicious) > suspicious) return;
      harmless += 1;
    }
  };
  try {
    runInContext('task()', limited, { timeout: mostTogether });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return harmless;
}

/** How long a pattern takes for an attack, in milliseconds: infinitely long where a short one takes too long. */
export function costOf(regex: RegExp, attack: Attack): number {
  for (let length = fewestPumps * attack.pump.length; length < part; length = Math.ceil(length * growth)) {
    if (fastest(regex, textOf(attack, length), most) > most) return Number.POSITIVE_INFINITY;
  }
  if (fastest(regex, textOf(attack, part), suspicious) <= suspicious) return 0;
  const text = textOf(attack, whole);
  const took = fastest(regex, text, limit);
  return took > limit && took < quadratic ? fastest(regex, text, limit, moreRuns) : took;
}

/** The fastest of several runs; the first that is fast enough will do. */
function fastest(regex: RegExp, text: string, enough: number, times = runs): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times && least > enough; run++) {
    const begun = performance.now();
    search(regex, text);
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

/** Everything a pattern finds in a text, as `matchAll` and `replaceAll` look; else the first. */
function search(regex: RegExp, text: string): void {
  regex.lastIndex = 0;
  if (regex.global) text.replace(regex, '');
  else regex.exec(text);
}
