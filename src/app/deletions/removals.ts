import { untilDone, type Waits } from '../../lib/backoff.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import {
  isAccessLostForGood,
  type LiveAnswers,
  type MessageAddress,
  onNewError,
  type PlatformAdapters,
  PlatformError,
  platformNames,
  type Removal,
  type RemovalFate,
} from '../../port/index.ts';
import { removalKey, type StoredRemovals } from '../../store/index.ts';
import { adapterOf } from '../adapter-of.ts';

export interface RemovalsDependencies {
  readonly stored: StoredRemovals;
  readonly answers: Pick<LiveAnswers, 'forget'>;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** Between tries, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };
/** So many wait in memory at most: an outage takes no more than this. */
const most = 1_000;
/** A workspace that couldn't be reached so often in a row is left alone until the next round. */
const mostInVain = 3;

/**
 * Messages of the bot that are to be removed, or to show that a question is over. They're on record from before the first try
 * until the platform has done it or refuses to for good, so that a failure or a death in between leaves none behind. To try
 * one twice does no harm.
 */
export class Removals {
  readonly #dependencies: RemovalsDependencies;
  readonly #stop = new AbortController();
  /** Those that the database didn't take yet, by their key. */
  readonly #unrecorded = new BoundedMap<string, Removal>({ most });
  /** Whom to tell that one of those left for later is kept, by their key. */
  readonly #onKept = new BoundedMap<string, () => void>({ most });
  #underWay: Promise<void> | undefined;
  #hasMore = false;

  constructor(dependencies: RemovalsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Removes messages in their order. Resolves when each was tried once; what can't be removed now is later, by whichever
   * process lives then. `onKept` is called once if the platform refuses to remove any of them: while this waits, or later.
   */
  async remove(messages: readonly MessageAddress[], onKept?: () => Promise<void>): Promise<void> {
    const { log } = this.#dependencies;
    const removals = messages.map((message) => ({ message }));
    await this.#dependencies.stored.add(removals).catch((error: unknown) => {
      log.warn({ error }, 'the removal of messages could not be recorded');
      for (const removal of removals) this.#unrecorded.set(removalKey(removal), removal);
    });
    const fates = await this.try(removals);
    if (!onKept) return;
    if (fates.includes('kept')) return onKept();
    const left = removals.filter((_, index) => fates[index] === 'later').map(removalKey);
    const tell = () => {
      for (const key of left) this.#onKept.delete(key);
      onKept().catch((error: unknown) => log.warn({ error }, 'nobody could be told that a message stays'));
    };
    for (const key of left) this.#onKept.set(key, tell);
  }

  /** Tries each once, in their order; what's on record and can't be done now is done later. Returns what came of each. */
  async try(removals: readonly Removal[]): Promise<readonly RemovalFate[]> {
    const fates = await this.#tryEach(removals, new Map());
    if (fates.includes('later')) this.goOn();
    return fates;
  }

  /** Tries what becomes of a question's message and is on record. */
  async closeQuestion(question: Removal): Promise<RemovalFate> {
    const [fate = 'kept'] = await this.try([question]);
    return fate;
  }

  /** Goes on with all that are on record, also those of processes that have ended. */
  goOn(): void {
    this.#hasMore = true;
    this.#underWay ??= this.#work().finally(() => {
      this.#underWay = undefined;
    });
  }

  /** Leaves the rest to another process, or the next. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.#underWay;
  }

  async #work(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = onNewError((error) => log.warn({ error }, 'messages could not be removed yet'));
    const round = async () => {
      this.#hasMore = false;
      if (await this.#tryAll()) throw new PlatformError('unreachable');
    };
    while (this.#hasMore && !signal.aborted)
      await untilDone(round, { clock, waits, signal, failed }).catch(() => {});
  }

  /** Tries each once. @returns whether some are left. */
  async #tryAll(): Promise<boolean> {
    const { stored, adapters } = this.#dependencies;
    for (const key of this.#unrecorded.keys()) {
      const removal = this.#unrecorded.get(key);
      if (removal) await stored.add([removal]);
      this.#unrecorded.delete(key);
    }
    let areLeft = false;
    const inVain = new Map<string, number>();
    for (const platform of platformNames) {
      if (!adapters(platform)) continue;
      for await (const page of stored.of(platform)) {
        const fates = await this.#tryEach(page, inVain, this.#stop.signal);
        areLeft ||= fates.includes('later');
        for (const [index, removal] of page.entries()) {
          const key = removalKey(removal);
          if (fates[index] === 'kept') this.#onKept.get(key)?.();
          if (fates[index] === 'done') this.#onKept.delete(key);
        }
      }
    }
    return areLeft;
  }

  /** `inVain`: how often in a row each workspace couldn't be reached. */
  async #tryEach(
    removals: readonly Removal[],
    inVain: Map<string, number>,
    signal?: AbortSignal,
  ): Promise<readonly RemovalFate[]> {
    const fates: RemovalFate[] = [];
    for (const removal of removals) {
      signal?.throwIfAborted();
      const { platform, workspace } = removal.message;
      const place = `${platform} ${workspace}`;
      const before = inVain.get(place) ?? 0;
      const fate = before < mostInVain ? await this.#try(removal) : 'later';
      inVain.set(place, fate === 'later' ? before + 1 : 0);
      fates.push(fate);
    }
    return fates;
  }

  async #try(removal: Removal): Promise<RemovalFate> {
    const { stored, answers, log } = this.#dependencies;
    try {
      const fate = await this.#fate(removal);
      // Whoever deletes a closed question from now on doesn't mean what it was about.
      if (fate === 'done') await answers.forget(removal.message);
      if (fate !== 'later') await stored.done(removal);
      if (fate !== 'later') this.#unrecorded.delete(removalKey(removal));
      return fate;
    } catch (error) {
      if (!isLocal(error)) throw error;
      log.warn({ error }, 'the removal of a message could not be recorded');
      return 'later';
    }
  }

  async #fate({ message, shows }: Removal): Promise<RemovalFate> {
    const { log } = this.#dependencies;
    try {
      const adapter = adapterOf(this.#dependencies, message);
      await (shows ? adapter.edit(message, shows) : adapter.remove(message));
      return 'done';
    } catch (error) {
      if (isLocal(error)) return 'later';
      if (!(error instanceof PlatformError)) {
        log.warn({ error }, 'a message could not be removed');
        return 'kept';
      }
      const isGone = error.kind === 'gone' || error.kind === 'deleted';
      // What only its person sees can't be edited everywhere.
      if (isGone) return shows ? 'kept' : 'done';
      return error.kind === 'unreachable' && !isAccessLostForGood(error) ? 'later' : 'kept';
    }
  }
}
