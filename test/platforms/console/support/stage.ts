import { join } from 'node:path';
import { Hono } from 'hono';
import { pino } from 'pino';
import { alone, type Coordination } from '../../../../src/coordination/index.ts';
import { Dispatcher } from '../../../../src/engine/index.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { randomId } from '../../../../src/lib/text.ts';
import { listen } from '../../../../src/ops/index.ts';
import { type ConsolePlatform, createConsole } from '../../../../src/platforms/console/start.ts';
import type {
  Address,
  ControlRoom,
  Locale,
  PlatformAdapters,
  Suggestion,
} from '../../../../src/port/index.ts';
import {
  createDrafts,
  createJobs,
  createLiveAnswers,
  type Database,
  databaseFiles,
  FolderFiles,
  openKeyv,
} from '../../../../src/store/index.ts';
import { endsWithTest } from '../../../at-end.ts';
import { allowing, type AnyCommand, type CommandRules, rulesBy } from '../../../fakes/commands.ts';
import { processesSharing } from '../../../fakes/coordination.ts';
import { openMigrated } from '../../../fakes/database.ts';
import { removalsOf } from '../../../fakes/removals.ts';
import { unwatched } from '../../../fakes/unwatched.ts';
import { freePort } from '../../../free-port.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { Visitor } from './visitor.ts';

/** A console with its HTTP server, and visitors to it. */
export interface Stage {
  readonly url: string;
  readonly platform: ConsolePlatform;
  readonly database: Database;
  readonly filesFolder: string;
  readonly logged: string[];
  /** A browser that has opened the page. */
  visit(headers?: Record<string, string>): Promise<Visitor>;
  /** The address of the first channel. */
  address(): Promise<Address>;
  /** Another process of the bot on the same database and files; returns its address. */
  another(): Promise<string>;
  /** Stops the console; it can be started again. */
  stop(): Promise<void>;
  /** Starts it again on the same database and files, at the same address; stops it first where it runs. */
  restart(): Promise<void>;
}

export interface StageOptions {
  readonly commands?: readonly AnyCommand[];
  /** Everything is allowed by default. */
  readonly rules?: CommandRules;
  readonly clock?: Clock;
  readonly token?: string;
  readonly controlRoom?: ControlRoom;
  /** It's one of several processes. */
  readonly twice?: boolean;
  /** Files are in the database, not in a folder. */
  readonly filesInDatabase?: boolean;
}

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const folder = await temporaryFolder();
  const database = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`);
  endsWithTest(() => database.destroy());
  const filesFolder = join(folder, 'console-files');
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const clock = options.clock ?? systemClock;
  const enter = options.twice ? processesSharing(clock) : alone;
  const start = async (port: number, coordination: Coordination) => {
    const { commands = [], rules = allowing, token, controlRoom } = options;
    const adapters: PlatformAdapters = (name) => (name === 'console' ? platform.adapter : undefined);
    const dispatcher = makeDispatcher(commands, rules, database, clock, adapters);
    const platform = await createConsole({
      coordination,
      contextTokens: 1_000,
      dispatcher,
      database,
      files: options.filesInDatabase
        ? databaseFiles(database)('console-files')
        : new FolderFiles(filesFolder),
      clock,
      log,
      ...(token !== undefined && { token }),
      ...(controlRoom && { controlRoom }),
    });
    const server = await listen(new Hono().route('/', platform.routes), port, '127.0.0.1');
    const stop = async () => {
      await platform.stopReceiving();
      await platform.close();
      await server.close();
    };
    return { platform, server, stop };
  };
  let running = await start(await freePort(), enter());
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await running.stop();
  };
  endsWithTest(stop);
  const url = running.server.url;
  return {
    url,
    get platform() {
      return running.platform;
    },
    database,
    filesFolder,
    logged,
    visit: (headers) => Visitor.open(url, headers),
    async address() {
      const row = await database
        .selectFrom('console_channels')
        .select('id')
        .orderBy('revision')
        .executeTakeFirstOrThrow();
      return { platform: 'console', workspace: 'console', channel: row.id };
    },
    async another() {
      const { server, stop: end } = await start(0, enter());
      endsWithTest(end);
      return server.url;
    },
    stop,
    async restart() {
      await stop();
      running = await start(Number(new URL(url).port), enter());
      stopped = false;
    },
  };
}

function makeDispatcher(
  commands: readonly AnyCommand[],
  rules: CommandRules,
  database: Database,
  clock: Clock,
  adapters: PlatformAdapters,
): Dispatcher {
  return new Dispatcher({
    commands,
    jobs: createJobs(database),
    answers: createLiveAnswers(database),
    drafts: createDrafts(
      openKeyv(database, 'draft', () => clock.now()),
      randomId,
    ),
    adapters,
    rules: rulesBy(rules),
    notifyLater: () => {},
    watch: unwatched(),
    changeQuestion: (question) => removalsOf(database, adapters, clock).changeQuestion(question),
    explain: () => ({ text: '⚠️ explained' }),
    suggest,
    newId: randomId,
    clock,
  });
}

const voices: readonly Suggestion[] = [
  { value: 'ada_voice', label: 'Ada · English' },
  { value: 'bo_voice', label: 'Bo · 中文' },
];

function suggest(_: string, typed: string, locale: Locale): readonly Suggestion[] {
  const found = voices.filter(({ value }) => value.includes(typed));
  return locale === 'en' ? found : found.toReversed();
}
