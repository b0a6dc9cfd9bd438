import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { discordSteps } from '../../src/live-check/discord/check.ts';
import type { Helper } from '../../src/live-check/helper.ts';
import { type CheckedPlatform, liveCheck, type Report } from '../../src/live-check/live-check.ts';
import type { Row } from '../../src/live-check/run-steps.ts';
import { slackSteps } from '../../src/live-check/slack/check.ts';
import { type Capability, everyWorkspace } from '../../src/port/index.ts';
import { createCapabilities, openDatabaseAlongside } from '../../src/store/index.ts';

/** A folder for one test's database. */
export async function databaseOfTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-live-check-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, 'troupe.db')}`;
}

/** The outcome of a run. */
export interface CheckRun {
  readonly report: Report;
  /** The results by the step's name, as `kind: text`. */
  readonly results: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  /** What the bot reads about a feature afterwards. */
  remembered(feature: string, workspace?: string): Promise<Capability | undefined>;
}

export interface RunOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly channel: string;
  readonly database?: string;
  readonly clock?: Clock;
  readonly helper?: Helper;
  readonly signal?: AbortSignal;
  /** Names of steps that aren't tried. */
  readonly without?: readonly string[];
  /** Names of the steps that are tried; all by default. */
  readonly only?: readonly string[];
  readonly onRow?: (row: Row) => void;
}

/** Runs the check in this process. */
export async function runCheck(platform: CheckedPlatform, options: RunOptions): Promise<CheckRun> {
  const database = options.database ?? (await databaseOfTest());
  const rows: Row[] = [];
  const report = await liveCheck({
    platform,
    channel: options.channel,
    config: readConfig({ ...options.environment, DATABASE_URL: database }),
    helper: options.helper,
    signal: options.signal ?? new AbortController().signal,
    without: options.only ? othersThan(platform, options.only) : (options.without ?? []),
    onRow: (row) => {
      rows.push(row);
      options.onRow?.(row);
    },
    ...(options.clock && { clock: options.clock }),
    width: 132,
  });
  return {
    report,
    rows,
    results: Object.fromEntries(rows.map(({ name, seen }) => [name, `${seen.kind}: ${seen.text}`])),
    remembered: (feature, workspace = everyWorkspace) => rememberedIn(database, platform, workspace, feature),
  };
}

/** @throws if there's no such step, which would otherwise just not be tried. */
function othersThan(platform: CheckedPlatform, only: readonly string[]): readonly string[] {
  const names = (platform === 'discord' ? discordSteps : slackSteps).map(({ name }) => name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`there is no step ${unknown.join(', ')}`);
  return names.filter((name) => !only.includes(name));
}

async function rememberedIn(url: string, platform: CheckedPlatform, workspace: string, feature: string) {
  const database = await openDatabaseAlongside(url);
  try {
    return await createCapabilities(database, platform, Date.now).find(workspace, feature);
  } finally {
    await database.destroy();
  }
}
