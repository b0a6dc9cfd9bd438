import { type Dialect, type Driver, Kysely } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { type Bot, type BotDependencies, createBot } from '../../../src/app/bot.ts';
import { startUp } from '../../../src/app/start-up.ts';
import { alone } from '../../../src/coordination/index.ts';
import type { Platform } from '../../../src/port/index.ts';
import { createSandbox, type ListeningSandbox } from '../../../src/sandbox/index.ts';
import { ServiceClient } from '../../../src/service/index.ts';
import { type Database, folderFiles, Processes } from '../../../src/store/index.ts';
import { migrate } from '../../../src/store/migrations/index.ts';
import { nodeSqliteDialect } from '../../../src/store/sqlite/driver.ts';
import type { Tables } from '../../../src/store/tables.ts';
import { endsWithFile } from '../../at-end.ts';
import { quickStudio } from '../../commands/support/stage.ts';
import { botSettings } from '../../fakes/bot-settings.ts';
import { calm, passUntil } from '../../fakes/calm.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { changeSandbox, meterOf } from '../../fakes/sandbox.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { Life } from './life.ts';
import { patiently } from './patiently.ts';
import type { Place, PlaceMaker } from './place.ts';

/** A process of the bot that lives, or has died. */
export interface Process {
  readonly life: Life;
  readonly bot: Bot;
}

interface Parts {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly place: Place;
  readonly sandbox: ListeningSandbox;
  readonly folder: string;
  readonly dialect: Dialect;
  readonly driver: Driver;
  readonly confirmOver: number;
}

/** A platform, the service and a database, and one process of the bot after another. */
export class World {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly place: Place;
  /** Asked by the processes that start from now on. */
  moderation: BotDependencies['moderation'];
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    ({ clock: this.clock, database: this.database, place: this.place } = parts);
    this.#parts = parts;
  }

  /** `confirmOver`: credits above which people are asked. */
  static async open(make: PlaceMaker, confirmOver = 500): Promise<World> {
    const clock = new FakeClock(Date.UTC(2026, 10, 20, 12));
    const dialect = nodeSqliteDialect(':memory:');
    const driver = dialect.createDriver();
    const database = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => driver } });
    await migrate(database, 'sqlite::memory:');
    const media = quickStudio;
    const place = await make(clock, database);
    const sandbox = await createSandbox({ media, pace: 1, limits: 'off', clock }).listen();
    const folder = await temporaryFolder(endsWithFile);
    return new World({ clock, database, place, sandbox, folder, dialect, driver, confirmOver });
  }

  /** Starts a process, which goes on with what others left. It may die meanwhile. `receives`: people can ask it. */
  async start(life: Life, receives: boolean): Promise<Process> {
    const clock = life.clock(this.clock);
    const { dialect, driver, sandbox, folder, confirmOver } = this.#parts;
    const database = life.database(dialect, driver);
    const coordination = alone();
    const { url, key } = sandbox;
    const bot = life.run(() =>
      createBot({
        ...{ commands, database, coordination, clock },
        service: new ServiceClient({ baseUrl: url, apiKey: key, clock }),
        log: pino({ level: 'silent' }),
        files: folderFiles(folder),
        ...(this.moderation && { moderation: this.moderation }),
        settings: { ...botSettings, confirmOver },
      }),
    );
    const { place } = this;
    const parts = { life, bot, database, coordination, clock };
    const platforms: Platform[] = [];
    const started = life.run(() =>
      startUp({
        ...{ bot, coordination, clock },
        processes: new Processes(database),
        configured: new Map([[place.platform, 'all']]),
        platforms: () => platforms,
        startReceiving: async () => {
          const platform = await place.start(parts, receives);
          bot.addPlatform(platform);
          platforms.push(platform);
        },
        takenForDead: () => {},
        stopping: new AbortController().signal,
        log: pino({ level: 'silent' }),
      }),
    );
    let over = false;
    void Promise.race([started, life.died]).then(() => (over = true));
    const hears = () => !receives || platforms.every((platform) => platform.notReady() === undefined);
    await patiently(this.clock, () => over && (life.isDead || hears()));
    return { life, bot };
  }

  /** Credits that the service has charged for. */
  async spent(): Promise<number> {
    return (await meterOf(this.#parts.sandbox)).credits;
  }

  /** What the service says to the next question: all of it at once, or as it's written. */
  async answersNext(text: string, pace: 'instant' | 1): Promise<void> {
    await changeSandbox(this.#parts.sandbox, { answers: [text], pace });
  }

  /** Lets time pass until something is so; ten minutes at most. */
  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    let isLate = false;
    const cancel = this.clock.after(600_000, () => {
      isLate = true;
    });
    await passUntil(this.clock, async () => isLate || isSo());
    cancel();
    if (isLate && !(await isSo())) throw new Error(`waited in vain for ${what}`);
  }

  /** Everything has come to rest; time stands still. */
  calm(): Promise<void> {
    return calm(this.clock);
  }

  async close(): Promise<void> {
    await this.place.close();
    await this.#parts.sandbox.close();
    await this.database.destroy();
  }
}

/** A world and its process that lives, for the tests of a block, one after another. */
export function worldOfTests(make: PlaceMaker, confirmOver?: number): { world: World; survivor: Process } {
  const its = {} as { world: World; survivor: Process };
  beforeAll(async () => {
    its.world = await World.open(make, confirmOver);
    its.survivor = await its.world.start(new Life(), true);
  });
  afterAll(() => its.world.close());
  return its;
}
