import {
  type Conversations,
  messageSource,
  placeSource,
  sourcesOfMessage,
  sourcesOfQuotes,
} from '../../conversation/index.ts';
import { type Clock, untilDone, type Waits } from '../../lib/clock.ts';
import { isLocal, onNewError } from '../../lib/local-faults.ts';
import {
  type Address,
  type AnyValues,
  type DeletedMessages,
  type DeletedPlace,
  type Drafts,
  eventsComeWithin,
  type Jobs,
  type MessageAddress,
} from '../../port/index.ts';
import type { Records } from '../../store/index.ts';
import { sourcesIn } from '../job-context.ts';

/** How long an answer is known to stand without its question, in milliseconds: longer than any button is likely pressed. */
const rememberedFor = 90 * 86_400_000;

/**
 * Messages that were deleted shortly after they were written, by the ids and events that platforms name, and threads and
 * channels that were. Whoever puts a question, what it quotes, or a message of an answer on record looks here afterwards: its
 * deletion may have come before, to this process or another. They're kept for as long as what they name can come.
 */
export class RecentDeletions {
  readonly #records: Pick<Records, 'setAll' | 'hasAny' | 'having'>;

  constructor(records: Pick<Records, 'setAll' | 'hasAny' | 'having'>) {
    this.#records = records;
  }

  /** Notes those that may not be on record yet, by one query; none where all are old. */
  async note(deleted: DeletedMessages): Promise<void> {
    const { platform, channel, messages, events = [], recent, place } = deleted;
    const isRecent = (id: string) => recent?.includes(id) ?? true;
    const keys = [
      ...messages.filter(isRecent).map((message) => messageKey(messageSource(platform, message, channel))),
      ...events.filter(isRecent).map(eventKey),
      ...placesNamed(deleted).map(messageKey),
      // The bot may be back in a workspace at any time.
      ...(place?.channel === undefined ? [] : [placeKey({ platform, ...place })]),
    ];
    if (keys.length > 0) await this.#records.setAll(keys, true, eventsComeWithin);
  }

  /** Whether the message that an event was is deleted. */
  hasEvent(event: string): Promise<boolean> {
    return this.#records.hasAny([eventKey(event)]);
  }

  /** Whether the message that an event was is deleted, or its thread or channel. */
  hasQuestion(event: string, address: Address): Promise<boolean> {
    return this.#records.hasAny([eventKey(event), ...placeKeysOf(address)]);
  }

  /** Whether a thread or channel is deleted. */
  hasPlace(address: Address): Promise<boolean> {
    return this.#records.hasAny(placeKeysOf(address));
  }

  /** Keeps on record for long that a question is deleted whose answer goes on all the same. */
  keepEvent(event: string): Promise<void> {
    return this.#records.setAll([eventKey(event)], true, rememberedFor);
  }

  /** Whether one of these messages is deleted. */
  hasOneOf(messages: readonly MessageAddress[]): Promise<boolean> {
    return this.#records.hasAny(messages.flatMap(sourcesOfMessage).map(messageKey));
  }

  /** Those of the sources of quotes that are deleted messages, or a deleted thread or channel. */
  async sourcesOf(sources: readonly string[]): Promise<readonly string[]> {
    const deleted = await this.#records.having(sources.map(messageKey));
    return sources.filter((source) => deleted.has(messageKey(source)));
  }
}

/** The sources of what's quoted of a deleted thread, or of a deleted channel and its threads. */
export function placesNamed({ platform, place, threads = [] }: DeletedMessages): readonly string[] {
  const gone = place?.thread ?? place?.channel;
  return [...(gone === undefined ? [] : [gone]), ...threads].map((id) => placeSource(platform, id));
}

/** Those of a thread, and of its channel, which a platform may name without its workspace. */
function placeKeysOf({ thread, workspace, ...channel }: Address): readonly string[] {
  const own = { ...channel, workspace };
  const threadKeys = thread === undefined ? [] : [placeKey({ ...own, thread })];
  return [placeKey(own), placeKey(channel), ...threadKeys];
}

function messageKey(source: string): string {
  return `message ${source}`;
}

function placeKey({
  platform,
  workspace,
  channel,
  thread,
}: DeletedPlace & Pick<Address, 'platform'>): string {
  return ['place', platform, workspace ?? '', channel, thread].filter((part) => part !== undefined).join(' ');
}

function eventKey(event: string): string {
  return `event ${event}`;
}

interface ExpectedSourcesDependencies {
  readonly conversations: Pick<Conversations, 'expectSources' | 'forgetQuotes'>;
  readonly recent: Pick<RecentDeletions, 'sourcesOf'>;
}

