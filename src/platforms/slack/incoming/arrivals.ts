import { createHash } from 'node:crypto';
import type { Coordination } from '../../../coordination/index.ts';
import { GivenUpError } from '../../../engine/index.ts';
import { type Clock, inTime, sleep, untilDone, type Waits } from '../../../lib/clock.ts';
import { eventsComeWithin } from '../../../port/index.ts';
import type { Records } from '../../../store/index.ts';
import { RecentEvents } from '../api/recent-events.ts';

/** Milliseconds for the database to say whether another process has taken something. */
const patience = 1_000;
/** Between tries to note while the database is away, in milliseconds: others ask soon after it's back. */
const waits: Waits = { first: 250, longest: 1_000 };
/** How many ids wait to be noted meanwhile, at most. */
const mostToNote = 10_000;
/** When it's looked whether the process that took something still lives, in milliseconds: people wait for three seconds. */
const standsByFor = 500;

export interface ArrivalsDependencies {
  readonly store: Pick<Records, 'add' | 'change' | 'get' | 'has'>;
  readonly coordination: Pick<Coordination, 'process' | 'locks' | 'slots' | 'others'>;
  readonly clock: Clock;
}

/** What's on record of something that's to be answered at once. */
interface Claim {
  readonly process: string;
}

/**
 * Tells what Slack sends for the first time from what it repeats: it may send anything again, a mention comes as two
 * events, and with several processes each of them may get one. A process that's alone knows that by itself.
 */
export class Arrivals {
  readonly #dependencies: ArrivalsDependencies;
  readonly #recent: RecentEvents;
  /** What people have been told nothing comes of, until that's noted. */
  readonly #toNote = new Set<string>();

  constructor(dependencies: ArrivalsDependencies) {
    this.#dependencies = dependencies;
    this.#recent = new RecentEvents(dependencies.clock, eventsComeWithin);
  }

  /**
   * True for the first process that asks, once: for what Slack sends to be answered at once, and doesn't send again if
   * its process dies. Where it came to another one, too (a proxy may repeat it), that one stands by, and handles it if the
   * first dies. Without the database it's taken, and finds that out when it's handled.
   */
  async isFirst(id: string): Promise<boolean> {
    if (!this.#recent.isNew(id)) return false;
    const { store, coordination, clock } = this.#dependencies;
    if (!this.#hasOthers) return true;
    const claim: Claim = { process: coordination.process };
    const added = store.add(keyOf(id), claim, eventsComeWithin).catch(() => true);
    return (await inTime(clock, patience, added, true)) || this.#inherits(id);
  }

  /** True if the process that took it has died, and it's this one's now. */
  async #inherits(id: string): Promise<boolean> {
    const { store, coordination, clock } = this.#dependencies;
    await sleep(clock, standsByFor);
    try {
      const { process } = (await store.get<Partial<Claim>>(keyOf(id))) ?? {};
      if (process === undefined || (await coordination.others.present()).has(process)) return false;
      const own: Claim = { process: coordination.process };
      const taken = await store.change<Partial<Claim>>(keyOf(id), eventsComeWithin, (before) =>
        before?.process === process ? own : undefined,
      );
      return taken !== undefined;
    } catch {
      return false;
    }
  }

  /**
   * Does the work once in all processes; a repetition waits for it, and does it again if it failed, or if the process
   * that did it died. Without the database the work finds that out itself.
   */
  once(id: string, work: () => Promise<void>): Promise<void> {
    return this.#recent.once(id, () =>
      this.#hasOthers ? this.#onceInAll(id, work) : this.#unlessTold(id, work),
    );
  }

  /** Its person was told that nothing comes of it: no process does it any more, the next one neither, once that can be noted. */
  wasTold(id: string): void {
    if (this.#toNote.size >= mostToNote) return;
    this.#toNote.add(id);
    if (this.#toNote.size === 1) void this.#noteAll();
  }

  async #noteAll(): Promise<void> {
    const { store, clock } = this.#dependencies;
    for (const id of this.#toNote) {
      await untilDone(() => store.add(keyOf(id), true, eventsComeWithin), { clock, waits });
      this.#toNote.delete(id);
    }
  }

  /** An earlier process may have told its person that nothing comes of it. */
  async #unlessTold(id: string, work: () => Promise<void>): Promise<void> {
    const wasTold = await this.#dependencies.store.has(keyOf(id)).catch(() => false);
    if (!wasTold) await work();
  }

  async #onceInAll(id: string, work: () => Promise<void>): Promise<void> {
    const { store, coordination } = this.#dependencies;
    let hasBegun = false;
    const unlessDone = async () => {
      hasBegun = true;
      if (await store.has(keyOf(id))) return;
      // Where this can't be noted, what the work has put on record still tells a repetition.
      const note = () => store.add(keyOf(id), true, eventsComeWithin).catch(() => undefined);
      await work().catch(async (error: unknown) => {
        // The person has been told that nothing comes of it.
        if (error instanceof GivenUpError) await note();
        throw error;
      });
      await note();
    };
    await coordination.locks.run(`slack ${keyOf(id)}`, unlessDone).catch((error: unknown) => {
      if (hasBegun) throw error;
      return work();
    });
  }

  /** Whether other processes may get the same. */
  get #hasOthers(): boolean {
    return this.#dependencies.coordination.slots !== undefined;
  }
}

function keyOf(id: string): string {
  return `arrived ${id}`;
}

/** What tells a command, a press, a form or a shortcut from another of its kind. */
interface Interaction {
  readonly trigger_id?: string;
  readonly response_url?: string;
  readonly action_ts?: string;
  readonly actions?: readonly object[];
  readonly view?: { readonly id: string; readonly hash?: string } | undefined;
}

/**
 * The id of what somebody does: the same where Slack repeats it. Slack makes a trigger for each; what stands in for Slack may
 * always send the one of the documentation's example, so what else differs counts, too. A hash: records keep it for longer
 * than anybody may answer at the address.
 */
export function interactionId(
  kind: 'command' | 'press' | 'form' | 'shortcut',
  { trigger_id: trigger, response_url: url, action_ts: at, actions = [], view }: Interaction,
): string {
  const [action]: readonly { readonly action_ts?: string }[] = actions;
  const told = JSON.stringify([trigger, url, at ?? action?.action_ts, view?.id, view?.hash]);
  return `slack:${kind}:${createHash('sha256').update(told).digest('base64url')}`;
}
