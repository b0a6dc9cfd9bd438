import { join } from 'node:path';
import { expect } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { steps as discordSteps } from '../../src/live-check/discord/check.ts';
import { type CheckedPlatform, liveCheck, type Report } from '../../src/live-check/live-check.ts';
import type { Helper, Row } from '../../src/live-check/run-steps.ts';
import { steps as slackSteps } from '../../src/live-check/slack/check.ts';
import { type Capability, everyWorkspace } from '../../src/port/index.ts';
import { createCapabilities, openDatabaseAlongside } from '../../src/store/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A folder for one test's database. */
export async function databaseOfTest(): Promise<string> {
  const folder = await temporaryFolder();
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
  /** Names of the steps that are tried; all by default. */
  readonly only?: readonly string[];
  readonly onRow?: (row: Row) => void;
}

/** Runs the check in this process. */
export async function runCheck(platform: CheckedPlatform, options: RunOptions): Promise<CheckRun> {
  const database = options.database ?? (await databaseOfTest());
  const names: readonly string[] = (platform === 'discord' ? discordSteps : slackSteps).map(
    ({ name }) => name,
  );
  // Otherwise such a step would just not be tried.
  expect(names).toEqual(expect.arrayContaining([...(options.only ?? [])]));
  const rows: Row[] = [];
  const report = await liveCheck({
    platform,
    channel: options.channel,
    config: readConfig({ ...options.environment, DATABASE_URL: database }),
    helper: options.helper,
    signal: options.signal ?? new AbortController().signal,
    ...(options.only && { only: options.only }),
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

async function rememberedIn(url: string, platform: CheckedPlatform, workspace: string, feature: string) {
  const database = await openDatabaseAlongside(url);
  try {
    return await createCapabilities(database, platform, Date.now).find(workspace, feature);
  } finally {
    await database.destroy();
  }
}
