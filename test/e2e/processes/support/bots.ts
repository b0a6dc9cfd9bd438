import { Client, Pool } from 'pg';
import { interactionsPath } from '../../../../src/platforms/discord/connection/interactions-endpoint.ts';
import { BotProcess } from '../../../crash/bot-process.ts';
import { createDiscordPlace, type DiscordPlace } from '../../../crash/discord-place.ts';
import type { CrashPlace, Fate, Wish } from '../../../crash/place.ts';
import { CountingService } from '../../../crash/service.ts';
import { createSlackPlace } from '../../../crash/slack-place.ts';
import type { FakeDiscord } from '../../../fakes/discord/index.ts';
import { Postgres } from '../../../fakes/postgres/postgres.ts';
import { patience } from '../../../patience.ts';
import { RoundRobin } from './proxy.ts';
import { waited } from './waits.ts';

export interface BotsOptions {
  readonly count: number;
  readonly platforms?: readonly ('discord' | 'slack')[];
  /** Discord sends interactions over HTTP, to `proxy`, and there is no gateway. */
  readonly overHttp?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** How long the service takes to make what it makes, in milliseconds, or until when it makes nothing. */
  readonly making?: number | Promise<unknown>;
  /** How much faster the service writes answers than people read. */
  readonly pace?: number;
  /** They take each other for dead after 4 seconds instead of 8, for tests of what happens then. */
  readonly noticeSoon?: boolean;
  /** People are told within seconds that the database is silent. Otherwise a busy machine has the time that it needs. */
  readonly tellSoon?: boolean;
}

/** Everything must be over so long after a process died, in milliseconds. */
export const takenOverWithin = 15_000;

/** What runs as a process of the bot. */
const entries = {
  asItIs: 'src/main.js',
  unhurried: 'test/e2e/processes/support/unhurried.ts',
  noticeSoon: 'test/e2e/processes/support/notice-soon.ts',
};

