import { untilDone, type Waits } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLocal } from '../../lib/local-faults.ts';
import {
  channelKey,
  isAccessLostForGood,
  type LiveAnswers,
  type MessageAddress,
  onNewError,
  type PlatformAdapters,
  PlatformError,
  platformNames,
} from '../../port/index.ts';
import type { StoredRemovals } from '../../store/index.ts';
import { adapterOf } from '../adapter-of.ts';

export interface RemovalsDependencies {
  readonly stored: StoredRemovals;
  readonly answers: Pick<LiveAnswers, 'forget'>;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** What came of a try; `later` if the platform, or this machine, couldn't do it now. */
type Fate = 'gone' | 'kept' | 'later';

/** Between tries, in milliseconds. */
const waits: Waits = { first: 1_000, longest: 60_000 };

/**
 * Messages of the bot that are to be removed. They're on record from before the first try until the platform has removed
 * them or refuses to for good, so that a failure or a death in between leaves none behind. To remove one twice does no harm.
 */
export class Removals {
  readonly #dependencies: RemovalsDependencies;
  readonly #stop = new AbortController();
  /** Those that the database didn't take yet, by their place and id. */
  readonly #unrecorded = new Map<string, MessageAddress>();
  /** Whom to tell that one of those left for later is kept, by their place and id. */
  readonly #onKept = new Map<string, () => void>();
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
    const { stored, log } = this.#dependencies;
    await stored.add(messages).catch((error: unknown) => {
      log.warn({ error }, 'the removal of messages could not be recorded');
      for (const message of messages) this.#unrecorded.set(nameOf(message), message);
    });
    const fates = new Map<MessageAddress, Fate>();
    for (const message of messages) fates.set(message, await this.#try(message));
    const left = messages.filter((message) => fates.get(message) === 'later');
    if (left.length > 0) this.goOn();
    if (!onKept) return;
    if ([...fates.values()].includes('kept')) return onKept();
    const names = left.map(nameOf);
    const tell = () => {
      for (const name of names) this.#onKept.delete(name);
      onKept().catch((error: unknown) => log.warn({ error }, 'nobody could be told that a message stays'));
    };
    for (const name of names) this.#onKept.set(name, tell);
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
      if ((await this.#tryAll()) > 0) throw new PlatformError('unreachable');
    };
    while (this.#hasMore && !signal.aborted)
      await untilDone(round, { clock, waits, signal, failed }).catch(() => {});
  }

  /** Tries each once. @returns how many are left. */
  async #tryAll(): Promise<number> {
    const { stored, adapters } = this.#dependencies;
    for (const [name, message] of this.#unrecorded) {
      await stored.add([message]);
      this.#unrecorded.delete(name);
    }
    let left = 0;
    for (const platform of platformNames) {
      if (!adapters(platform)) continue;
      for await (const page of stored.of(platform))
        for (const message of page) {
          this.#stop.signal.throwIfAborted();
          const fate = await this.#try(message);
          if (fate === 'later') left += 1;
          else if (fate === 'kept') this.#onKept.get(nameOf(message))?.();
          if (fate === 'gone') this.#onKept.delete(nameOf(message));
        }
    }
    return left;
  }

  async #try(message: MessageAddress): Promise<Fate> {
    const { stored, answers, log } = this.#dependencies;
    try {
      const fate = await this.#removed(message);
      if (fate === 'gone') await answers.forget(message);
      if (fate !== 'later') await stored.done(message);
      if (fate !== 'later') this.#unrecorded.delete(nameOf(message));
      return fate;
    } catch (error) {
      if (!isLocal(error)) throw error;
      log.warn({ error }, 'the removal of a message could not be recorded');
      return 'later';
    }
  }

  async #removed(message: MessageAddress): Promise<Fate> {
    const { log } = this.#dependencies;
    try {
      await adapterOf(this.#dependencies, message).remove(message);
      return 'gone';
    } catch (error) {
      if (isLocal(error)) return 'later';
      if (!(error instanceof PlatformError)) {
        log.warn({ error }, 'a message could not be removed');
        return 'kept';
      }
      if (error.kind === 'gone' || error.kind === 'deleted') return 'gone';
      return error.kind === 'unreachable' && !isAccessLostForGood(error) ? 'later' : 'kept';
    }
  }
}

function nameOf(message: MessageAddress): string {
  return `${channelKey(message)} ${message.message}`;
}
