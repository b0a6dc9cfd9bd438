import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, KeyedQueue } from '../lib/clock.ts';
import {
  type AnyValues,
  type Caller,
  canBePrivate,
  conversationKey,
  type HeldRequest,
  isPrivate,
  type OptionFault,
  type PreparedRequest,
  seenBy,
} from '../port/index.ts';
import { type Words, words } from '../words/index.ts';
import type { Action, Command, CommandRules, Elsewhere, Refusal, Verdict } from './command.ts';

/**
 * Whether a command may run: its values have to be as it reads them, the place has to allow what it posts, and the rules
 * have to agree. Who may not write there, or isn't seen, gets a private answer where the command has those.
 */
export async function admit(
  rules: CommandRules,
  command: Command,
  given: AnyValues,
  caller: Caller,
): Promise<Verdict> {
  const { readsOnly, unseen, locale } = caller.requester;
  const revived = command.revive(given);
  if ('faults' in revived) return refusedFor(command.name, revived.faults, words(locale));
  const { values } = revived;
  const isShown = seenBy(command, values) === 'channel';
  if (readsOnly && isShown && !canBePrivate(command)) return writingRefused(caller);
  const isAlone = (readsOnly || unseen) && isShown && canBePrivate(command);
  const verdict = await rules(command, isAlone ? { ...values, private: true } : values, caller);
  if (verdict.kind === 'refused') return verdict;
  const postsFiles = command.fileKind?.(verdict.values) ?? command.postsFiles;
  const posted = { ...(postsFiles && { postsFiles }) };
  return filesRefused(posted, caller, isPrivate({ options: verdict.values })) ?? verdict;
}

/** What somebody is told who may only read the place, and wants something posted there. */
export function writingRefused({ requester }: Caller): Refusal {
  return refused(words(requester.locale).readersOnly);
}

/**
 * A refusal where a command or a button posts files and the place takes none; undefined otherwise. What is private isn't
 * posted in the place, so a permission that the bot lacks there doesn't matter.
 */
export function filesRefused(
  { postsFiles }: Pick<Command, 'postsFiles'> | Pick<Action, 'postsFiles'>,
  { postingLimits, requester }: Caller,
  isPrivately = false,
): Refusal | undefined {
  if (!postsFiles) return undefined;
  const { files, fileKinds, shut, voiceMessages } = postingLimits ?? {};
  const isVoiceMessage = postsFiles === 'voice' && voiceMessages === true;
  const say = words(requester.locale);
  if (shut !== undefined) return refused(shut);
  if (files !== undefined && !isPrivately && !isVoiceMessage) return refused(say.filesNotAllowed(files));
  return fileKinds === undefined ? undefined : refused(say.fileKindsNotAllowed(fileKinds));
}

function refused(text: string): Refusal {
  return { kind: 'refused', text, reason: 'place' };
}

/** The refusal of a command whose options are wrong: the sentence about them, and the faults themselves. */
export function refusedFor(command: string, faults: readonly OptionFault[], say: Words): Refusal {
  return { kind: 'refused', text: say.faults(command, faults), faults, reason: 'options' };
}

/** A command waits no longer for an earlier one that doesn't start, in milliseconds. */
const startPatience = 5_000;
/** Nor for one that isn't recorded: this wait is before the acknowledgement, for which Discord gives three seconds. */
const recordPatience = 1_000;

/** One command's turn to start. At the end of who took it, it's left unless a command was prepared with it. */
export interface StartTurn extends Disposable {
  /** Records it once every earlier command of its key has been recorded, or won't be. */
  record<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when every earlier command of its key has started; then this one counts as started, too. */
  begin(): Promise<void>;
  /** It will not start. */
  leave(): void;
  /** When it was taken, in milliseconds since the epoch. */
  readonly since: number;
  /** Counts the events of this process, from 1. */
  readonly arrival: number;
  /** A command was prepared with it, which then starts or leaves by itself. */
  claimed: boolean;
}

/**
 * Commands with the same key are recorded and start in the order they came, however long each one's preparation and
 * acknowledgement take. A key with nothing about to start takes no memory.
 */
