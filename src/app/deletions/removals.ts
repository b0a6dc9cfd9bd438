import { BoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, untilDone, type Waits } from '../../lib/clock.ts';
import { isLocal, onNewError, unlessLocal } from '../../lib/local-faults.ts';
import {
  adapterOf,
  ArchivedError,
  conversationKey,
  isAccessLostForGood,
  isQuestion,
  type LiveAnswers,
  type Message,
  type MessageAddress,
  type PlatformAdapters,
  PlatformError,
  type PlatformErrorKind,
  type PlatformName,
  platformNames,
  type Removal,
  type RemovalFate,
} from '../../port/index.ts';
import { removalKey, type StoredRemovals } from '../../store/index.ts';

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

/** Where the bot may do nothing now it may again later: between tries, and for how long it's tried, in milliseconds. */
const shutOutRetry = 3_600_000;
const longestShutOut = 7 * 86_400_000;
const shutOutKinds: readonly PlatformErrorKind[] = ['no-permission', 'not-a-member'];

/** What came of a try; `shut out`: the bot may not do it now. */
type Fate = RemovalFate | 'shut out';

/** How the tries of a round go in a workspace. */
interface Tries {
  /** The message behind which the round begins; what comes before it was tried in the last one. */
  behind: string | undefined;
  /** How often in a row the workspace couldn't be reached. */
  inVain: number;
  lastTried?: string;
  /** What comes behind the last one is left for the next round. */
  isGivenUp?: true;
}

/**
 * Messages of the bot that are to be removed, or to show something else: that a question is over, or the next one; that an
 * answer ends there, or what was announced isn't coming. They're on record from before the first try until the platform has
 * done it or refuses to for good, so that a failure or a death in between leaves none behind. To try one twice does no harm.
 */
