/**
 * Whole bots beside each other while they answer many people at once: the same questions, the same model, the same limits
 * of the platform. Processor time for each streamed chunk, memory for each answer, how long people wait for the first words,
 * and how long after the model's last word they have the last one. Each bot is a process of its own; platform and model are
 * this one. Their rounds take turns, and only a program whose answers are all whole is compared. `bare` has no Markdown, no record and no
 * memory of anything: one edit a second with the platform's own library. `chat` is the SDK of that name, as its documentation streams.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Askers, discordAskers, slackAskers } from './support/askers.ts';
import { type FreshBot, startFreshBot } from './support/bot.ts';
import { quantile } from './support/figures.ts';
import { median } from './support/median.ts';
import { Model, wordsOf } from './support/model.ts';

const { values } = parseArgs({
  options: {
    /** Shorter answers, one round. */
    quick: { type: 'boolean', default: false },
    /** The beginning of a row's name. */
    only: { type: 'string', default: '' },
    /** Only this program. */
    program: { type: 'string', default: '' },
    rounds: { type: 'string' },
    /** Characters of an answer. */
    length: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
/** How often it's looked what people see, in milliseconds. */
const lookEvery = 20;
/** How long after the model's end somebody waits, in milliseconds. */
const patience = values.quick ? 2_500 : 30_000;
/** How long work goes on that's left to do once all is shown, in milliseconds. */
const linger = values.quick ? 300 : 1_000;

const root = join(import.meta.dirname, '../..');
const programs: Readonly<Record<string, (platform: Platform) => string | undefined>> = {
  troupe: () => undefined,
  bare: (platform) => join(root, `test/peers/answers/bare-${platform}.ts`),
  chat: (platform) => join(root, `test/peers/answers/chat-${platform}.ts`),
};

type Platform = 'discord' | 'slack';
interface Row {
  readonly name: string;
  readonly platform: Platform;
  readonly count: number;
  readonly where: 'channels' | 'directly';
}
const rows: readonly Row[] = [
  { name: 'Discord, 50 at once', platform: 'discord', count: 50, where: 'channels' },
  { name: 'Discord, 20 at once', platform: 'discord', count: 20, where: 'channels' },
  { name: 'Discord, one alone', platform: 'discord', count: 1, where: 'channels' },
  { name: 'Slack, 20 at once, edits', platform: 'slack', count: 20, where: 'channels' },
  { name: 'Slack, 20 at once, streams', platform: 'slack', count: 20, where: 'directly' },
];

/** What one round of a row took. */
interface Round {
  /** Microseconds of processor time for each chunk of the stream. */
  readonly processor: number;
  /** Resident kilobytes for each answer, at the most. */
  readonly memory: number;
  /** Milliseconds until people saw the first words. */
  readonly first: readonly number[];
  /** Milliseconds from the model's last word until people saw it. */
  readonly end: readonly number[];
  /** The share of answers that came whole. */
  readonly whole: number;
}

const model = new Model();
const service = await model.start();
if (values.length !== undefined) model.length = Number(values.length);
else if (values.quick) model.length = 1_000;
let question = 0;

for (const row of rows.filter(({ name }) => name.startsWith(values.only))) {
  const made = new Map<string, Round[]>();
  for (let round = 0; round < rounds; round++)
    for (const program of Object.keys(programs).filter((name) => name.startsWith(values.program)))
      made.set(program, [...(made.get(program) ?? []), await measure(row, program)]);
  tell(row.name, made);
}
await model.close();
process.exit();

async function measure(row: Row, program: string): Promise<Round> {
  const askers =
    row.platform === 'discord' ? await discordAskers(row.count) : await slackAskers(row.count, row.where);
  const environment = { ...askers.environment, ...service, CONFIRM_OVER_CREDITS: '1000000' };
  const bot = await startFreshBot(environment, programs[program]?.(row.platform));
  // Short numbers: a stream's first chunk then tells whose answer it is.
  question = 0;
  try {
    // What a bot does for the first time takes longer, until its code is compiled.
    const { length } = model;
    model.length = values.quick ? 400 : 1_000;
    for (let turn = 0; turn < (values.quick ? 1 : 2); turn++) await ask(askers, bot, Math.min(row.count, 5));
    if (!values.quick) await setTimeout(3_000);
    model.length = length;
    return await ask(askers, bot, row.count);
  } finally {
    await bot.stop();
    await askers.close();
  }
}

