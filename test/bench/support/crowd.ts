import { setTimeout } from 'node:timers/promises';

/** `help` costs nothing and answers at once; `ask` is a paid answer that streams. */
export type GivenCommand = 'help' | 'ask';

/** What became of the commands of a crowd. */
export interface Given {
  /** How many milliseconds each waited until the bot's acknowledgement had arrived. */
  readonly waits: readonly number[];
  readonly lost: number;
  /** The share of the time in which the test server itself was busy: near 1 it is what people wait for. */
  readonly busy: number;
}

/** Many people of a test server, who give commands at a steady pace. */
export interface Crowd {
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when the bot, which is at that address, can be given commands. */
  reached(url: string): Promise<unknown>;
  give(command: GivenCommand, perSecond: number, seconds: number): Promise<Given>;
  close(): Promise<void>;
}

/** No platform waits longer for an acknowledgement, in milliseconds. */
const patience = 3_000;

/** Gives commands steadily. `give` is told how to say that one was acknowledged. */
export async function steadily(
  perSecond: number,
  seconds: number,
  give: (acknowledged: () => void) => void,
): Promise<Given> {
  const waits: number[] = [];
  const count = perSecond * seconds;
  const began = performance.now();
  const idle = performance.eventLoopUtilization();
  for (let given = 0; given < count; given++) {
    const late = began + (given * 1_000) / perSecond - performance.now();
    if (late > 1) await setTimeout(late);
    const at = performance.now();
    give(() => waits.push(performance.now() - at));
  }
  const busy = performance.eventLoopUtilization(idle).utilization;
  const until = performance.now() + patience;
  while (waits.length < count && performance.now() < until) await setTimeout(20);
  const inTime = waits.filter((wait) => wait <= patience);
  return { waits: inTime, lost: count - inTime.length, busy };
}
