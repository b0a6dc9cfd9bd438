import { sql } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { type PlatformName, platformNames } from '../port/index.ts';
import { LastingState } from '../service/index.ts';
import {
  type Database,
  databaseNow,
  isPostgres,
  isStillLiving,
  jsonText,
  readyQuery,
} from '../store/index.ts';

/** Between two looks for what other processes have put to sleep, in milliseconds. */
const lookSpacing = 2_000;
/** The database's clock was set back where it runs behind this process's by so much more than it did, in milliseconds. */
const tolerance = 1_000;

/** All that is kept of a render while it waits, besides its state. */
export interface PendingRender {
  readonly id: string;
  readonly job: string;
  /** Where it's posted: a process that runs this platform goes on with it. */
  readonly platform: PlatformName;
  /** Milliseconds until the service is asked about it; undefined while it has something else to do. */
  spacing?: number | undefined;
  /** Status queries in a row that the service did not answer. */
  unansweredQueries: number;
  /** For how many milliseconds they were all answered by an error alone. */
  erring?: number | undefined;
  /** Whose key its task was known to. */
  account?: string;
  /** What the service answered before, where that may need a second look. */
  lastingState?: LastingState;
  /** Steps in a row that failed on this machine. */
  failures: number;
  /** Its requester was told that it can't be brought to them directly. */
  isStuck?: boolean;
  /** How often the others of its job are still looked for that the database has lost. */
  looksForParts?: number;
  /** Gives up its place in the queue for the key's limits, where it waits there. */
  leaveQueue?: () => void;
}

/** A render that nothing is known about but its row. */
export function pendingRender({
  id,
  job,
  platform,
}: Pick<PendingRender, 'id' | 'job' | 'platform'>): PendingRender {
  return { id, job, platform, unansweredQueries: 0, failures: 0 };
}

/** A render that waits, and for how many milliseconds from now. */
export interface Sleeper {
  readonly render: PendingRender;
  readonly milliseconds: number;
}

export interface RenderQueueOptions {
  readonly database: Database;
  /** This process's id, which the rows of renders carry that it has in hand. */
  readonly process: string;
  readonly clock: Clock;
  readonly log: { warn(data: object, message: string): void };
}

/**
 * Decides when renders go on, and in which process: the table of renders is the queue. A row names the process that has it
 * in hand (`process`), or says when it goes on (`wakes_at`) and what's known of it until then (`pending`); each change is a
 * single statement. So nothing is lost wherever a process dies, and a render is in one hand at a time. With neither, nothing
 * is left to do for it.
 *
 * Several processes go by the clock of their database, and look there now and then. One process goes by its own steady
 * time, so that nothing is moved where somebody sets the machine's clock, and looks only when something is due.
 */
export class RenderQueue {
  /** Whether other processes may take what this one puts here. */
  readonly isShared: boolean;
  readonly #options: RenderQueueOptions;
  readonly #onDue: () => void;
  /** When the next look is due, by this process's steady time. */
  #lookAt = Number.POSITIVE_INFINITY;
  /** How far the database's clock was ahead of this process's steady time at the last look. */
  #databaseAhead = Number.POSITIVE_INFINITY;
  /** How many the service is asked about that wait, or are in the hands of other processes, as far as this one knows. */
  #polledElsewhere = 0;
  #cancelLook = () => {};
  #isClosed = false;
  #isFailing = false;
  readonly #queries: ReturnType<typeof queriesOf>;

  /** `onDue` is called whenever {@link take} may find something. */
  constructor(options: RenderQueueOptions, onDue: () => void) {
    this.#options = options;
    this.#onDue = onDue;
    this.isShared = isPostgres(options.database);
    this.#queries = queriesOf(options.database, options.process, this.isShared);
  }

  /** Looks at once. */
  look(): void {
    this.#lookIn(0);
  }