/** Several processes of one bot on a PostgreSQL, the service, and the platforms where people are. */
export class Bots {
  readonly database: Postgres;
  readonly service: CountingService;
  readonly places: readonly CrashPlace[];
  readonly #environment: Readonly<Record<string, string>>;
  readonly #entry: string;
  readonly #living: BotProcess[] = [];
  /** Those that have ended, too: what they logged may say why something is missing. */
  readonly #all: BotProcess[] = [];
  /** Spreads Discord's requests over those that live or are stopping. */
  readonly proxy = new RoundRobin(() => [...this.#living, ...this.#stopping].map(({ url }) => url));
  readonly #stopping: BotProcess[] = [];
  readonly #pool: Pool;

  private constructor(
    parts: Pick<Bots, 'database' | 'service' | 'places'>,
    environment: Record<string, string>,
    entry: string,
  ) {
    this.database = parts.database;
    this.service = parts.service;
    this.places = parts.places;
    this.#environment = environment;
    this.#pool = new Pool({ connectionString: parts.database.url(), max: 2 });
    // A database that's killed ends them: the next query opens another.
    this.#pool.on('error', () => {});
    this.#entry = entry;
  }

  static async start({
    count,
    platforms = ['discord', 'slack'],
    settings,
    making,
    overHttp = false,
    pace,
    noticeSoon = false,
    tellSoon = false,
  }: BotsOptions): Promise<Bots> {
    const create = {
      // The platforms wait for a busy machine.
      discord: () => createDiscordPlace({ overHttp, waitsFor: patience.timeout }),
      slack: () => createSlackPlace({ asksDirectly: true, waitsFor: patience.timeout }),
    };
    const service = new CountingService(making, pace);
    const [database, { url, key }, ...places] = await Promise.all([
      Postgres.start(),
      service.start(),
      ...platforms.map((name): Promise<CrashPlace | DiscordPlace> => create[name]()),
    ]);
    const bots = new Bots(
      { database, service, places },
      {
        ...Object.assign({}, ...places.map(({ environment }) => environment)),
        SERVICE_BASE_URL: url,
        SERVICE_API_KEY: key,
        // A busy machine's database takes long to accept a connection.
        DATABASE_URL: `${database.url()}${tellSoon ? '' : '?connect_timeout=60'}`,
        CONFIRM_OVER_CREDITS: '1000000',
        RENDERS_PER_PERSON: '1000',
        PORT: '0',
        ...settings,
      },
      noticeSoon ? entries.noticeSoon : tellSoon ? entries.asItIs : entries.unhurried,
    );
    try {
      await Promise.all(Array.from({ length: count }, () => bots.add()));
      if (count > 0) await Promise.all(places.map((place) => place.ready()));
      if (overHttp) await bots.discord.endpoint.save(`${await bots.proxy.start()}${interactionsPath}`);
      return bots;
    } catch (error) {
      await bots.close();
      throw error;
    }
  }

  get living(): readonly BotProcess[] {
    return this.#living;
  }

  get discord(): FakeDiscord {
    return (this.place('discord') as DiscordPlace).discord;
  }

  place(name: CrashPlace['name']): CrashPlace {
    const place = this.places.find((one) => one.name === name);
    if (!place) throw new Error(`${name} doesn't run here`);
    return place;
  }

  /** Starts one more; `project` is the folder of its version, this one by default. */
  async add(project?: string, settings: Readonly<Record<string, string>> = {}): Promise<BotProcess> {
    const bot = await BotProcess.start({ ...this.#environment, ...settings }, [], {
      ...(project !== undefined && { project }),
      entry: this.#entry,
    });
    this.#living.push(bot);
    this.#all.push(bot);
    return bot;
  }

  /** The process has it no more. */
  async kill(bot: BotProcess): Promise<void> {
    this.#forget(bot);
    await bot.kill();
  }

  /** It hangs: its machine goes on, and answers for it on the network. */
  freeze(bot: BotProcess): void {
    bot.signal('SIGSTOP');
  }

  /** As an operator stops it; returns its exit status. */
  async stop(bot: BotProcess): Promise<number | null> {
    this.#forget(bot);
    this.#stopping.push(bot);
    return bot.stop();
  }

  async query<Row>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#pool.query(text, values)).rows as Row[];
  }

  /** Does some work while nobody else can use a table. */
  async locked(table: string, work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.database.url() });
    await client.connect();
    try {
      await client.query(`begin; lock table ${table} in access exclusive mode`);
      await work();
    } finally {
      await client.end();
    }
  }

  /** The living process that the query finds, as soon as there is one. */
  async holder(query: string): Promise<BotProcess> {
    let holder: BotProcess | undefined;
    const isFound = async () => {
      const rows = await this.query<{ process: string }>(query);
      holder = this.#living.find((one) => rows.some(({ process }) => process === one.process));
      return holder !== undefined;
    };
    await this.until(`a process that has: ${query}`, isFound);
    if (!holder) throw new Error('there is one');
    return holder;
  }

  /** Kills a process while it has what a query looks for: it stands still while that's looked at again. */
  async killHolder(query: string): Promise<void> {
    for (;;) {
      const bot = await this.holder(query);
      bot.signal('SIGSTOP');
      const rows = await this.query<{ process: string }>(query);
      if (rows.some(({ process }) => process === bot.process)) return this.kill(bot);
      bot.signal('SIGCONT');
    }
  }

  /** What became of a wish, wherever it was given. */
  fate(wish: Wish, on: CrashPlace): Fate {
    return on.fate(wish);
  }

  /** Waits until something is so. Of `within` milliseconds, those in which a busy machine let us all wait don't count. */
  async until(
    what: string,
    isSo: () => boolean | Promise<boolean>,
    within: number = patience.timeout,
  ): Promise<void> {
    const pids = [process.pid, ...this.#living.map(({ pid }) => pid)];
    const [begun, before] = [Date.now(), waited(pids)];
    while (!(await isSo())) {
      const passed = Date.now() - begun;
      if (passed > patience.timeout || passed - (waited(pids) - before) > within)
        throw await this.#inVain(what, begun);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** What has been waited for, and everything that may say why. */
  async #inVain(what: string, since: number): Promise<Error> {
    const hanging = this.places.flatMap((place) => place.hanging());
    const logs = this.#all.map(({ process, log }) => `log of ${process}\n${log}`);
    const jobs = 'select event_id, state, process, command from jobs order by created_at desc limit 15';
    logs.push(JSON.stringify(await this.query(jobs).catch(String)));
    const said = this.places.flatMap((place) =>
      place.texts().map((text) => `${place.name} said: ${text.slice(0, 200)}`),
    );
    const open = JSON.stringify(await this.#open().catch(String));
    const late = `${what}: not within ${Date.now() - since} ms`;
    return new Error([late, open, ...said, ...hanging, ...logs].join('\n'));
  }

  /** Nothing says any more that it's under way, and nothing is in hand. */
  async isQuiet(): Promise<boolean> {
    return this.places.every((place) => place.hanging().length === 0) && (await this.#open()).length === 0;
  }

  /** What is in hand, as the database has it. */
  #open(): Promise<readonly object[]> {
    return this.query(
      `select 'job' as kind, id, process, command as what from jobs where state = 'running'
       union all select 'render', id, process, state from renders where delivered is null
       union all select 'delivery', job_id, process, '' from deliveries
       union all select 'reservation', id::text, process, kind from ledger where state = 'reserved'`,
    );
  }

  async close(): Promise<void> {
    this.proxy.close();
    await Promise.all(this.#living.splice(0).map((bot) => bot.kill()));
    await Promise.all([this.service.close(), ...this.places.map((place) => place.close())]);
    await Promise.all([this.#pool.end(), this.database.close()]);
  }

  #forget(bot: BotProcess): void {
    this.#living.splice(this.#living.indexOf(bot), 1);
  }
}
