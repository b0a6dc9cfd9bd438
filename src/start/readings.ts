import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Bot } from '../app/bot.ts';
import { LogThrottle } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { GaugeName, LabelsOf, Meter } from '../lib/telemetry.ts';
import type { Log, ReadinessCheck, Reading, Readings, Tracing } from '../ops/index.ts';
import type { Platform, PlatformName } from '../port/index.ts';
import type { RateGroup } from '../service-rules/limits.ts';
import type { ServiceClient } from '../service/index.ts';
import {
  type Database,
  type databaseFileWatch,
  type DatabaseWatch,
  isPostgres,
  type PoolUse,
  writeProbe,
} from '../store/index.ts';

/** How long what the database tells is used again, in milliseconds: scrapers may come often, and several at once. */
const fresh = 5_000;

/** What the process itself knows: platforms, queues, commands. */
export function readingsOfProcess(
  bot: Bot,
  service: Pick<ServiceClient, 'waiting'>,
  platforms: ReadonlyMap<PlatformName, Platform>,
): Readings {
  return () => {
    const queues = Object.entries(service.waiting()) as [RateGroup, number][];
    return [
      reading('troupe_commands_running', {}, bot.watch.running),
      ...queues.map(([group, waiting]) => reading('troupe_service_queue_waiting', { group }, waiting)),
      ...[...platforms].flatMap(([platform, running]) => ofPlatform(platform, running)),
    ];
  };
}

function ofPlatform(platform: PlatformName, running: Platform): readonly Reading[] {
  const isReady = running.notReady() === undefined;
  const { ready, wanted } = running.connections?.() ?? { ready: 0, wanted: 0 };
  return [
    reading('troupe_platform_ready', { platform }, isReady ? 1 : 0),
    reading('troupe_platform_connections', { platform, state: 'ready' }, ready),
    reading('troupe_platform_connections', { platform, state: 'wanted' }, wanted),
  ];
}

/** The build, and whether its database answers. */
export function readingsOfBuild(
  database: Pick<DatabaseWatch, 'isUp' | 'pool'>,
  kind: 'sqlite' | 'postgresql',
): Readings {
  const version = ownVersion();
  return () => [
    reading('troupe_build_info', { version, database: kind, node: process.versions.node }, 1),
    reading('troupe_database_up', {}, database.isUp ? 1 : 0),
    ...ofPool(database.pool()),
  ];
}

function ofPool(use: PoolUse | undefined): readonly Reading[] {
  if (!use) return [];
  return [
    reading('troupe_database_connections', { state: 'busy' }, use.busy),
    reading('troupe_database_connections', { state: 'idle' }, use.idle),
    reading('troupe_database_connections', { state: 'queries-waiting' }, use.waiting),
  ];
}

/** What the database tells, of all processes: read again after a few seconds at the earliest. */
export function readingsOfDatabase(database: Database, clock: Clock): Readings {
  let known: Promise<readonly Reading[]> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (known === undefined || clock.steady() - readAt >= fresh) {
      readAt = clock.steady();
      known = readDatabase(database, clock.now());
      // The next scrape tries again.
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}

async function readDatabase(database: Database, now: number): Promise<readonly Reading[]> {
  const [renders, deliveries, reserved, size, processes] = await Promise.all([
    database
      .selectFrom('renders')
      .select(({ fn }) => [
        'kind',
        'state',
        fn.countAll<number>().as('count'),
        fn.min('created_at').as('oldest'),
      ])
      .where('delivered', 'is', null)
      .groupBy(['kind', 'state'])
      .execute(),
    database
      .selectFrom('deliveries')
      .select(({ fn }) => ['held', fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
      .groupBy('held')
      .execute(),
    database
      .selectFrom('ledger')
      .select(({ fn }) => ['kind', 'platform', fn.sum<number>('high').as('high')])
      .where('state', '=', 'reserved')
      .groupBy(['kind', 'platform'])
      .execute(),
    sizeOf(database),
    livingProcesses(database),
  ]);
  const age = (since: number) => Math.max(0, now - Number(since)) / 1_000;
  return [
    reading('troupe_database_size_bytes', {}, size),
    reading('troupe_processes', {}, processes),
    ...renders.flatMap(({ kind, state, count, oldest }) => [
      reading('troupe_renders', { kind, state }, Number(count)),
      reading('troupe_renders_oldest_seconds', { kind, state }, age(oldest)),
    ]),
    ...(['waiting', 'held'] as const).flatMap((state) => {
      const all = deliveries.find(({ held }) => Boolean(held) === (state === 'held'));
      return [
        reading('troupe_deliveries', { state }, Number(all?.count ?? 0)),
        reading('troupe_deliveries_oldest_seconds', { state }, all ? age(all.oldest) : 0),
      ];
    }),
    ...reserved.map(({ kind, platform, high }) =>
      reading('troupe_credits_reserved', { kind, platform: platform as PlatformName }, Number(high) / 1e6),
    ),
  ];
}

async function sizeOf(database: Database): Promise<number> {
  const query = isPostgres(database)
    ? sql<{ size: number }>`select pg_database_size(current_database()) as size`
    : sql<{
        size: number;
      }>`select page_count * page_size as size from pragma_page_count(), pragma_page_size()`;
  const { rows } = await query.execute(database);
  return Number(rows[0]?.size ?? 0);
}

async function livingProcesses(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom('processes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  // This one lives.
  return Math.max(1, Number(count));
}

function reading<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): Reading {
  return { name, labels: labels as Reading['labels'], value };
}

/** Everything that `/readyz` checks. */
interface ReadinessDependencies {
  readonly bot: Bot;
  readonly clock: Clock;
  readonly database: Database;
  readonly databaseFile: ReturnType<typeof databaseFileWatch>;
  readonly platforms: ReadonlyMap<PlatformName, Platform>;
  /** Aborted once the process is told to stop: a load balancer then sends it nothing more. */
  readonly stopping: AbortSignal;
}

/** The checks behind `/readyz`: each platform, the service's key, work that can't go on, and the database. */
export function readiness({
  bot: { keyWatch, localFaults },
  clock,
  database,
  databaseFile,
  platforms,
  stopping,
}: ReadinessDependencies): Readonly<Record<string, ReadinessCheck>> {
  const takesWrites = writeProbe(database, clock);
  return {
    ...Object.fromEntries([...platforms].map(([name, platform]) => [name, async () => platform.notReady()])),
    process: async () => (stopping.aborted ? 'stopping' : undefined),
    service: async () => keyWatch.notReady(),
    work: async () => localFaults.notReady(),
    database: async () => (await databaseFile()) ?? takesWrites(),
  };
}

/** Between two lines in the log about spans that couldn't be sent, in milliseconds. */
const spacing = 600_000;

/** Counts spans that couldn't be sent, and says so in the log now and then; nothing else depends on them. */
export function countDropped(
  tracing: Pick<Tracing, 'onDropped'>,
  { clock, log, meter }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'>; readonly meter: Meter },
): void {
  const lines = new LogThrottle(clock, spacing);
  tracing.onDropped((spans) => {
    meter.count('troupe_traces_dropped_total', {}, spans);
    lines.note(() => log.warn({ spans }, 'traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT'));
  });
}

/** troupe's own version. */
export function ownVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { readonly version: string }).version;
}