  /**
   * Leaves renders alone for a while. What another process has in hand stays as it is. Rejects if the database is away:
   * they're still in this process's hand then.
   */
  async put(sleepers: readonly Sleeper[]): Promise<void> {
    if (sleepers.length === 0) return;
    const { database, process } = this.#options;
    const now = this.isShared ? databaseNow(database) : sql`${this.#time()[0]}`;
    const waits = sleepers.map(({ milliseconds }) => Math.max(0, Math.ceil(milliseconds)));
    const rows = sleepers.map(
      ({ render }, index) =>
        sql`(cast(${render.id} as text), cast(${waits[index]} as bigint), cast(${stored(render, waits[index])} as text))`,
    );
    await sql`
      update renders set process = null, wakes_at = ${now} + column2, pending = column3
      from (values ${sql.join(rows)}) as sleepers
      where renders.id = column1 and delivered is null and (process is null or process = ${process})`.execute(
      database,
    );
    this.#polledElsewhere += sleepers.filter(({ render }) => isPolled(render)).length;
    this.#lookIn(Math.min(...waits));
  }

  /**
   * Takes what is due, at most so many, of those platforms: it's in this process's hand then. Never rejects: if the
   * database is away, nothing is due. A process that was taken for dead takes nothing: nobody would take that over.
   */
  async take(most: number, platforms: readonly PlatformName[]): Promise<readonly PendingRender[]> {
    if (this.#options.clock.steady() < this.#lookAt) return [];
    // What's put meanwhile may be due sooner than what's seen now.
    this.#lookAt = Number.POSITIVE_INFINITY;
    try {
      const taken = platforms.length > 0 ? await this.#claim(most, platforms) : [];
      this.#polledElsewhere -= taken.filter(isPolled).length;
      this.#lookIn(taken.length >= most ? 0 : await this.#untilNext());
      this.#isFailing = false;
      return taken;
    } catch (error) {
      this.#noteFailure(error);
      this.#lookIn(lookSpacing);
      return [];
    }
  }

  async #claim(most: number, platforms: readonly PlatformName[]): Promise<readonly PendingRender[]> {
    // As many as there are placeholders.
    const padded = platformNames.map((_, index) => platforms[index] ?? platforms[0]);
    const { process } = this.#options;
    const { claim, isLiving } = this.#queries;
    const { rows } = await claim(process, null, ...this.#time(), ...padded, most, ...isLiving);
    return rows.map(revived);
  }

  /** Counts those that the service is asked about elsewhere. @returns the milliseconds until the next look is due. */
  async #untilNext(): Promise<number> {
    const { process } = this.#options;
    const { rows } = await this.#queries.left(
      ...(this.isShared ? [process] : [...this.#time(), ...this.#time()]),
    );
    const [{ polled, wait, now } = { polled: 0, wait: null, now: 0 }] = rows;
    this.#polledElsewhere = Number(polled);
    if (await this.#wakeAfterStep(Number(now))) return 0;
    const longest = this.isShared ? lookSpacing : Number.POSITIVE_INFINITY;
    // What's due and wasn't taken is in another process's way, or of a platform that this one doesn't run.
    return wait !== null && wait <= 0 ? lookSpacing : Math.min(wait ?? longest, longest);
  }

  /**
   * Where the database's clock was set back, as by a failover, or a process begins with an earlier one, what was put to sleep
   * later than it's now is due at once: nobody knows for how long it has slept. @returns whether anything was.
   */
  async #wakeAfterStep(now: number): Promise<boolean> {
    const ahead = now - this.#options.clock.steady();
    const isStep = ahead < this.#databaseAhead - tolerance;
    if (isStep) {
      const { rows } = await this.#queries.wake(...this.#time());
      this.#databaseAhead = ahead;
      return rows.length > 0;
    }
    this.#databaseAhead = ahead;
    return false;
  }

  /** Has a job's renders go on now that sleep for longer. @returns whether any did. */
  async hurry(job: string): Promise<boolean> {
    const { database } = this.#options;
    const now = this.isShared ? databaseNow(database) : sql<number>`${this.#time()[0]}`;
    const hurried = await database
      .updateTable('renders')
      .set({ wakes_at: now })
      .where('job', '=', job)
      .where('delivered', 'is', null)
      .where('process', 'is', null)
      .where('wakes_at', '>', now)
      .returning('id')
      .execute();
    if (hurried.length > 0) this.look();
    return hurried.length > 0;
  }

  /** Nothing is left to do for a render that this process had in hand. */
  async drop({ id }: PendingRender): Promise<void> {
    const { database, process } = this.#options;
    await database
      .updateTable('renders')
      .set({ process: null, wakes_at: null })
      .where('id', '=', id)
      .where('process', '=', process)
      .execute();
  }

  /** About how many the service is asked, in all processes, if this one asks about so many now. */
  polled(now: number): number {
    return now + Math.max(0, this.#polledElsewhere);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelLook();
  }

  /** Now, as a value of a query; none with a database that knows the time. */
  #time(): readonly number[] {
    return this.isShared ? [] : [Math.floor(this.#options.clock.steady())];
  }

  #lookIn(milliseconds: number): void {
    const { clock } = this.#options;
    const at = clock.steady() + milliseconds;
    if (this.#isClosed || at >= this.#lookAt) return;
    this.#lookAt = at;
    this.#cancelLook();
    const look = () => {
      // A timer may be a little early.
      this.#lookAt = Number.NEGATIVE_INFINITY;
      this.#onDue();
    };
    if (milliseconds <= 0) look();
    else this.#cancelLook = clock.after(milliseconds, look);
  }

  /** Once until it works again; `/readyz` shows that the database is away. */
  #noteFailure(error: unknown): void {
    if (!this.#isClosed && !this.#isFailing)
      this.#options.log.warn({ error }, 'renders can’t be woken until the database is back');
    this.#isFailing = true;
  }
}

function queriesOf(database: Database, process: string, isShared: boolean) {
  const isLiving = isStillLiving(database, process);
  const renders = database.selectFrom('renders').where('delivered', 'is', null);
  const asleep = renders.where('process', 'is', null).where('wakes_at', 'is not', null);
  const at = (time = 0) => (isShared ? databaseNow(database) : sql<number>`cast(${time} as integer)`);
  const now = at();
  const due = asleep
    .select('id')
    .where('wakes_at', '<=', now)
    .where(jsonText('message', 'platform'), 'in', platformNames)
    .orderBy('wakes_at')
    .limit(1)
    .$if(isShared, (rows) => rows.forUpdate().skipLocked());
  const elsewhere = isShared
    ? renders.where(({ eb, or, and }) =>
        or([eb('process', '<>', ''), and([eb('process', 'is', null), eb('wakes_at', 'is not', null)])]),
      )
    : asleep;
  return {
    // They come last in a claim.
    isLiving: isLiving.compile(database).parameters,
    claim: readyQuery(
      database,
      database
        .updateTable('renders')
        .set({ process: '', wakes_at: null })
        .where('id', 'in', due)
        .where(isLiving)
        .returning(['id', 'job', 'pending'])
        .returning(jsonText('message', 'platform').$castTo<PlatformName>().as('platform')),
    ),
    left: readyQuery(
      database,
      database.selectNoFrom(({ eb }) => [
        elsewhere
          .where('state', '=', sql.lit('waiting'))
          .select(({ fn }) => fn.countAll().as('count'))
          .as('polled'),
        eb(
          asleep.select(({ fn }) => fn.min('wakes_at').as('first')),
          '-',
          now,
        ).as('wait'),
        now.as('now'),
      ]),
    ),
    /** What sleeps since later than now; versions before didn't say for how long. */
    wake: (time?: number) =>
      sql`
        update renders set wakes_at = ${at(time)}
        where delivered is null and process is null
          and wakes_at - cast(${isShared ? sql`pending::jsonb` : sql`pending`} ->> 'wait' as bigint) > ${at(time)}
        returning id`.execute(database),
  };
}

/** Whether a render waits until the service is asked about it. */
function isPolled({ spacing }: PendingRender): boolean {
  return spacing !== undefined;
}

/** What's known of a waiting render, as JSON. */
type StoredPending = Omit<PendingRender, 'id' | 'job' | 'platform' | 'lastingState' | 'leaveQueue'> & {
  readonly lastingState?: ReturnType<LastingState['toJSON']>;
  /** For how many milliseconds it was put to sleep. */
  readonly wait?: number;
};

function stored(
  { id: _, job: __, platform: ___, leaveQueue: ____, ...known }: PendingRender,
  wait: number | undefined,
): string {
  return JSON.stringify({ ...known, wait });
}

/** As it was before it was stored, by whichever version of the bot. */
function revived({
  pending,
  ...row
}: Pick<PendingRender, 'id' | 'job' | 'platform'> & { readonly pending: string | null }): PendingRender {
  const { lastingState, wait: _, ...known }: Partial<StoredPending> = JSON.parse(pending ?? '{}');
  return {
    ...pendingRender(row),
    ...known,
    ...(lastingState && { lastingState: LastingState.from(lastingState) }),
  };
}