export class Removals {
  readonly #dependencies: RemovalsDependencies;
  readonly #stop = new AbortController();
  /** Those that the database didn't take yet, by their key. */
  readonly #unrecorded = new BoundedMap<string, Removal>({ most });
  /** Whom to tell that one of those left for later is kept, by their key. */
  readonly #onKept = new BoundedMap<string, () => void>({ most });
  /** Those that are being tried. */
  readonly #tried = new Map<string, Promise<Fate>>();
  /** Places and messages that the next rounds leave out, by their keys, until `#cancelRetry` ends that. */
  readonly #resting = new Set<string>();
  #cancelRetry: (() => void) | undefined;
  /** A platform that doesn't answer holds up no other. */
  readonly #underWay = new Map<PlatformName, Promise<void>>();
  readonly #haveMore = new Set<PlatformName>();
  /** Where the last round gave up in each workspace, so that what can never be done stops nothing behind it. */
  readonly #givenUpAt = new Map<PlatformName, ReadonlyMap<string, string>>();

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
    const fates = await this.#begin(removals);
    if (!onKept) return;
    if (fates.some(isRefused)) return onKept();
    const left = removals.filter((_, index) => fates[index] === 'later').map(removalKey);
    const tell = () => {
      for (const key of left) this.#onKept.delete(key);
      onKept().catch((error: unknown) => log.warn({ error }, 'nobody could be told that a message stays'));
    };
    for (const key of left) this.#onKept.set(key, tell);
  }

  /** Takes away messages of an answer that isn't to be shown, the last one first. */
  async takeBack(messages: readonly MessageAddress[]): Promise<void> {
    const { answers } = this.#dependencies;
    // Otherwise their going would look as if somebody had deleted the answer.
    for (const { parts = [], ...address } of messages)
      for (const message of [...parts, address.message]) await answers.forget({ ...address, message });
    await this.remove(messages.toReversed());
  }

  /**
   * Shows in a message how it ends: nothing else is written there any more. Resolves when that was tried once; what can't be
   * shown now is later.
   */
  async end(message: MessageAddress, shows: Message): Promise<void> {
    await this.#begin([{ message, shows }]);
  }

  /** Puts them on record, and tries each once. */
  async #begin(removals: readonly Removal[]): Promise<readonly Fate[]> {
    const { stored, log } = this.#dependencies;
    await stored.add(removals).catch((error: unknown) => {
      log.warn({ error }, 'the change or removal of messages could not be recorded');
      for (const removal of removals) this.#keep(removal);
    });
    for (const removal of removals) for (const key of restKeys(removal)) this.#resting.delete(key);
    return this.#tryNow(removals);
  }

  /** Tries what becomes of a question's message and is on record: by each address in turn, until one reaches it. */
  async changeQuestion(question: readonly Removal[]): Promise<RemovalFate> {
    // Two addresses may be the same.
    const ways = [...new Map(question.map((one) => [removalKey(one), one])).values()];
    let fate: RemovalFate = 'kept';
    for (const [index, one] of ways.entries()) {
      const [tried = 'kept'] = await this.#tryNow([one]);
      fate = tried === 'shut out' ? 'kept' : tried;
      if (fate === 'later') break;
      if (fate === 'kept') continue;
      for (const other of ways.slice(index + 1))
        await this.#dependencies.stored.done(other).catch(unlessLocal);
      break;
    }
    return fate;
  }

  /**
   * Closes the question of a job, before anything else comes into its message.
   * @throws {PlatformError} `unreachable` as long as that can't be done.
   */
  async closeQuestionOf(job: string): Promise<void> {
    for (const question of await this.#dependencies.stored.ofQuestion(job))
      if ((await this.#try(question)) === 'later') throw new PlatformError('unreachable');
  }

  /** Goes on with all that are on record, also those of processes that have ended. */
  goOn(): void {
    for (const platform of platformNames) this.#goOnAt(platform);
  }

  /** Leaves the rest to another process, or the next. */
  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#stop.abort(new Error('shutting down'));
    await Promise.all(this.#underWay.values());
  }

  /** Keeps in memory what the database doesn't take. */
  #keep(removal: Removal): void {
    const key = removalKey(removal);
    if (this.#unrecorded.size >= most && !this.#unrecorded.has(key))
      this.#dependencies.log.warn(
        { most },
        'too many messages to be removed wait for the database; the oldest is ignored',
      );
    this.#unrecorded.set(key, removal);
  }

  /** Tries each once, in their order; what's on record and can't be done now is done later. Returns what came of each. */
  async #tryNow(removals: readonly Removal[]): Promise<readonly Fate[]> {
    const tries = new Map<string, Tries>();
    const fates: Fate[] = [];
    for (const removal of removals) {
      const { workspace } = removal.message;
      const there = tries.get(workspace) ?? { behind: undefined, inVain: 0 };
      tries.set(workspace, there);
      fates.push(await this.#tryUnlessInVain(removal, there));
    }
    if (fates.includes('later')) this.goOn();
    return fates;
  }

  #goOnAt(platform: PlatformName): void {
    this.#haveMore.add(platform);
    if (this.#underWay.has(platform) || this.#stop.signal.aborted) return;
    const ended = this.#work(platform).finally(() => {
      this.#underWay.delete(platform);
      if (this.#haveMore.has(platform)) this.#goOnAt(platform);
    });
    this.#underWay.set(platform, ended);
  }

  async #work(platform: PlatformName): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = onNewError((error) =>
      log.warn({ platform, error }, 'messages could not be changed or removed yet'),
    );
    const round = async () => {
      this.#haveMore.delete(platform);
      if (await this.#tryAll(platform)) throw new PlatformError('unreachable');
    };
    await untilDone(round, { clock, waits, signal, failed }).catch(() => {});
  }

  /** Tries each of a platform once: a workspace that doesn't answer holds up no other. @returns whether some are left. */
  async #tryAll(platform: PlatformName): Promise<boolean> {
    const { stored, adapters } = this.#dependencies;
    for (const key of this.#unrecorded.keys()) {
      const removal = this.#unrecorded.get(key);
      if (removal?.message.platform !== platform) continue;
      await stored.add([removal]);
      this.#unrecorded.delete(key);
    }
    if (!adapters(platform)) return false;
    const givenUpAt = this.#givenUpAt.get(platform);
    const tries = new Map<string, Tries>();
    let areLeft = false;
    for await (const page of stored.of(platform)) {
      const workspaces = Map.groupBy(page, ({ message }) => message.workspace);
      const ofPage = [...workspaces].map(([workspace, removals]) => {
        const there = tries.get(workspace) ?? { behind: givenUpAt?.get(workspace), inVain: 0 };
        tries.set(workspace, there);
        return this.#tryEach(removals, there);
      });
      const fates = (await Promise.all(ofPage)).flat();
      areLeft ||= fates.includes('later');
    }
    const givenUp = [...tries].flatMap(([workspace, { isGivenUp, lastTried }]) =>
      isGivenUp && lastTried !== undefined ? [[workspace, lastTried] as const] : [],
    );
    this.#givenUpAt.set(platform, new Map(givenUp));
    return areLeft;
  }

  /** Tries those of a round that are of one workspace, in their order. */
  async #tryEach(removals: readonly Removal[], tries: Tries): Promise<readonly Fate[]> {
    const fates: Fate[] = [];
    for (const removal of removals) {
      const fate = this.#stop.signal.aborted ? 'later' : await this.#tryUnlessInVain(removal, tries);
      const key = removalKey(removal);
      if (isRefused(fate)) this.#onKept.get(key)?.();
      if (fate === 'done') this.#onKept.delete(key);
      fates.push(fate);
    }
    return fates;
  }

  async #tryUnlessInVain(removal: Removal, tries: Tries): Promise<Fate> {
    const key = removalKey(removal);
    if (tries.behind !== undefined) {
      if (tries.behind === key) tries.behind = undefined;
      return 'later';
    }
    if (restKeys(removal).some((one) => this.#resting.has(one))) return 'shut out';
    if (tries.inVain === mostInVain) {
      tries.isGivenUp = true;
      return 'later';
    }
    const fate = await this.#try(removal);
    tries.inVain = fate === 'later' ? tries.inVain + 1 : 0;
    tries.lastTried = key;
    return fate;
  }

  /** Waits for a try of the same that's under way: whoever writes there next does it after that. */
  #try(removal: Removal): Promise<Fate> {
    const key = [removalKey(removal), JSON.stringify(removal.shows)].join(' ');
    const tried = this.#tried.get(key) ?? this.#tryOnce(removal).finally(() => this.#tried.delete(key));
    this.#tried.set(key, tried);
    return tried;
  }

  async #tryOnce(removal: Removal): Promise<Fate> {
    const { stored, answers, log } = this.#dependencies;
    try {
      // Something else may stand there since it was closed. What has no id isn't on record.
      const isOfQuestion = isForQuestion(removal) && removal.message.message !== '';
      if (isOfQuestion && !(await stored.isLeft(removal))) {
        await stored.done(removal);
        return 'done';
      }
      const fate = await this.#fate(removal);
      if (fate === 'shut out') return fate;
      // Whoever deletes a closed question from now on doesn't mean what it was about; of an answer its end is a part.
      const isForgotten = !removal.shows || (isForQuestion(removal) && !isQuestion(removal.shows));
      if (fate === 'done' && isForgotten) await answers.forget(removal.message);
      if (fate !== 'later') await stored.done(removal);
      if (fate !== 'later') this.#unrecorded.delete(removalKey(removal));
      return fate;
    } catch (error) {
      if (!isLocal(error)) throw error;
      log.warn({ error }, 'the change or removal of a message could not be recorded');
      return 'later';
    }
  }

  async #fate(removal: Removal): Promise<Fate> {
    const { log } = this.#dependencies;
    const { message, shows } = removal;
    try {
      const adapter = adapterOf(this.#dependencies, message);
      const leavesClosed = isForQuestion(removal) && !isQuestion(shows ?? {});
      await (shows ? adapter.edit(message, shows, { leavesClosed, isEnd: true }) : adapter.remove(message));
      return 'done';
    } catch (error) {
      if (isLocal(error)) return 'later';
      if (!(error instanceof PlatformError)) {
        log.warn({ error }, 'a message could not be changed or removed');
        return 'kept';
      }
      const { kind } = error;
      const isPlaceShut = error instanceof ArchivedError || shutOutKinds.includes(kind);
      // What only its person sees can't be edited everywhere.
      if (!isPlaceShut && (kind === 'gone' || kind === 'deleted')) return shows ? 'kept' : 'done';
      if (kind === 'unreachable') return isAccessLostForGood(error) ? 'kept' : 'later';
      // Slack refuses edits where the bot isn't in the channel, and says no more of it.
      const isShutOut = isPlaceShut || (shows !== undefined && kind === 'refused');
      if (!isShutOut || isForQuestion(removal)) return 'kept';
      return this.#rests(removal, isPlaceShut) ? 'shut out' : 'kept';
    }
  }

  /**
   * Lets it rest for an hour, and with it the others of a place in which the bot may do nothing; false where it has been on
   * record for long, and isn't tried any more.
   */
  #rests(removal: Removal, isPlaceShut: boolean): boolean {
    const { clock } = this.#dependencies;
    if (clock.now() - (removal.notedAt ?? Number.POSITIVE_INFINITY) >= longestShutOut) return false;
    const [place, message] = restKeys(removal);
    this.#resting.add(isPlaceShut ? place : message);
    this.#cancelRetry ??= clock.after(shutOutRetry, () => {
      this.#cancelRetry = undefined;
      this.#resting.clear();
      this.goOn();
    });
    return true;
  }
}

/** By what it rests: its place, or it alone. */
function restKeys(removal: Removal): readonly [place: string, message: string] {
  return [conversationKey(removal.message), removalKey(removal)];
}

/** The person is told that it stays, though it may go once the bot is let in again. */
function isRefused(fate: Fate): boolean {
  return fate === 'kept' || fate === 'shut out';
}

/** A question's message is no answer: nobody waits for it, and what's left of it does nothing. */
function isForQuestion({ job }: Removal): boolean {
  return job !== undefined;
}
