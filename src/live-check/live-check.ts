import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { DatabaseError } from '../store/index.ts';
import type { Helper } from './helper.ts';
import { NeedsOperator } from './needs-operator.ts';
import { type Result, runSteps } from './run-steps.ts';
import { saveFindings } from './save-findings.ts';
import type { Row } from './step.ts';
import { tableOf } from './table.ts';

export type CheckedPlatform = 'discord' | 'slack';

export interface LiveCheckOptions {
  readonly platform: CheckedPlatform;
  /** The id of a channel of the operator's own. */
  readonly channel: string;
  readonly config: Config;
  /** Undefined where nobody helps with what only a person can do. */
  readonly helper: Helper | undefined;
  /** Breaks off after the step under way; what is there is taken away all the same. */
  readonly signal: AbortSignal;
  /** Hears each step as soon as it is done. */
  readonly tell: (row: Row) => void;
  /** Slack's pace; the machine's clock by default. */
  readonly clock?: Clock;
  /** Columns of the table. */
  readonly width: number;
}

export interface Report {
  /** The table, and what somebody has to do. */
  readonly text: string;
  /** Whether somebody has to do something. */
  readonly needsOperator: boolean;
}

/** Tries in a channel what could only be read about, and remembers for the bot what was seen. */
export async function liveCheck(options: LiveCheckOptions): Promise<Report> {
  try {
    const result = await tryOut(options);
    const { DATABASE_URL: url } = options.config;
    const unkept = await saveFindings(url, options.platform, result).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof DatabaseError)) throw error;
        return `What was learnt could not be kept: ${error.message}`;
      },
    );
    return reportOf(result, options, unkept);
  } catch (error) {
    if (!(error instanceof NeedsOperator)) throw error;
    return { text: `✗ ${error.message}`, needsOperator: true };
  }
}

/** The libraries are large, so each is loaded only for its own platform. */
async function tryOut({
  platform,
  channel,
  config,
  helper,
  signal,
  tell,
  clock = systemClock,
}: LiveCheckOptions): Promise<Result> {
  if (platform === 'discord') {
    if (config.DISCORD_TOKEN === undefined) throw new NeedsOperator('DISCORD_TOKEN is not set.');
    const { prepareDiscord } = await import('./discord/check.ts');
    const { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl } = config;
    return runSteps(await prepareDiscord({ token, apiUrl, channelId: channel, helper }), signal, tell);
  }
  const { prepareSlack } = await import('./slack/check.ts');
  return runSteps(await prepareSlack({ settings: config, channel, helper, signal, clock }), signal, tell);
}

function reportOf(result: Result, { signal, width }: LiveCheckOptions, unkept: string | undefined): Report {
  const { rows, findings, left } = result;
  const toDo = rows.flatMap(({ name, seen }) => (seen.kind === 'needs' ? [`✗ ${name}: ${seen.text}`] : []));
  if (unkept !== undefined) toDo.push(`✗ ${unkept}`);
  const lines = [
    tableOf(result, width),
    '',
    ...toDo,
    ...left.map((what) => `! could not be taken away: ${what}`),
    signal.aborted ? 'Broken off; the steps that are missing were not tried.' : '',
    unkept === undefined ? `${findings.length} findings are kept for the bot.` : '',
  ];
  return {
    text: lines.filter((line, index) => line !== '' || index === 1).join('\n'),
    needsOperator: toDo.length > 0,
  };
}
