import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { DatabaseError } from '../store/index.ts';
import type { Helper } from './helper.ts';
import { NeedsOperator } from './needs-operator.ts';
import { type CheckResult, type RunOptions, runSteps } from './run-steps.ts';
import { saveFindings } from './save-findings.ts';
import { tableOf } from './table.ts';

export type CheckedPlatform = 'discord' | 'slack';

export interface LiveCheckOptions extends RunOptions {
  readonly platform: CheckedPlatform;
  /** The id of one of the operator's own channels. */
  readonly channel: string;
  readonly config: Config;
  /** Undefined if nobody helps with what only a person can do. */
  readonly helper: Helper | undefined;
  /** Slack's pace; the system clock by default. */
  readonly clock?: Clock;
  /** Columns of the table. */
  readonly width: number;
}

export interface Report {
  /** The table, and what the operator has to do. */
  readonly text: string;
  /** Whether the operator has to do something. */
  readonly needsOperator: boolean;
}

/** Tries uncertain features in a channel, and saves the results for the bot. */
export async function liveCheck(options: LiveCheckOptions): Promise<Report> {
  try {
    const result = await runCheck(options);
    const { DATABASE_URL: url } = options.config;
    const saveFailure = await saveFindings(url, options.platform, result).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
        return `The results could not be saved: ${error.message}`;
      },
    );
    return reportOf(result, options, saveFailure);
  } catch (error) {
    if (!(error instanceof NeedsOperator)) throw error;
    return { text: `✗ ${error.message}`, needsOperator: true };
  }
}

/** The libraries are large, so each platform loads only its own. */
async function runCheck(options: LiveCheckOptions): Promise<CheckResult> {
  const { platform, channel, config, helper, clock = systemClock, ...run } = options;
  if (platform === 'discord') {
    if (config.DISCORD_TOKEN === undefined) throw new NeedsOperator('DISCORD_TOKEN is not set.');
    const { prepareDiscord } = await import('./discord/check.ts');
    const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl } = config;
    return runSteps(await prepareDiscord({ token, apiUrl, channelId: channel, helper }), run);
  }
  const { prepareSlack } = await import('./slack/check.ts');
  const { signal } = run;
  return runSteps(await prepareSlack({ settings: config, channel, helper, signal, clock }), run);
}

function reportOf(
  result: CheckResult,
  { signal, width }: LiveCheckOptions,
  saveFailure: string | undefined,
): Report {
  const { rows, findings, leftovers } = result;
  const toDo = rows.flatMap(({ name, result: { kind, text } }) =>
    kind === 'needs' ? [`✗ ${name}: ${text}`] : [],
  );
  if (saveFailure !== undefined) toDo.push(`✗ ${saveFailure}`);
  const lines = [
    tableOf(result, width),
    '',
    ...toDo,
    ...leftovers.map((name) => `! could not be deleted: ${name}`),
    signal.aborted ? 'Stopped early; the missing steps were not tried.' : '',
    saveFailure === undefined ? `${findings.length} results are saved for the bot.` : '',
  ];
  return {
    text: lines.filter((line, index) => line !== '' || index === 1).join('\n'),
    needsOperator: toDo.length > 0,
  };
}