export class OrderedStart {
  readonly #clock: Clock;
  readonly #starts = new KeyedQueue();
  readonly #records = new KeyedQueue();
  #arrivals = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Call in the order of arrival. */
  takeTurn(key: string): StartTurn {
    const start = slotIn(this.#starts, key, this.#clock, startPatience);
    const recording = slotIn(this.#records, key, this.#clock, recordPatience);
    const leave = () => {
      recording.leave();
      start.leave();
    };
    const turn: StartTurn = {
      since: this.#clock.now(),
      arrival: ++this.#arrivals,
      claimed: false,
      leave,
      async record(work) {
        await recording.turn;
        return work().finally(recording.leave);
      },
      async begin() {
        await start.turn;
        leave();
      },
      [Symbol.dispose]() {
        if (!turn.claimed) leave();
      },
    };
    return turn;
  }
}

/** A slot in the queue of a key, which is left after a while in any case. */
function slotIn(queue: KeyedQueue, key: string, clock: Clock, longest: number) {
  const { promise: turn, resolve: take } = Promise.withResolvers<void>();
  const { promise: left, resolve } = Promise.withResolvers<void>();
  void queue.run(key, () => {
    take();
    return left;
  });
  const cancel = clock.after(longest, resolve);
  const leave = () => {
    cancel();
    resolve();
  };
  return { turn, leave };
}

/** In a turn of the event loop longer than this, what comes in has to wait, in milliseconds. */
const longTurn = 10;
/** However much comes in, somebody begins after so long, in milliseconds. */
const gatePatience = 50;

/**
 * What is acknowledged is on record and can wait for a moment; what comes in cannot. So one begins in a turn of the
 * event loop, first come first served, and none while the turns are long: a burst is acknowledged first and worked off
 * after. Where nothing is going on one begins at once.
 */
export class StartGate {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #isOpen = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is one's turn to begin. */
  async enter(): Promise<void> {
    if (!this.#isOpen) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isOpen = false;
    void this.#letIn();
  }

  /** Lets in those who wait until there are none and the event loop keeps up. */
  async #letIn(): Promise<void> {
    let begun = this.#clock.steady();
    for (;;) {
      const before = this.#clock.steady();
      await nextTurn();
      const now = this.#clock.steady();
      if (now - before > longTurn && now - begun < gatePatience) continue;
      const next = this.#waiting.shift();
      if (!next) break;
      next();
      begun = now;
    }
    this.#isOpen = true;
  }
}

/** Commands of one person that may wait in a channel, not counting the one that runs. */
export const mostWaiting = 3;
/** What was admitted and never begun is forgotten after so long, in milliseconds. */
const backlogPatience = 60_000;

/** One command's slot in the backlog. */
export interface BacklogSlot {
  /** It runs now: it keeps its slot until it leaves. */
  begin(): void;
  /** It has ended, or will not begin. */
  leave(): void;
}

interface Waiting {
  count: number;
  /** The person was told that the backlog is full, since one of theirs last ended. */
  wasTold: boolean;
}

const unlimited: BacklogSlot = { begin: () => {}, leave: () => {} };

/** Keeps one person from filling a channel with commands that wait for one another. */
export class Backlog {
  readonly #clock: Clock;
  readonly #elsewhere: Elsewhere | undefined;
  readonly #waiting = new Map<string, Waiting>();

  /** `elsewhere` where the bot has several processes. */
  constructor(clock: Clock, elsewhere?: Elsewhere) {
    this.#clock = clock;
    this.#elsewhere = elsewhere;
  }

  /** Takes a slot for a command, or refuses it; `others` counts what isn't in this memory. */
  async enter(
    command: Pick<Command, 'name' | 'queues'>,
    { address, requester }: Caller,
    others = this.#elsewhere,
  ): Promise<BacklogSlot | Refusal> {
    if (!command.queues) return unlimited;
    const place = conversationKey(address);
    const elsewhere = (await others?.(requester.id, place)) ?? 0;
    const key = `${command.name} ${requester.id} ${place}`;
    const waiting = this.#waiting.get(key) ?? { count: 0, wasTold: false };
    if (waiting.count + elsewhere > mostWaiting) {
      const repeated = waiting.wasTold;
      waiting.wasTold = true;
      const text = words(requester.locale).tooManyWaiting(mostWaiting);
      return { kind: 'refused', text, reason: 'waiting', ...(repeated && { repeated }) };
    }
    waiting.count++;
    this.#waiting.set(key, waiting);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      cancel();
      waiting.count--;
      waiting.wasTold = false;
      if (waiting.count === 0) this.#waiting.delete(key);
    };
    const cancel = this.#clock.after(backlogPatience, leave);
    return { begin: () => cancel(), leave };
  }

  /** People with something under way or waiting. */
  get size(): number {
    return this.#waiting.size;
  }
}

/** Requests that are being prepared, or were accepted and are neither carried out nor left yet. */
export class HeldRequests {
  readonly #held = new Set<Promise<void>>();

  /**
   * Prepares a request. What's accepted is held until it's carried out or left: once it's on record or acknowledged, its
   * person waits for it. Who leaves its scope without carrying it out abandons it.
   */
  async hold(prepare: () => Promise<PreparedRequest>): Promise<HeldRequest> {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    this.#held.add(left);
    let isHeld = true;
    const leave = () => {
      isHeld = false;
      this.#held.delete(left);
      resolve();
    };
    let prepared: PreparedRequest | undefined;
    try {
      prepared = await prepare();
    } finally {
      if (prepared?.kind !== 'accepted') leave();
    }
    if (prepared.kind !== 'accepted') return Object.assign(notHeld(), prepared);
    const { record, run, abandon: leaves } = prepared;
    const abandon = (why?: 'refused') => leaves(why).finally(leave);
    let isBegun = false;
    return {
      ...prepared,
      async record() {
        let isNew = false;
        try {
          isNew = await record();
        } finally {
          if (!isNew) leave();
        }
        return isNew;
      },
      abandon,
      run(reply) {
        isBegun = true;
        return run(reply).finally(leave);
      },
      async [Symbol.asyncDispose]() {
        if (isHeld && !isBegun) await abandon();
      },
    };
  }

  /** Resolves when none of those is left that are held now. */
  async settled(): Promise<void> {
    await Promise.all(this.#held);
  }
}

const scope: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

/** What leaves nothing behind. It has no properties of its own. */
function notHeld(): AsyncDisposable {
  return Object.create(scope);
}