/** So many people ask at once; resolves when everything is shown, or nobody waits any longer. */
async function ask(askers: Askers, bot: FreshBot, count: number): Promise<Round> {
  askers.clear();
  model.answers.clear();
  const before = await bot.held();
  let most = before.bytes;
  const first = new Map<number, number>();
  const end = new Map<number, number>();
  const from = question;
  question += count;
  const begun = performance.now();
  for (let person = 0; person < count; person++) askers.ask(person, `question ${from + person}`);
  const isOver = () => {
    const now = performance.now();
    // Until then nothing was asked, or the last answer is still written.
    const last = Math.max(begun, ...[...model.answers.values()].map(({ endedAt = now }) => endedAt));
    return now > begun + 120_000 || end.size === count || now > last + patience;
  };
  while (!isOver()) {
    await setTimeout(lookEvery);
    const now = performance.now();
    for (const text of askers.shown()) {
      const number = Number(/w(\d+)x/.exec(text)?.[1] ?? -1);
      const answer = model.answers.get(number);
      if (!answer) continue;
      if (!first.has(number)) first.set(number, now - begun);
      if (answer.endedAt === undefined || end.has(number)) continue;
      if (text.includes(lastWord(answer.text))) end.set(number, Math.max(0, now - answer.endedAt));
    }
    most = Math.max(most, (await bot.held()).bytes);
  }
  await setTimeout(linger);
  const after = await bot.held();
  const chunks = [...model.answers.values()].reduce((sum, answer) => sum + answer.chunks, 0);
  return {
    processor: ((after.processor - before.processor) * 1_000) / chunks,
    memory: (most - before.bytes) / 1_000 / count,
    first: [...first.values()],
    end: [...end.values()],
    whole: wholeOnes(askers) / count,
  };
}

/** How many answers are shown with all of their words, in their order, and none of them twice. */
function wholeOnes(askers: Askers): number {
  const shown = new Map<number, string[]>();
  for (const text of askers.shown())
    for (const word of wordsOf(text)) {
      const number = Number(/\d+/.exec(word)?.[0]);
      shown.set(number, [...(shown.get(number) ?? []), word]);
    }
  let whole = 0;
  for (const [number, { text }] of model.answers)
    if (shown.get(number)?.join(' ') === wordsOf(text).join(' ')) whole += 1;
  return whole;
}

function lastWord(text: string): string {
  return text.slice(text.lastIndexOf('w'));
}

/** A row, a line for each program: medians, their spread, and how much of `bare` that is, where both are whole. */
function tell(name: string, made: ReadonlyMap<string, readonly Round[]>): void {
  console.log(`\n${name}`);
  const isWhole = (rounds: readonly Round[] | undefined) =>
    rounds?.every(({ whole }) => whole === 1) ?? false;
  const bare = isWhole(made.get('bare')) ? (made.get('bare') ?? []) : [];
  if (made.has('troupe') && !isWhole(made.get('troupe'))) process.exitCode = 1;
  for (const [program, all] of made) {
    const figure = (of: (round: Round) => number, unit: string, digits = 0) => {
      // What nobody saw has no time.
      const each = all.map(of).filter(Number.isFinite);
      if (each.length === 0) return 'never';
      const [least, most] = [Math.min(...each), Math.max(...each)].map((one) => one.toFixed(digits));
      const spread = each.length > 1 ? ` (${least} to ${most})` : '';
      const ratio = median(each) / median(bare.map(of).filter(Number.isFinite));
      const beside =
        program === 'bare' || !isWhole(all) || Number.isNaN(ratio) ? '' : `, ${ratio.toFixed(2)} × bare`;
      return `${median(each).toFixed(digits)} ${unit}${spread}${beside}`;
    };
    const half = (times: readonly number[]) => quantile(times, 0.5) / 1_000;
    const most = (times: readonly number[]) => Math.max(...times) / 1_000;
    console.log(
      [
        `  ${program.padEnd(7)} ${(median(all.map(({ whole }) => whole)) * 100).toFixed(0)} % whole`,
        `a chunk ${figure((round) => round.processor, 'µs', 1)}`,
        `an answer ${figure((round) => round.memory, 'kB')}`,
        `first words ${figure((round) => half(round.first), 's', 2)}`,
        `end ${figure((round) => half(round.end), 's', 2)}, at most ${figure((round) => most(round.end), 's', 2)}`,
      ].join('; '),
    );
  }
}