/**
 * What commands quote or are made from is noted before they're on record, and before a form is whose command will: from then on
 * it's known what's deleted of it, however long the command waits. Of a quote that's left out; of the rest nothing is made.
 */
export class ExpectedSources {
  readonly #dependencies: ExpectedSourcesDependencies;

  constructor(dependencies: ExpectedSourcesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Jobs with sources. */
  jobs(jobs: Jobs): Jobs {
    return {
      ...jobs,
      add: async (job, ...how) => {
        await this.#note([job.options, job.instead?.options], job.id);
        return jobs.add(job, ...how);
      },
    };
  }

  /** Drafts with sources. */
  drafts(drafts: Drafts): Drafts {
    return {
      ...drafts,
      keep: async (draft) => {
        await this.#note([draft.added]);
        return drafts.keep(draft);
      },
    };
  }

  async #note(values: readonly (AnyValues | undefined)[], job?: string): Promise<void> {
    const { conversations, recent } = this.#dependencies;
    const all = values.flatMap((given) => [...quotedIn(given), ...sourcesIn(given)]);
    if (all.length === 0) return;
    const sources = [...new Set(all)];
    await conversations.expectSources(sources, job);
    // Its deletion may have come before.
    const deleted = await recent.sourcesOf(sources);
    if (deleted.length > 0) await conversations.forgetQuotes(deleted);
  }
}

function quotedIn({ context }: AnyValues = {}): readonly string[] {
  return typeof context === 'string' ? sourcesOfQuotes(context) : [];
}

/** Between tries, in milliseconds. */
const waits: Waits = { first: 500, longest: 10_000 };
/** So many wait at most: an outage of the database takes no more memory than this. */
const most = 1_000;

interface MissedDeletionsDependencies {
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/** A deletion that waits for the database. */
interface Missed {
  /** Does what follows from it; may be done several times. */
  readonly take: () => Promise<void>;
  /** The jobs whose answers it's known to concern. */
  readonly jobs: readonly string[];
  /** It waits no longer. */
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Deletions that the database didn't take when the platform told of them, in the order in which they came: they're tried
 * until it does, or until this process ends. Platforms tell of them once.
 */
export class MissedDeletions {
  readonly #dependencies: MissedDeletionsDependencies;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<Missed>();
  #underWay: Promise<void> | undefined;

  constructor(dependencies: MissedDeletionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Tries `take` again until the database lets it; the oldest makes way where too many wait. */
  add({ take, jobs }: Pick<Missed, 'take' | 'jobs'>): void {
    if (this.#stop.signal.aborted) return;
    const [oldest] = this.#waiting;
    if (oldest && this.#waiting.size >= most) {
      this.#dependencies.log.warn(
        { most },
        'too many deletions wait for the database; the oldest is ignored',
      );
      this.#end(oldest);
    }
    this.#waiting.add({ take, jobs, ended: Promise.withResolvers() });
    this.#goOn();
  }

  /** Whether one waits that concerns a job's answer. */
  concerns(job: string): boolean {
    return [...this.#waiting].some(({ jobs }) => jobs.includes(job));
  }

  /** Resolves when none that concerns a job's answer waits any longer. */
  async ofJob(job: string): Promise<void> {
    const those = [...this.#waiting].filter(({ jobs }) => jobs.includes(job));
    await Promise.all(those.map(({ ended }) => ended.promise));
  }

  /** Nobody waits for the rest any longer. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('shutting down'));
    await this.#underWay;
    for (const one of this.#waiting) this.#end(one);
  }

  #goOn(): void {
    this.#underWay ??= this.#work().finally(() => {
      this.#underWay = undefined;
      if (this.#waiting.size > 0 && !this.#stop.signal.aborted) this.#goOn();
    });
  }

  async #work(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { signal } = this.#stop;
    const failed = onNewError((error) => log.warn({ error }, 'deletions wait for the database'));
    const round = async () => {
      for (const one of this.#waiting) await this.#take(one);
    };
    await untilDone(round, { clock, waits, signal, failed }).catch(() => {});
  }

  async #take(one: Missed): Promise<void> {
    this.#stop.signal.throwIfAborted();
    try {
      await one.take();
    } catch (error) {
      if (isLocal(error)) throw error;
      this.#dependencies.log.warn({ error }, 'what was deleted could not be stopped');
    }
    this.#end(one);
  }

  #end(one: Missed): void {
    this.#waiting.delete(one);
    one.ended.resolve();
  }
}
