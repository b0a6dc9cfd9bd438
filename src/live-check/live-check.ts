import { parseArgs } from 'node:util';
import { ConfigError } from '../config/config.ts';
import { everyWorkspace } from '../port/index.ts';
import {
  DatabaseError,
  explained,
  isOfDatabase,
  openDatabaseAlongside,
  storeCapability,
} from '../store/index.ts';
import { type CheckOptions, type CheckResult, Ended, type Row, type Step } from './run-steps.ts';

/** The libraries are large, so each platform loads only its own. */
const platforms = {
  discord: () => import('./discord/check.ts'),
  slack: () => import('./slack/check.ts'),
};
export type CheckedPlatform = keyof typeof platforms;

const usage =
  'usage: npm run live:check -- discord|slack [CHANNEL] [--with-me]; CHANNEL is the id of a channel of your own, and without it the steps are only listed; --with-me also tries what only a person can do, and asks you to press or write something';

interface CommandLine {
  readonly platform: CheckedPlatform;
  /** Undefined if the steps are only listed. */
  readonly channel: string | undefined;
  readonly withMe: boolean;
}

/** @throws {ConfigError} with the usage. */
export function commandLine(args: readonly string[]): CommandLine {
  try {
    const options = { 'with-me': { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [platform, channel, ...more] = positionals;
    if ((platform !== 'discord' && platform !== 'slack') || more.length > 0) throw new TypeError(usage);
    const isId = platform === 'discord' ? /^\d{15,20}$/ : /^[CG][A-Z0-9]{5,}$/;
    if (channel !== undefined && !isId.test(channel))
      throw new ConfigError([`${channel} is not the id of a channel; ${usage}`]);
    return { platform, channel, withMe: values['with-me'] ?? false };
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError([usage]);
  }
}

interface LiveCheckOptions extends CheckOptions {
  readonly platform: CheckedPlatform;
  /** Columns of the table. */
  readonly width: number;
}

export interface Report {
  /** The table, and what the operator has to do. */
  readonly text: string;
  /** Whether the operator has to do something. */
  readonly needsOperator: boolean;
}

/** Tries uncertain features in a channel, and saves for the bot what was seen of those it uses. */
export async function liveCheck(options: LiveCheckOptions): Promise<Report> {
  try {
    const { check } = await platforms[options.platform]();
    return await reportOf(await check(options), options);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { text: `✗ ${error.message}`, needsOperator: true };
  }
}

/** The steps of a platform as a table, without trying them. */
export async function listSteps(platform: CheckedPlatform, width: number): Promise<string> {
  const { steps }: { readonly steps: readonly Step<never>[] } = await platforms[platform]();
  const rows = steps.map(({ name, expected, otherwise }) => [name, expected, otherwise ?? '']);
  return tableOf(['step', 'expected', 'if it’s refused, troupe remembers that and'], rows, width);
}

async function reportOf(
  result: CheckResult,
  { platform, config, signal, width }: LiveCheckOptions,
): Promise<Report> {
  const { workspace, rows, leftovers } = result;
  const findings = rows.flatMap(findingOf);
  const failure = await save(config.DATABASE_URL, platform, workspace, findings);
  const toDo = rows.flatMap(({ name, seen: { kind, text } }) =>
    kind === 'needs' ? [`${name}: ${text}`] : [],
  );
  if (failure !== undefined) toDo.push(`The results could not be saved: ${failure}`);
  const cells = rows.map(({ name, expected, seen, otherwise }) => [
    name,
    expected,
    `${marks[seen.kind]} ${seen.text}${seen.kind === 'refused' && otherwise ? `; troupe ${otherwise}` : ''}`,
  ]);
  const lines = [
    tableOf(['step', 'expected', 'seen'], cells, width),
    '',
    ...toDo.map((line) => `✗ ${line}`),
    ...leftovers.map((name) => `! could not be deleted: ${name}`),
    ...(signal.aborted ? ['Stopped early; the missing steps were not tried.'] : []),
    ...(failure === undefined ? [`${findings.length} results are saved for the bot.`] : []),
  ];
  return { text: lines.join('\n'), needsOperator: toDo.length > 0 };
}

const marks = { works: '✓', refused: '·', skipped: '–', unclear: '?', needs: '✗' } as const;

/** A row as the running bot uses it. */
function findingOf({ feature, everywhere, seen: { kind } }: Row) {
  const isKnown = feature !== undefined && (kind === 'works' || kind === 'refused');
  return isKnown ? [{ feature, everywhere, kind }] : [];
}

/** Saves findings in the bot's database, also while the bot runs; returns why they can't be saved. */
async function save(
  databaseUrl: string,
  platform: CheckedPlatform,
  workspace: string,
  findings: readonly ReturnType<typeof findingOf>[number][],
): Promise<string | undefined> {
  if (findings.length === 0) return undefined;
  try {
    await using database = await openDatabaseAlongside(databaseUrl);
    for (const { feature, kind, everywhere } of findings) {
      const place = { platform, workspace: everywhere ? everyWorkspace : workspace };
      await storeCapability(database, place, [feature, kind], Date.now);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError) && !isOfDatabase(error)) throw error;
    return explained(error, databaseUrl).message;
  }
}

/** Widths of the three columns, in percent. */
const percentages = [26, 34, 40] as const;
const minWidth = 80;

/** Three columns as a table of at most `width` characters; long cells are wrapped. */
function tableOf(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const usable = Math.max(minWidth, width) - 3 * (percentages.length - 1);
  const widths = percentages.map((share) => Math.floor((usable * share) / 100));
  const rule = widths.map((columns) => '─'.repeat(columns)).join('─┼─');
  return [...wrapped(headings, widths), rule, ...rows.flatMap((cells) => wrapped(cells, widths))].join('\n');
}

function wrapped(cells: readonly string[], widths: readonly number[]): string[] {
  const columns = cells.map((cell, index) => linesOf(cell, widths[index] ?? minWidth));
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, index) => (lines[line] ?? '').padEnd(widths[index] ?? 0))
      .join(' │ ')
      .trimEnd(),
  );
}

/** Wraps a text at spaces; a word longer than `width` is broken. */
function linesOf(text: string, width: number): readonly string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S{${width}}`, 'gu')) ?? [''];
}
